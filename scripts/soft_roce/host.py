"""A machine as seen from outside: a process, and a folder by which it is given commands."""

import json
import os
import shlex
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

PASSED = ("PATH", "HOME", "LANG")
PASSED_PREFIXES = ("FI_", "IBV_", "RDMAV_", "PAIRBENCH")
PAUSE = 0.02


class Failure(Exception):
    """Something went wrong that is not a command's own doing; the text says what."""


class Interrupts:
    """Notes the signals that ask for an end; whoever waits looks at them."""

    def __init__(self) -> None:
        self._pending: list[int] = []
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: self._pending.append(number))

    def take(self) -> list[int]:
        taken, self._pending = self._pending, []
        return taken

    def check(self) -> None:
        """Ends the program where one has come."""
        for number in self.take():
            raise SystemExit(128 + number)


class Host(NamedTuple):
    """A machine that runs."""

    name: str  # hostA
    pid: int  # QEMU's
    folder: Path

    def alive(self) -> bool:
        return alive(self.pid)

    def tell(self, line: str) -> None:
        """Hands a line to the guest's agent. A pipe takes one whole."""
        try:
            agent = os.open(self.folder / "agent.in", os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            raise Failure(f"{self.name} is gone") from None
        with os.fdopen(agent, "wb", buffering=0) as pipe:
            pipe.write(f"{line}\n".encode())

    def start(self, words: list[str], folder: Path) -> "Job":
        """Starts a command in a folder of the guest."""
        job = Job(self, Path(tempfile.mkdtemp(prefix="job_", dir=self.folder / "jobs")))
        (job.folder / "run").write_text(script(words, folder))
        self.tell(f"run {job.folder.name}")
        return job


class Job:
    """A command in a guest, and what it leaves in its folder."""

    def __init__(self, host: Host, folder: Path) -> None:
        self.host = host
        self.folder = folder

    def started(self) -> bool:
        return (self.folder / "pid").exists()

    def status(self) -> int | None:
        """Its exit status once it has ended, as a shell has it: 128 and the signal's number."""
        try:
            return int((self.folder / "status").read_text())
        except FileNotFoundError:
            return None

    def signal(self, name: str) -> None:
        self.host.tell(f"signal {self.folder.name} {name}")

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def script(words: list[str], folder: Path) -> str:
    """What the guest's shell is to run: the command, in a folder, with what is passed of the environment."""
    passed = [
        f"{name}={value}"
        for name, value in os.environ.items()
        if name in PASSED or name.startswith(PASSED_PREFIXES)
    ]
    # What a shell runs in the background would ignore interrupts.
    command = shlex.join(["env", "-i", "--default-signal", *passed, *words])
    return f"cd {shlex.quote(str(folder))} || exit 125\nexec {command}\n"


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def check_state(path: Path) -> None:
    """Before machines are started that could not be noted there."""
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise Failure(f"--state {path}: {path.parent} is no folder that can be written to")


def write_state(path: Path, keeper: int, hosts: list[Host]) -> None:
    """Says in a file who the machines are; nobody sees it half written."""
    guests = [{"name": host.name, "pid": host.pid, "folder": str(host.folder)} for host in hosts]
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_text(json.dumps({"keeper": keeper, "guests": guests}, indent=2) + "\n")
    new.rename(path)


def read_state(path: Path) -> tuple[int, list[Host]]:
    """The process that keeps the machines, and the machines."""
    try:
        state = json.loads(path.read_text())
        hosts = [Host(one["name"], one["pid"], Path(one["folder"])) for one in state["guests"]]
        return int(state["keeper"]), hosts
    except FileNotFoundError:
        raise Failure(f"no machine runs: there is no {path}") from None
    except (ValueError, KeyError, TypeError):
        raise Failure(f"{path} does not say which machines run") from None


def wait_for_end(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while alive(pid):
        if time.monotonic() > end:
            return False
        time.sleep(PAUSE)
    return True
