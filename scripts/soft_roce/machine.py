"""Starts the machines and ends them; what they need lies in a temporary folder."""

import os
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from soft_roce import qemu
from soft_roce.host import PAUSE, Failure, Host, Interrupts, alive
from soft_roce.qemu import Kvm, Setting

BOOT_SECONDS = 180.0  # emulated, on a busy host; a quiet one takes five
KVM_SECONDS = 20.0
PREFIX = "pairbench-soft-roce-"
LINES_OF_A_FAILURE = 20


class Machines:
    """The machines, from the start of a `with` to its end. They end with this process whatever ends it."""

    def __init__(self, setting: Setting, interrupts: Interrupts) -> None:
        self._setting = setting
        self._interrupts = interrupts
        self._processes: list[subprocess.Popen[bytes]] = []
        self._folder = Path()
        self.hosts: list[Host] = []

    def __enter__(self) -> "Machines":
        check_folder(self._setting.folder)
        remove_leftovers()
        self._folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        try:
            (self._folder / "keeper").write_text(str(os.getpid()))
            self._boot()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._remove()

    def running(self) -> bool:
        """Whether one still runs; those that have ended are reaped."""
        return None in [process.poll() for process in self._processes]

    def _boot(self) -> None:
        kvm = Kvm(self._setting)
        usable = kvm.usable()
        if usable is not None:
            self._boot_with(usable, BOOT_SECONDS)
            return
        works = self._try_kvm()
        if not works:
            self._boot_with(False, BOOT_SECONDS)
        kvm.remember(works)

    def _try_kvm(self) -> bool:
        try:
            self._boot_with(True, KVM_SECONDS)
            return True
        except Failure:
            self._end()
            return False

    def _boot_with(self, kvm: bool, seconds: float) -> None:
        wires = socket.socketpair() if self._setting.hosts == 2 else ()
        try:
            for number in range(1, self._setting.hosts + 1):
                wire = wires[number - 1].fileno() if wires else -1
                self._start(number, kvm, wire)
        finally:
            for end in wires:
                end.close()
        deadline = time.monotonic() + seconds
        for host, process in zip(self.hosts, self._processes):
            self._await(host, process, deadline)

    def _await(self, host: Host, process: subprocess.Popen[bytes], deadline: float) -> None:
        while not (host.folder / "ready").exists():
            self._interrupts.check()
            if process.poll() is not None:
                raise Failure(f"{host.name} did not start\n{last_words(host.folder)}")
            if time.monotonic() > deadline:
                raise Failure(f"{host.name} takes too long to start\n{last_words(host.folder)}")
            time.sleep(PAUSE)

    def _start(self, number: int, kvm: bool, wire: int) -> None:
        name = f"host{'AB'[number - 1]}"
        folder = self._folder / name
        (folder / "jobs").mkdir(parents=True)
        for pipe in ("agent.in", "agent.out"):
            os.mkfifo(folder / pipe)
        (folder / "settings").write_text(
            f"number={number} name={name} link={shlex.quote(self._setting.link)}\n"
            f"folder={shlex.quote(str(self._setting.folder))}\n"
        )
        with open(folder / "qemu", "wb") as said:
            process = subprocess.Popen(
                qemu.command(self._setting, number, folder, kvm, wire),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                pass_fds=[wire] if wire >= 0 else [],
                start_new_session=True,  # a Ctrl-C is for the command
            )
        self._processes.append(process)
        self.hosts.append(Host(name, process.pid, folder))

    def _end(self) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait(10)
        for host in self.hosts:
            shutil.rmtree(host.folder, ignore_errors=True)
        self._processes.clear()
        self.hosts.clear()

    def _remove(self) -> None:
        self._end()
        shutil.rmtree(self._folder, ignore_errors=True)


def check_folder(folder: Path) -> None:
    """The guests mount it at its own path, over what they have there."""
    if folder == Path("/") or folder.parts[1] in ("dev", "proc", "run", "sys"):
        raise Failure(
            f"a machine cannot have {folder} to write to: call it in a folder of your own"
        )


def remove_leftovers() -> None:
    """The folders of those that were killed."""
    for keeper in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/keeper"):
        try:
            if not alive(int(keeper.read_text() or 0)):
                shutil.rmtree(keeper.parent, ignore_errors=True)
        except (OSError, ValueError):
            continue  # another user's, or just being made


def last_words(folder: Path) -> str:
    """The end of what QEMU and the guest's console have said."""
    lines = []
    for file in ("qemu", "console"):
        if (folder / file).exists():
            text = (folder / file).read_text(errors="replace")
            lines += text.partition("Kernel panic")[0].splitlines()  # not where, but why
    return "\n".join(f"  | {line}" for line in lines[-LINES_OF_A_FAILURE:])
