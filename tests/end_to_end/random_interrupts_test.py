"""INT, TERM and HUP at 200 random moments of a run."""

import json
import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import PATIENCE, TestCase, main, why_not

SEED = 1
TIMES = 200
AT_ONCE = 4
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Seconds after the start, and after the first result.
LATEST = (0.15, 0.08)
ENDS_WITHIN = 30.0
OLD = '{"an": "older result"}\n'
# Of short repeats, so that signals meet many that are finished.
AMOUNT = ("--iters", "100", "--warmup", "10", "--repeats", "1000", "--clock", "raw")
ENDLESS = ("local", "--sizes", "8,64", *AMOUNT)
# Both ends of a run take turns on one CPU: those that run at once do not keep each other waiting.
CPUS = sorted(os.sched_getaffinity(0))
# Another transport now and then: two processes, and libraries that take long to open.
OTHERS = [name for name in ("libfabric:tcp", "libfabric:shm") if not why_not(name)]
OTHER_EVERY = 20
SCHEMA_EVERY = 20


def endless(nth: int, transport: str = "inproc") -> tuple[str, ...]:
    cpu = CPUS[nth % len(CPUS)]
    return (*ENDLESS, "-t", transport, "--completion", "yield", "--cpu", f"{cpu},{cpu}", "-q")


def transport_of(nth: int) -> str:
    turn, left = divmod(nth, OTHER_EVERY)
    # Early and late signals alike.
    return OTHERS[turn // 2 % len(OTHERS)] if OTHERS and left == turn % 2 else "inproc"


class WhileLibrariesAreLoaded(TestCase):
    def test_no_handler_of_theirs_gets_a_signal(self) -> None:
        """One of them ends the process with status 1."""
        chance = random.Random(SEED)
        for nth in range(60):
            run = self.start(*endless(nth), "--no-save")
            time.sleep(chance.uniform(0, 0.03))
            number = chance.choice(SIGNALS)
            run.signal(number)
            self.assertIn(run.finish(ENDS_WITHIN).status, (128 + number, -number))


class RandomInterrupts(TestCase):
    def await_repeat(self, partial: Path) -> None:
        """Until the first finished repeat is kept, below the line with which the file begins."""
        deadline = time.monotonic() + PATIENCE
        while not partial.exists() or partial.read_bytes().count(b"\n") < 2:
            self.assertLess(time.monotonic(), deadline, partial)
            time.sleep(0.005)

    def interrupt(self, nth: int, number: int, delay: float) -> Path:
        """The file after a signal so long after a run was started or, every other time, had a result."""
        folder = self.folder / str(nth)
        folder.mkdir()
        file = folder / "r.json"
        file.write_text(OLD)
        run = self.start(*endless(nth, transport_of(nth)), "--force", "--out", str(file))
        if nth % 2 == 0:
            self.await_repeat(folder / "r.json.partial")
        time.sleep(delay)
        run.signal(number)
        done = run.finish(ENDS_WITHIN)
        # Before it has taken them in hand they end it as they end any process.
        self.assertIn(done.status, (128 + number, -number), done)
        if done.status < 0:
            self.assertEqual(done.err, "")
            self.assertEqual(file.read_text(), OLD)
        return file

    def is_new(self, nth: int, file: Path) -> bool:
        """The old file, or a document of what was finished that says that it is not complete."""
        text = file.read_text()
        if text == OLD:
            return False
        # The schema costs more than the run: some are held against it, all have to be documents.
        document = self.document(text) if nth % SCHEMA_EVERY < 2 else json.loads(text)
        run = document["run"]
        self.assertFalse(run["complete"])
        self.assertEqual(run["failure"]["message"], "interrupted")
        counts = [len(case["repeats"]) for case in document["cases"]]
        self.assertEqual(len(counts), 4)
        self.assertGreater(sum(counts), 0)
        # Cases take turns, so none is more than a repeat ahead of another.
        self.assertLessEqual(max(counts) - min(counts), 1, counts)
        self.assertEqual([path.name for path in file.parent.iterdir()], ["r.json"])
        return True

    def test_leave_the_old_file_or_all_that_was_finished(self) -> None:
        chance = random.Random(SEED)
        moments = [
            (chance.choice(SIGNALS), chance.uniform(0, LATEST[nth % 2 == 0]))
            for nth in range(TIMES)
        ]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            runs = [pool.submit(self.interrupt, nth, *moment) for nth, moment in enumerate(moments)]
            files = [run.result() for run in runs]
        new = sum(self.is_new(nth, file) for nth, file in enumerate(files))
        self.assertGreaterEqual(new, TIMES // 2)
        print(f"{TIMES} interrupts, {new} new files")


if __name__ == "__main__":
    main()
