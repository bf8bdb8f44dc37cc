"""For tests: an environment in which programs find soft EFA devices, and what went through those."""

import os
import re
import socket
import sys
from pathlib import Path
from typing import Iterable, Optional

sys.path.insert(0, str(Path(__file__).parent))
import counters  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def library() -> str:
    built = ROOT / "build/release/tests/soft_efa/libpairbench_soft_efa.so"
    return os.environ.get("PAIRBENCH_SOFT_EFA", str(built))


LEAKS = Path(__file__).with_name("leaks.supp")


def gid_of(host: str) -> str:
    """What the GIDs of a host's devices have in common, as text (device.cc)."""
    number = 2166136261
    for byte in host.encode():
        number = (number ^ byte) * 16777619 & 0xFFFFFFFF
    gid = bytes.fromhex("fe80000000000000") + number.to_bytes(4, "big") + bytes(4)
    return socket.inet_ntop(socket.AF_INET6, gid).removesuffix("0")


def lacks_efa_direct(said: str) -> Optional[str]:
    """The line of pairbench or of its suite where it says so with a version below 2.1, which brought that fabric."""
    pattern = r"^.*no usable provider efa-direct(?=[^*]*\bAPI (1\.|2\.0\b))"
    found = re.search(pattern, said, re.MULTILINE)
    return found[0] if found else None


def _has_maker(path: Path) -> bool:
    """Whether a segment says who made it. One that is gone meanwhile was somebody's who has cleaned up."""
    try:
        with path.open("rb") as segment:
            return bool(segment.read(8)[4:].strip(b"\0"))
    except FileNotFoundError:
        return True


class Host:
    """A host with EFA devices. Names of settings are the variables' without SOFT_EFA_ (README.md).

    The folder is the test's own, and its name makes the host one that no other test has.
    """

    def __init__(self, folder: Path, name: str, **settings: object) -> None:
        self._name = f"{folder.name}-{name}"
        self._counters = folder / f"counters-of-{name}"
        settings = {"HOST": self._name, "COUNTERS": self._counters, **settings}
        self.environment = {f"SOFT_EFA_{key}": str(value) for key, value in settings.items()}
        self.environment["LD_PRELOAD"] = library()
        # Below a sanitizer its library comes second, which is all right: ours replaces nothing of it.
        self._add_option("ASAN_OPTIONS", "verify_asan_link_order=0")
        self._add_option("LSAN_OPTIONS", f"print_suppressions=0:suppressions={LEAKS}")

    def _add_option(self, variable: str, option: str) -> None:
        options = (os.environ.get(variable), option)
        self.environment[variable] = ":".join(filter(None, options))

    def leftovers(self) -> list[Path]:
        """What killed processes left: libfabric 1.17 opens a segment with every EFA endpoint."""
        return list(Path("/dev/shm").glob(f"{gid_of(self._name)}*"))

    def leftovers_of_somebody(self) -> list[Path]:
        """Without those whose maker was killed so early that they do not say yet who it was, at byte 4."""
        return [path for path in self.leftovers() if _has_maker(path)]

    def sweep(self) -> None:
        self._remove(self.leftovers())

    def sweep_what_is_nobodys(self) -> None:
        """What no run can know of, since its maker was killed too early to say who it was."""
        self._remove(path for path in self.leftovers() if not _has_maker(path))

    @staticmethod
    def _remove(paths: Iterable[Path]) -> None:
        for path in paths:
            path.unlink(missing_ok=True)

    def counted(self, counter: str) -> int:
        """0 where no device has been used."""
        return counters.read(self._counters).get(counter, 0)
