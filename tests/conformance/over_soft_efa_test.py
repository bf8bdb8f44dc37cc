#!/usr/bin/python3
"""The suite over libfabric's efa provider, on soft EFA devices, with and without their faults."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for folder in ("soft_efa", "end_to_end"):
    sys.path.insert(0, str(ROOT / "tests" / folder))
from soft_efa import Host, lacks_efa_direct  # noqa: E402
from support import main  # noqa: E402

CONFORMANCE = os.environ.get(
    "CONFORMANCE", str(ROOT / "build/release/tests/conformance/conformance_test")
)
PATIENCE = 280
COUNTERS = "requests_sent messages_received reads_served delayed not_ready overruns".split()


class OverSoftEfa(unittest.TestCase):
    def keeps_the_contract(self, transport: str, **settings: object) -> dict[str, int]:
        """Every test of the suite runs, none is skipped, and the devices carried the messages.

        What those counted. Skips where libfabric is too old for the transport.
        """
        with tempfile.TemporaryDirectory(prefix="soft-efa-") as folder:
            host = Host(Path(folder), "a", **settings)
            done = subprocess.run(
                [CONFORMANCE, f"--gtest_filter=*/{transport}", "--gtest_brief=1"],
                env={**os.environ, **host.environment},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=PATIENCE,
            )
            if reason := lacks_efa_direct(done.stdout):
                self.skipTest(reason)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertRegex(done.stdout, r"\[  PASSED  \] 1\d tests")
            self.assertNotIn("SKIPPED", done.stdout)
            counted = {name: host.counted(name) for name in COUNTERS}
        print(counted, file=sys.stderr)
        self.assertGreater(counted["messages_received"], 5000)
        self.assertEqual(counted["overruns"], 0)
        return counted

    def strikes(self, transport: str) -> None:
        counted = self.keeps_the_contract(transport, REORDER=30, RNR=10)
        self.assertGreater(counted["delayed"], 1000)
        self.assertGreater(counted["not_ready"], 500)


class Efa(OverSoftEfa):
    def test_without_faults(self) -> None:
        self.assertGreater(self.keeps_the_contract("libfabric_efa")["reads_served"], 0)

    def test_without_reads(self) -> None:
        self.assertEqual(self.keeps_the_contract("libfabric_efa", RDMA="none")["reads_served"], 0)

    def test_reordered_and_not_ready(self) -> None:
        self.strikes("libfabric_efa")

    def test_send_queues_that_fill(self) -> None:
        self.keeps_the_contract("libfabric_efa", SEND_QUEUE=64, HOLD_US=1000)


class EfaDirect(OverSoftEfa):
    def test_without_faults(self) -> None:
        self.assertEqual(self.keeps_the_contract("libfabric_efa_direct")["reads_served"], 0)

    def test_reordered_and_not_ready(self) -> None:
        self.strikes("libfabric_efa_direct")

    def test_send_queues_that_fill(self) -> None:
        self.keeps_the_contract("libfabric_efa_direct", SEND_QUEUE=64, HOLD_US=1000)


if __name__ == "__main__":
    main()
