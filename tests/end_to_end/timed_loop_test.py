"""Between the first and the last stamp of a ping-pong there is no system call and no allocation that grows with
the number of messages.

An allocation that grows shows as a system call (brk, mmap) or as page faults. Threads that help sleep meanwhile.
"""

import os
import re
import shutil
import time
from pathlib import Path
from typing import NamedTuple

from support import TestCase, main

FEW, MANY = 20_000, 400_000
# Traced, each of them stops the process twice.
FEW_YIELDS, MANY_YIELDS = 2_000, 10_000
# A block keeps its raw samples in memory that is there before the first stamp; more samples need more pages.
# What else may differ is the scheduling of two runs: waits of the control threads, heartbeats.
NOISE = 400
SLEEPS = re.compile(r"^voluntary_ctxt_switches:\s+(\d+)$", re.MULTILINE)
SETTLES, LOOKS = 1.5, 2.0  # seconds
CALL = re.compile(r"^ *[\d.]+ +[\d.]+ +\d+ +(\d+)(?: +\d+)? +(\S+)$", re.MULTILINE)


class TimedLoop(TestCase):
    def setUp(self) -> None:
        super().setUp()
        if not shutil.which("strace"):
            self.skipTest("there is no strace")

    def system_calls(self, iterations: int, *options: str) -> dict[str, int]:
        trace = self.folder / f"{iterations}.txt"
        strace = ("strace", "-f", "-c", "-o", str(trace))
        amount = ("--iters", str(iterations), "--warmup", "64", "--repeats", "1", "--sizes", "8")
        command = ("local", "-t", "inproc", "--test", "pingpong", *amount, *options)
        done = self.run_pairbench(*command, "--no-save", "-q", below=strace)
        if "ptrace" in done.err:
            self.skipTest(f"strace is not allowed here: {done.err.splitlines()[0]}")
        self.assertEqual(done.status, 0, done)
        return {name: int(count) for count, name in CALL.findall(trace.read_text())}

    def growth(self, fewer: int, more: int, *options: str) -> dict[str, int]:
        few = self.system_calls(fewer, *options)
        many = self.system_calls(more, *options)
        self.assertGreater(sum(few.values()), 100)
        return {name: many[name] - few.get(name, 0) for name in many if name != "total"}

    def test_system_calls_do_not_grow_with_the_messages(self) -> None:
        grown = self.growth(FEW, MANY)
        self.assertLess(max(grown.values()), NOISE, grown)

    def test_yielding_shows_that_they_would_be_seen(self) -> None:
        """The same measurement finds the system call that `--completion yield` makes on every wait."""
        grown = self.growth(FEW_YIELDS, MANY_YIELDS, "--completion", "yield")
        self.assertGreater(grown["sched_yield"], NOISE)


class Thread(NamedTuple):
    sleeps: int
    ticks: int  # of processor time


def threads_of(pid: int) -> dict[str, Thread]:
    found = {}
    for folder in Path(f"/proc/{pid}/task").iterdir():
        sleeps = SLEEPS.search((folder / "status").read_text())
        times = (folder / "stat").read_text().rpartition(")")[2].split()[11:13]
        assert sleeps
        found[folder.name] = Thread(int(sleeps[1]), sum(map(int, times)))
    return found


class HelperThreads(TestCase):
    def test_none_wakes_up_now_and_then(self) -> None:
        """Each time would be a disturbance of what is measured. Those that measure sleep between blocks."""
        amount = ("--iters", "40000000", "--warmup", "64", "--repeats", "1", "--sizes", "8")
        run = self.start("local", "-t", "inproc", "--test", "pingpong", *amount, "--no-save", "-q")
        time.sleep(SETTLES)
        before = threads_of(run.pid)
        time.sleep(LOOKS)
        self.assertTrue(run.is_running(), run.describe())
        after = threads_of(run.pid)
        measuring = LOOKS * os.sysconf("SC_CLK_TCK") / 10
        helpers = [t for t in after if after[t].ticks - before[t].ticks < measuring]
        more = {t: after[t].sleeps - before[t].sleeps for t in helpers}
        self.assertTrue(more)
        # ThreadSanitizer has a thread that wakes up ten times a second.
        self.assertLess(max(more.values()), 15 * LOOKS, more)


if __name__ == "__main__":
    main()
