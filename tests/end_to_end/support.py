"""What the end-to-end tests share: pairbench processes under deadlines, documents held against the schema."""

import functools
import importlib.machinery
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import IO, Any, Callable, Iterable, NamedTuple, Optional, Sequence, TypeVar

ROOT = Path(__file__).resolve().parents[2]
PAIRBENCH = os.environ.get("PAIRBENCH", str(ROOT / "build/release/bench/pairbench"))

# No wait is longer, whatever the load of the machine: a hang fails its test.
PATIENCE = 60.0
SKIPPED = 77

ONE_MESSAGE = ("--iters", "1", "--warmup", "0", "--repeats", "1", "--sizes", "1")

Test = TypeVar("Test", bound=Callable[..., Any])


class Done(NamedTuple):
    """A process that has ended. A negative status is the signal that ended it."""

    status: int
    out: str
    err: str
    seconds: float


class Output:
    """What comes out of a pipe, as it comes."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._text = ""
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while part := os.read(self._pipe.fileno(), 1 << 16):
            with self._changed:
                self._text += part.decode(errors="replace")
                self._changed.notify_all()

    def text(self) -> str:
        with self._changed:
            return self._text

    def find(self, pattern: str, within: float) -> Optional[re.Match[str]]:
        """Waits for a match in what was or will be written."""

        def search() -> Optional[re.Match[str]]:
            return re.search(pattern, self._text, re.MULTILINE)

        with self._changed:
            return self._changed.wait_for(search, within)

    def close(self, within: float) -> bool:
        """Whether the writers have closed their end."""
        self._thread.join(within)
        if not self._thread.is_alive():
            self._pipe.close()
        return not self._thread.is_alive()


class Process:
    """A process in a session of its own, with its output collected."""

    def __init__(self, argv: Sequence[str], cwd: Path, env: Optional[dict[str, str]] = None):
        self.argv = list(argv)
        self.started = time.monotonic()
        self._popen = subprocess.Popen(
            self.argv,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._popen.stdout and self._popen.stderr
        self.pid = self._popen.pid
        self.out = Output(self._popen.stdout)
        self.err = Output(self._popen.stderr)

    def describe(self) -> str:
        said = f"\n--- stdout\n{self.out.text()}\n--- stderr\n{self.err.text()}"
        return " ".join(self.argv) + said

    def signal(self, number: int) -> None:
        self._popen.send_signal(number)

    def is_running(self) -> bool:
        return self._popen.poll() is None

    def line(self, pattern: str, within: float = PATIENCE) -> re.Match[str]:
        """The first match in what it writes to either stream."""
        deadline = time.monotonic() + within
        while True:
            for stream in (self.out, self.err):
                if found := stream.find(pattern, 0.02):
                    return found
            if time.monotonic() > deadline:
                raise AssertionError(f"no '{pattern}' within {within} s: {self.describe()}")

    def finish(self, within: float = PATIENCE) -> Done:
        """Waits for its end, and for that of whoever else holds its output."""
        try:
            status = self._popen.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {within} s: {self.describe()}") from None
        seconds = time.monotonic() - self.started
        if not (self.out.close(10) and self.err.close(10)):
            raise AssertionError(f"a process of its own outlived it: {self.describe()}")
        return Done(status, self.out.text(), self.err.text(), seconds)

    def kill(self) -> None:
        if self.is_running():
            self._popen.kill()
        self._popen.wait(10)
        self.out.close(10)
        self.err.close(10)


class Server(Process):
    """`pairbench serve`, listening."""

    def __init__(self, argv: Sequence[str], cwd: Path, env: Optional[dict[str, str]] = None):
        super().__init__(argv, cwd, env)
        listening = self.line(r"^listening on (.*):(\d+)$")
        self.port = int(listening[2])
        self.address = f"{listening[1]}:{self.port}"

    def session(self, nth: int = 1, within: float = PATIENCE) -> tuple[str, int]:
        """Who the nth session is with, and the process that has it."""
        pattern = r"(?:[^$]*?session with (\S+) began \(process (\d+)\)){%d}" % nth
        found = self.line(pattern, within)
        return found[1], int(found[2])

    def end_of_session(self, peer: str, within: float = PATIENCE) -> str:
        """How it ended: 'exit status 0'."""
        return self.line(rf"session with {re.escape(peer)} ended \((.*)\)", within)[1]


class TestCase(unittest.TestCase):
    """A test in a folder of its own. What it started is ended with it."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="pairbench-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, *arguments: str, below: Iterable[str] = (), **environment: str) -> Process:
        """Starts pairbench, `below` another command where one is given."""
        process = Process([*below, PAIRBENCH, *arguments], self.folder, environment)
        self.addCleanup(process.kill)
        return process

    def run_pairbench(
        self,
        *arguments: str,
        within: float = PATIENCE,
        below: Iterable[str] = (),
        environment: Optional[dict[str, str]] = None,
    ) -> Done:
        return self.start(*arguments, below=below, **(environment or {})).finish(within)

    def serve(
        self,
        *arguments: str,
        bind: str = "127.0.0.1",
        port: int = 0,
        below: Iterable[str] = (),
        environment: Optional[dict[str, str]] = None,
    ) -> Server:
        where = [f"--bind={bind}"] if bind else []
        command = ["serve", *where, f"--port={port}", *arguments]
        server = Server([*below, PAIRBENCH, *command], self.folder, environment)
        self.addCleanup(server.kill)
        return server

    def measure(self, *arguments: str, within: float = PATIENCE) -> Any:
        """A run that must end well; its document."""
        done = self.run_pairbench(*arguments, "--no-save", "--json", within=within)
        self.assertEqual(done.status, 0, done)
        return self.document(done.out)

    def run_well(self, address: str, transport: str) -> None:
        """The server at `address` serves."""
        done = self.measure("run", address, "-t", transport, *ONE_MESSAGE)
        self.assertTrue(done["run"]["complete"])

    def document(self, text: str) -> Any:
        """One JSON document and nothing else, which keeps to the schema."""
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(text)
            file.flush()
            self.assertEqual(list(faults_in(Path(file.name))), [], text[:200])
        return json.loads(text)

    def assert_counts_equal(self, document: Any) -> None:
        """What one end sent, the other received."""
        for case in document["cases"]:
            for repeat in case["repeats"]:
                here, there = repeat["initiator"], repeat["responder"]
                for what in ("messages", "bytes"):
                    self.assertEqual(here[f"{what}_sent"], there[f"{what}_received"], case)
                    self.assertEqual(there[f"{what}_sent"], here[f"{what}_received"], case)

    def assert_error_document(self, done: Done, status: int) -> Any:
        """With --json an error is the one document on standard output."""
        self.assertEqual(done.status, status, done)
        error = self.document(done.out)["error"]
        self.assertEqual(error["code"], status)
        return error


