"""One transport's server, and the runs against it."""

import os
import random
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Sequence

from soaking import kept
from soaking.faults import NO_FAULT, Fault, any_fault, send
from soaking.strangers import Strangers
from soaking.tally import Tally

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "soft_efa"))
from soft_efa import Host  # noqa: E402

# A case takes some milliseconds, so that a fault meets any phase: every repeat opens anew.
RUN = "--test pingpong,stream --sizes 8,4096 --iters 200 --warmup 2 --completion yield --peer-timeout 3s".split()
GOOD = "--sizes 8 --iters 1 --warmup 0 --repeats 1 --no-save -q --connect-retry 20s".split()
REPEATS = 30
RUN_END, SERVER_END = 0, 1
# Seconds after the start. Before the first a busy machine may not have come to main().
MOMENTS = (0.1, 3)
# The server's patience with a worker that outlives its peer (10 s), and a busy machine.
STOPS_WITHIN = 40.0
STARTS_WITHIN = 20.0
# Of the server's memory, which keeps nothing of a session that has ended.
MOST_GROWTH = 16 << 20


class Lane:
    """With `hosts` both ends are on soft EFA devices: the run's host, and the server's."""

    def __init__(
        self, program: Path, transport: str, seed: int, hosts: Sequence[Host] = ()
    ) -> None:
        self.transport = transport
        self.tally = Tally()
        self._program = program
        self._chance = random.Random(seed)
        self._hosts = hosts
        self._folder = tempfile.TemporaryDirectory(prefix="pairbench-soak-")
        self._place = Path(self._folder.name) / "r.json"
        self._log = Path(self._folder.name) / "serve.log"
        self._stream = Path(self._folder.name) / "stream"
        self._secret = Path(self._folder.name) / "secret"
        self._secret.touch(0o600)
        self._secret.write_text(secrets.token_hex(16))
        self._server: subprocess.Popen[bytes] | None = None
        self._port = 0
        self._descriptors = 0
        self._memory = 0
        self._processes: set[int] = set()

    def run(self, end: float, over: threading.Event) -> None:
        """Until the time `end`, or until it is over."""
        try:
            self._soak(end, over)
            self._count_leftovers()
        except Exception as problem:  # of the soak itself: never passes for a good end
            self._wrong("surprises", f"the soak itself: {problem!r}")
        finally:
            self._folder.cleanup()

    def _soak(self, end: float, over: threading.Event) -> None:
        try:
            self._start()
            strangers = Strangers(self._port, self._chance)
            strangers.start()
            try:
                self._take_turns(end, over)
            finally:
                strangers.leave()
                self.tally.strangers = strangers.visits
        finally:
            self._stop()

    def _take_turns(self, end: float, over: threading.Event) -> None:
        self._serves_well("at first")
        self._descriptors = self._open_descriptors()
        self._memory = self._resident_memory()
        while time.monotonic() < end and not over.is_set():
            self._turn(any_fault(self._chance))
        grown = self._resident_memory() - self._memory
        if grown > MOST_GROWTH:
            self._wrong("leftovers", f"the server has grown by {grown} bytes")

    def _start(self) -> None:
        command = [str(self._program), "serve", "--bind=127.0.0.1", "--port=0"]
        command += ["--secret-file", str(self._secret)]
        with self._log.open("wb") as log:
            self._server = subprocess.Popen(
                command,
                cwd=self._folder.name,
                env=self._environment(SERVER_END),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        ports = self._await_log(r"^listening on .*:(\d+)$")
        if not ports:
            raise RuntimeError(f"the server does not listen: {self._log.read_text()}")
        self._port = int(ports[-1])

    def _stop(self) -> None:
        if not self._server:
            return
        self._server.send_signal(signal.SIGTERM)
        try:
            self._server.wait(STOPS_WITHIN)
        except subprocess.TimeoutExpired:
            self._wrong("hangs", "the server did not end when it was told to")
            self._server.kill()
            self._server.wait()

    def _environment(self, end: int) -> dict[str, str]:
        return {**os.environ, **(self._hosts[end].environment if self._hosts else {})}

    def _await_log(self, pattern: str, nth: int = 1) -> list[str]:
        """What the server's log has of it, once there are `nth`; fewer when they do not come."""
        deadline = time.monotonic() + STARTS_WITHIN
        while True:
            found = re.findall(pattern, self._log.read_text(errors="replace"), re.MULTILINE)
            if len(found) >= nth or time.monotonic() > deadline:
                return found
            time.sleep(0.02)

    def _launch(self, *options: str) -> subprocess.Popen[str]:
        command = [
            str(self._program),
            "run",
            f"127.0.0.1:{self._port}",
            "-t",
            self.transport,
            *options,
        ]
        command += ["--secret-file", str(self._secret)]
        self.tally.runs += 1
        with self._stream.open("wb") as stream:  # a pipe would be full before anybody reads it
            run = subprocess.Popen(
                command,
                cwd=self._folder.name,
                env=self._environment(RUN_END),
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.PIPE,
                text=True,
            )
        self._processes.add(run.pid)
        return run

    def _turn(self, fault: Fault) -> None:
        sessions = len(re.findall("began", self._log.read_text(errors="replace")))
        run = self._launch(
            *RUN, "--repeats", str(REPEATS), "--out", self._place.name, "--force", "--json-stream"
        )
        striker = threading.Timer(
            self._chance.uniform(*MOMENTS), self._strike, (fault, run.pid, sessions + 1)
        )
        striker.start()
        striker.join()
        err = self._end_of(run, fault)
        out = self._stream.read_text(errors="replace")
        if run.returncode not in (0, *fault.explained):
            self._wrong(
                "surprises", f"{fault.name}: the run ended with {run.returncode}\n{err}{out[-500:]}"
            )
        self._compare_files(fault, out)
        self._serves_well(f"after: {fault.name}")
        for host in self._hosts:  # none of this lane's runs is there to miss them
            host.sweep_what_is_nobodys()

    def _strike(self, fault: Fault, run: int, nth: int) -> None:
        pid = run
        if fault.strikes == "session":
            began = self._await_log(r"session with .* began \(process (\d+)\)", nth)
            if len(began) < nth:
                return
            pid = int(began[-1])
        self.tally.faults += 1
        fault.how(pid)

    def _end_of(self, run: subprocess.Popen[str], fault: Fault) -> str:
        """What it said of its errors."""
        try:
            return run.communicate(timeout=fault.within)[1]
        except subprocess.TimeoutExpired:
            self._wrong("hangs", f"{fault.name}: the run had not ended after {fault.within:g} s")
            send(run.pid, signal.SIGKILL)
            return run.communicate()[1]

    def _compare_files(self, fault: Fault, stream: str) -> None:
        try:
            run, repeats = kept.announced(stream)
            self.tally.repeats += repeats
            found = kept.saved(self._program, self._place, run) if run else 0
            if found < repeats:
                self._wrong(
                    "losses", f"{fault.name}: {repeats} repeats announced, {found} in the files"
                )
        except (kept.Unreadable, ValueError) as problem:
            self._wrong("losses", f"{fault.name}: {problem}")

    def _serves_well(self, when: str) -> None:
        assert self._server
        if self._server.poll() is not None:
            self._wrong("restarts", f"{when}: the server had ended with {self._server.returncode}")
            raise RuntimeError("no server any more")
        run = self._launch(*GOOD)
        err = self._end_of(run, NO_FAULT)
        if run.returncode != 0:
            self._wrong("refusals", f"{when}: a good run ended with {run.returncode}\n{err}")
        if self._descriptors and self._open_descriptors() > self._descriptors + 64:
            self._wrong(
                "leftovers", f"{when}: the server holds {self._open_descriptors()} descriptors"
            )

    def _open_descriptors(self) -> int:
        assert self._server
        return len(os.listdir(f"/proc/{self._server.pid}/fd"))

    def _resident_memory(self) -> int:
        assert self._server
        pages = Path(f"/proc/{self._server.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def _count_leftovers(self) -> None:
        sessions = re.findall(r"\(process (\d+)\)", self._log.read_text(errors="replace"))
        for pid in map(int, sessions):
            if Path(f"/proc/{pid}").exists():
                self._wrong("leftovers", f"the session's process {pid} is still there")
        ours = [f"{pid}:*" for pid in self._processes.union(map(int, sessions))]
        left = [path for name in ours for path in Path("/dev/shm").glob(name)]
        left += [path for host in self._hosts for path in host.leftovers_of_somebody()]
        for path in left:
            self._wrong("leftovers", f"{path} was left behind")
        for host in self._hosts:
            host.sweep()

    def _wrong(self, count: str, problem: str) -> None:
        setattr(self.tally, count, getattr(self.tally, count) + 1)
        self.tally.problems.append(problem)
