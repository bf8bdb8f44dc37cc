"""Running programs with a deadline, each on its CPU; what fails becomes one sentence."""

import functools
import os
import signal
import socket
import subprocess
import time
from pathlib import Path


class Failure(Exception):
    """A program failed; the text says which one and how."""


def settle(cpu: int | None) -> None:
    """A group of its own, but in this session: a kernel that groups tasks by session (autogroup)
    takes longer from one session to another, and the two ends of pairbench are in one."""
    os.setpgid(0, 0)
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})


class Program:
    """A process of ours and whatever it starts; ended at the end of a `with`."""

    def __init__(self, words: list[str], cpu: int | None = None, preload: str = "") -> None:
        self.name = Path(words[0]).name
        try:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, "LD_PRELOAD": preload} if preload else None,
                preexec_fn=functools.partial(settle, cpu),
            )
        except OSError as error:
            raise Failure(f"{words[0]} cannot be run: {error.strerror}") from None
        except subprocess.SubprocessError:
            raise Failure(f"{self.name} cannot be run on CPU {cpu}") from None

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def output(self, seconds: float) -> str:
        """Its standard output, once it has ended well within the deadline."""
        try:
            output, errors = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} had not ended after {seconds:g} s") from None
        if self.process.returncode != 0:
            raise Failure(f"{self.name} failed: {self.ending()}; {last_line(errors)}")
        return output

    def ending(self) -> str:
        code = self.process.returncode
        return f"exit code {code}" if code >= 0 else f"signal {-code}"

    def end(self) -> None:
        """Ends the process group, politely at first: some libraries have files to remove."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
                self.process.communicate(timeout=2)
            except (ProcessLookupError, subprocess.TimeoutExpired, ValueError):
                continue

    def await_listening(self, port: int, seconds: float) -> None:
        """Waits until somebody listens at the TCP port, without taking the server's one client."""
        end = time.monotonic() + seconds
        while not is_listening(port):
            if self.process.poll() is not None:
                self.output(seconds)
                raise Failure(f"{self.name} ended before its client came")
            if time.monotonic() > end:
                raise Failure(f"{self.name} did not listen after {seconds:g} s")
            time.sleep(0.01)


def last_line(errors: str) -> str:
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    return f"its last line of stderr: {lines[-1]}" if lines else "it says nothing on stderr"


def is_listening(port: int) -> bool:
    """By the kernel's tables of sockets: proc(5), state 0A."""
    ending = f":{port:04X}"
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if not Path(table).exists():
            continue
        for line in Path(table).read_text().splitlines()[1:]:
            columns = line.split()
            if columns[1].endswith(ending) and columns[3] == "0A":
                return True
    return False


def free_ports(count: int) -> list[int]:
    """All held until the last is found, so that they differ."""
    probes = [socket.create_server(("", 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def run(words: list[str], seconds: float) -> str:
    """The standard output of one program, which pins itself."""
    with Program(words) as program:
        return program.output(seconds)


def run_pair(
    server: list[str],
    client: list[str],
    port: int,
    cpus: tuple[int, int],
    seconds: float,
    preload: str = "",
) -> str:
    """The client's standard output; the server has ended well, too. The client has the first CPU."""
    with Program(server, cpus[1], preload) as serving:
        serving.await_listening(port, seconds)
        with Program(client, cpus[0], preload) as asking:
            output = asking.output(seconds)
        serving.output(seconds)
    return output