@functools.cache
def _validator() -> Any:
    path = str(ROOT / "results" / "validate")
    loader = importlib.machinery.SourceFileLoader("validate", path)
    spec = importlib.util.spec_from_loader("validate", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    schema = module.closed(json.loads(module.SCHEMA.read_text()))
    return functools.partial(module.faults, module.Draft202012Validator(schema))


def faults_in(path: Path) -> Iterable[str]:
    """As `results/validate --strict` finds them."""
    found: Iterable[str] = _validator()(path)
    return found


@functools.cache
def _rows() -> list[dict[str, Any]]:
    listing = subprocess.run(
        [PAIRBENCH, "devices", "--json"], stdout=subprocess.PIPE, timeout=PATIENCE, check=True
    )
    rows: list[dict[str, Any]] = json.loads(listing.stdout)["devices"]
    return rows


def why_not(transport: str) -> Optional[str]:
    """Why this host and this build cannot measure a transport; None where they can."""
    rows = [row for row in _rows() if re.match(rf"{transport}(/|$)", row["transport"])]
    kind = [row for row in _rows() if row["transport"] == transport.split(":")[0]]
    if any(row["usable"] for row in rows):
        return None
    return next((f"{transport}: {row['note']}" for row in rows + kind), f"{transport}: no device")


def needs(*transports: str) -> Callable[[Test], Test]:
    """Skips a test, or a class of them, where one of the transports is missing."""
    reasons = [reason for reason in map(why_not, transports) if reason]
    return unittest.skipIf(bool(reasons), reasons[0] if reasons else "")


needs_libfabric = needs("libfabric:tcp", "libfabric:shm")


def mounting(options: str, place: str, then: str = "") -> tuple[str, ...]:
    """A command below which a tmpfs is mounted at `place`, for what runs there alone."""
    mount = f"mount -t tmpfs -o {options} tmpfs {place}"
    return ("unshare", "--mount", "sh", "-c", f'{mount} && {then} exec "$@"', "sh")


@functools.cache
def _can_mount() -> bool:
    command = [*mounting("size=1M", "/mnt"), "true"]
    return subprocess.run(command, stderr=subprocess.DEVNULL, timeout=PATIENCE).returncode == 0


def needs_mounts(test: Test) -> Test:
    return unittest.skipUnless(_can_mount(), "mounting needs root")(test)


def main() -> None:
    """Runs a file's tests. Exits 77, with the reason last, where nothing but skipped tests was there."""
    program = unittest.main(module="__main__", exit=False, verbosity=2)
    result = program.result
    if result.skipped and len(result.skipped) == result.testsRun and result.wasSuccessful():
        print(f"skipped: {result.skipped[0][1]}", file=sys.stderr)
        sys.exit(SKIPPED)
    sys.exit(not result.wasSuccessful() or result.testsRun == 0)


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def resume(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        pass
