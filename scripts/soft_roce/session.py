"""Runs commands in machines as if they ran here: their output, their end, our signals."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Callable, Protocol

from soft_roce.host import PAUSE, Failure, Host, Interrupts

TIMED_OUT = 124
NO_MACHINE = 125
GRACE = 5.0  # from a polite request to the next
START_SECONDS = 60.0
# Ends once something listens on TCP, or after 10 s.
LISTENING = """now() { cut -d . -f 1 /proc/uptime; }
end=$(($(now) + 10))
until grep -q ':0000 0A ' /proc/net/tcp /proc/net/tcp6 || [ "$(now)" -gt $end ]
do sleep 0.05; done"""


class Sink(Protocol):
    def write(self, part: bytes) -> None:
        ...

    def close(self) -> None:
        ...


class AsItIs:
    """Passes everything to one of our own streams."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, part: bytes) -> None:
        while part:
            part = part[os.write(self._descriptor, part) :]

    def close(self) -> None:
        pass


class Lines:
    """Passes whole lines, each with a word before it."""

    def __init__(self, word: str, sink: Sink) -> None:
        self._word = word.encode()
        self._sink = sink
        self._rest = b""

    def write(self, part: bytes) -> None:
        *lines, self._rest = (self._rest + part).split(b"\n")
        for line in lines:
            self._sink.write(self._word + line + b"\n")

    def close(self) -> None:
        if self._rest:
            self.write(b"\n")


class Stream:
    """A file that grows, and where that goes."""

    def __init__(self, path: Path, sink: Sink) -> None:
        self._path = path
        self._sink = sink
        self._copied = 0

    def copy(self) -> None:
        if not self._path.exists():
            return
        with open(self._path, "rb") as file:
            file.seek(self._copied)
            part = file.read()
        self._copied += len(part)
        self._sink.write(part)

    def close(self) -> None:
        self.copy()
        self._sink.close()


class Task:
    """A command in a machine. `status` is None until it has ended."""

    def __init__(self, host: Host, words: list[str], out: Sink, err: Sink) -> None:
        self.status: int | None = None
        self.was_ended = False  # by us
        self._host = host
        self._job = host.start(words, Path.cwd())
        self._streams = [
            Stream(self._job.folder / "out", out),
            Stream(self._job.folder / "err", err),
        ]
        self._start_by = time.monotonic() + START_SECONDS
        self._agenda: list[tuple[float, str]] = []  # signals to send, by time

    def attend(self) -> None:
        """Copies what it has written, notes its end, does what is due."""
        gone = not self._host.alive()
        status = self._job.status()
        for stream in self._streams:
            stream.copy()
        if status is not None:
            self._finish(status)
        elif gone:
            self._give_up("is gone")
        elif self._job.started():
            self._send_what_is_due()
        elif time.monotonic() > self._start_by:
            self._give_up("does not answer")

    def pass_on(self, number: int) -> None:
        """Hands a signal on, and if that does not end it a stronger one."""
        now = time.monotonic()
        name = signal.Signals(number).name[len("SIG") :]
        self._agenda = [(now, name), (now + 2 * GRACE, "KILL"), (now + 3 * GRACE, "")]

    def end_after(self, seconds: float) -> None:
        """Ends it if it has not ended by then."""
        if not self.was_ended:
            self.was_ended = True
            due = time.monotonic() + seconds
            self._agenda = [(due, "TERM"), (due + GRACE, "KILL"), (due + 2 * GRACE, "")]
            self._start_by = min(self._start_by, due + GRACE)

    def abandon(self) -> None:
        """Ends it without waiting, and removes what it left."""
        if self.status is None and self._host.alive():
            self._job.signal("KILL")
        else:
            self._job.remove()

    def _send_what_is_due(self) -> None:
        while self._agenda and self._agenda[0][0] <= time.monotonic():
            name = self._agenda.pop(0)[1]
            if not name:
                self._give_up("does not answer")
                return
            self._job.signal(name)

    def _give_up(self, why: str) -> None:
        print(f"error: {self._host.name} {why}", file=sys.stderr)
        self._finish(NO_MACHINE)

    def _finish(self, status: int) -> None:
        for stream in self._streams:
            stream.close()
        self.status = status


class Session:
    """Commands that run at the same time, until their time is up."""

    def __init__(self, seconds: float, interrupts: Interrupts) -> None:
        self._deadline = time.monotonic() + seconds
        self._interrupts = interrupts
        self._tasks: list[Task] = []
        self.timed_out = False
        self.interrupted_by = 0

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        for task in self._tasks:
            task.abandon()

    def start(self, host: Host, words: list[str], out: Sink, err: Sink) -> Task:
        self._tasks.append(Task(host, words, out, err))
        return self._tasks[-1]

    def wait(self, done: Callable[[], bool]) -> None:
        while not done():
            self._step()
            time.sleep(PAUSE)

    def _step(self) -> None:
        running = [task for task in self._tasks if task.status is None]
        for task in running:
            task.attend()
        for number in self._interrupts.take():
            self.interrupted_by = number
            for task in running:
                task.pass_on(number)
        if time.monotonic() > self._deadline:
            self.timed_out = True
            for task in running:
                task.end_after(0)


def run_one(host: Host, words: list[str], seconds: float, interrupts: Interrupts) -> int:
    """One command; its exit status."""
    with Session(seconds, interrupts) as session:
        task = session.start(host, words, AsItIs(1), AsItIs(2))
        session.wait(lambda: task.status is not None)
        return TIMED_OUT if session.timed_out else task.status or 0


def run_pair(
    hosts: list[Host], commands: list[list[str]], seconds: float, interrupts: Interrupts
) -> int:
    """A command on each of two machines, the second once the first listens; the exit status of both."""
    with Session(seconds, interrupts) as session:
        lines = Lines(f"{hosts[0].name}: ", AsItIs(2)), Lines(f"{hosts[0].name}: ", AsItIs(2))
        server = session.start(hosts[0], commands[0], *lines)
        look = session.start(hosts[0], ["sh", "-c", LISTENING], AsItIs(1), AsItIs(2))
        session.wait(lambda: look.status is not None or server.status is not None)
        if session.interrupted_by:
            session.wait(lambda: server.status is not None)
            return 128 + session.interrupted_by
        client = session.start(hosts[1], commands[1], AsItIs(1), AsItIs(2))
        session.wait(lambda: client.status is not None)
        server.end_after(GRACE)
        session.wait(lambda: server.status is not None)
        if session.timed_out:
            return TIMED_OUT
        return client.status or (not server.was_ended and server.status) or 0


def two_commands(words: list[str]) -> list[list[str]]:
    """Those before and after --and."""
    middle = words.index("--and") if "--and" in words else len(words)
    commands = [words[:middle], words[middle + 1 :]]
    if not all(commands):
        raise Failure("two hosts take two commands: -- COMMAND_OF_A... --and COMMAND_OF_B...")
    return commands
