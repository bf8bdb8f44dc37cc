"""The command that is a machine."""

import os
import platform
from pathlib import Path
from typing import NamedTuple


class Setting(NamedTuple):
    """What the machines are to be."""

    kernel: Path
    initramfs: Path
    cache: Path
    hosts: int
    cpus: int
    link: str  # words of netem
    count_instructions: bool
    folder: Path  # the one that the guests may write to


def host_cpu(setting: Setting, number: int) -> list[str]:
    """Each of two machines with one processor has one of the host's own, where there are two."""
    cpus = sorted(os.sched_getaffinity(0))
    if setting.hosts == 1 or setting.cpus > 1 or len(cpus) < setting.hosts:
        return []
    return ["taskset", "--cpu-list", str(cpus[number - 1])]


def command(setting: Setting, number: int, folder: Path, kvm: bool, wire: int) -> list[str]:
    """Machine `number` (1, 2), with its own folder; `wire` is a socket to the other, or -1."""
    append = "console=ttyS0 quiet panic=-1 no_timer_check tsc=reliable"
    words = ["setpriv", "--pdeathsig", "KILL", *host_cpu(setting, number)]
    words += ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-no-reboot"]
    words += ["-display", "none", "-m", "2G", "-smp", str(setting.cpus)]
    words += accelerator(setting, kvm)
    words += ["-kernel", str(setting.kernel), "-initrd", str(setting.initramfs), "-append", append]
    words += ["-serial", f"file:{escaped(folder / 'console')}"]
    words += ["-chardev", f"pipe,id=agent,path={escaped(folder / 'agent')}"]
    words += ["-serial", "chardev:agent"]
    words += share("root", Path("/"), ",readonly=on")
    words += share("folder", folder) + share("work", setting.folder)
    network = f"socket,id=net,fd={wire}" if wire >= 0 else "hubport,id=net,hubid=0"
    words += ["-netdev", network]
    words += ["-device", f"virtio-net-pci,netdev=net,romfile=,mac=52:54:00:00:00:0{number}"]
    return words


def accelerator(setting: Setting, kvm: bool) -> list[str]:
    if kvm:
        return ["-accel", "kvm", "-cpu", "host"]
    if setting.count_instructions:
        return ["-accel", "tcg,thread=single", "-cpu", "max", "-icount", "shift=0,sleep=off"]
    return ["-accel", "tcg,thread=multi", "-cpu", "max"]


def share(tag: str, folder: Path, more: str = "") -> list[str]:
    place = f"local,id={tag},path={escaped(folder)},security_model=none,multidevs=remap{more}"
    return ["-fsdev", place, "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]


def escaped(path: Path) -> str:
    return str(path).replace(",", ",,")


class Kvm:
    """Whether this host's KVM runs a machine: not every one that is there does."""

    def __init__(self, setting: Setting) -> None:
        self._file = setting.cache / "accelerator"
        self._kernel = platform.release()
        self._there = os.access("/dev/kvm", os.R_OK | os.W_OK) and not setting.count_instructions
        self._known = self._file.read_text().split() if self._file.exists() else []

    def usable(self) -> bool | None:
        """None where that has to be tried."""
        if not self._there:
            return False
        if self._known[:1] != [self._kernel]:
            return None
        return self._known[1:] == ["kvm"]

    def remember(self, works: bool) -> None:
        self._file.write_text(f"{self._kernel} {'kvm' if works else 'tcg'}\n")
