"""The smallest run there is, again and again: every one ends well."""

import os
import re
import time
from pathlib import Path
from typing import NamedTuple

from support import ONE_MESSAGE, TestCase, main, needs_libfabric

TRANSPORTS = ("libfabric:tcp", "libfabric:shm")
SETTLED = 20  # runs after which the server has what it needs
GROWTH_KIB = 512  # a thousand runs that left a page each would make it eight times that


class Holdings(NamedTuple):
    """What a process has of the system."""

    descriptors: int
    resident_kib: int

    @staticmethod
    def of(pid: int) -> "Holdings":
        status = Path(f"/proc/{pid}/status").read_text()
        found = re.search(r"^VmRSS:\s+(\d+) kB", status, re.MULTILINE)
        assert found
        return Holdings(len(os.listdir(f"/proc/{pid}/fd")), int(found[1]))


class ManyRuns(TestCase):
    def one_run(self, *command: str) -> None:
        done = self.run_pairbench(*command, *ONE_MESSAGE, "--no-save", "-q", within=30)
        self.assertEqual((done.status, done.err), (0, ""), done.out)
        rows = [line for line in done.out.splitlines() if not line.startswith("#")]
        self.assertEqual(len(rows), 2, done.out)

    def runs(self, transport: str, count: int) -> None:
        """Most of them with one server, some with one of their own. The server does not grow by them."""
        server = self.serve("-q")
        early = None
        for n in range(count):
            ways = ("local",) if n % 10 == 0 else ("run", server.address)
            self.one_run(*ways, "-t", transport)
            if n == SETTLED:
                early = Holdings.of(server.pid)
        self.assertTrue(server.is_running())
        assert early
        # The server may not have noticed yet that the last session is over.
        deadline = time.monotonic() + 10
        now = Holdings.of(server.pid)
        while now.descriptors > early.descriptors and time.monotonic() < deadline:
            time.sleep(0.1)
            now = Holdings.of(server.pid)
        self.assertLessEqual(now.descriptors, early.descriptors)
        self.assertLess(now.resident_kib, early.resident_kib + GROWTH_KIB)


@needs_libfabric
class Hundred(ManyRuns):
    def test_over_tcp(self) -> None:
        self.runs(TRANSPORTS[0], 100)

    def test_over_shm(self) -> None:
        self.runs(TRANSPORTS[1], 100)


@needs_libfabric
class LongThousand(ManyRuns):
    def test_over_tcp(self) -> None:
        self.runs(TRANSPORTS[0], 1000)

    def test_over_shm(self) -> None:
        self.runs(TRANSPORTS[1], 1000)


if __name__ == "__main__":
    main()
