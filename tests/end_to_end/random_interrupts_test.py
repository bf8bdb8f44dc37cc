"""INT, TERM and HUP at 200 random moments of a run."""

import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import PATIENCE, TestCase, main

SEED = 1
TIMES = 200
AT_ONCE = 4
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LATEST = 0.3
ENDS_WITHIN = 30.0
OLD = '{"an": "older result"}\n'
# Of short repeats, so that signals meet many that are finished.
AMOUNT = ("--iters", "100", "--warmup", "10", "--repeats", "1000", "--clock", "raw")
ENDLESS = ("local", "-t", "inproc", "--sizes", "8,64", *AMOUNT)


class WhileLibrariesAreLoaded(TestCase):
    def test_no_handler_of_theirs_gets_a_signal(self) -> None:
        """One of them ends the process with status 1."""
        chance = random.Random(SEED)
        for _ in range(60):
            run = self.start(*ENDLESS, "-q", "--no-save")
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
        run = self.start(*ENDLESS, "-q", "--force", "--out", str(file))
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

    def is_new(self, file: Path) -> bool:
        """The old file, or a document of what was finished that says that it is not complete."""
        text = file.read_text()
        if text == OLD:
            return False
        document = self.document(text)
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
        moments = [(chance.choice(SIGNALS), chance.uniform(0, LATEST)) for _ in range(TIMES)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            runs = [pool.submit(self.interrupt, nth, *moment) for nth, moment in enumerate(moments)]
            files = [run.result() for run in runs]
        new = sum(self.is_new(file) for file in files)
        self.assertGreaterEqual(new, TIMES // 2)
        print(f"{TIMES} interrupts, {new} new files")


if __name__ == "__main__":
    main()
