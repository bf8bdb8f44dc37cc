"""What a soak says at its end: good only where something was run and nothing was wrong."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from soaking.tally import WRONG, Tally, table, verdict  # noqa: E402


def good() -> Tally:
    return Tally(runs=3, faults=2, strangers=7, repeats=90)


class Verdict(unittest.TestCase):
    def test_good(self) -> None:
        said = verdict([good(), good()])
        self.assertTrue(said.startswith("good: 6 runs, 4 faults injected, hangs 0, losses 0, "))
        self.assertIn("restarts 0", said)

    def test_each_count_alone_is_not_good(self) -> None:
        for name in WRONG:
            with self.subTest(count=name):
                bad = good()
                setattr(bad, name, 1)
                self.assertFalse(bad.good())
                said = verdict([good(), bad])
                self.assertTrue(said.startswith("NOT GOOD: "), said)
                self.assertIn(f"{name} 1", said)

    def test_nothing_done_is_not_good(self) -> None:
        nothing: list[list[Tally]] = [[], [Tally()], [good(), Tally(runs=1)]]
        for tallies in nothing:
            self.assertTrue(verdict(tallies).startswith("NOT GOOD: "))

    def test_an_interrupted_one_is_not_good(self) -> None:
        self.assertTrue(verdict([good()], whole=False).startswith("INTERRUPTED: 3 runs, "))

    def test_the_table_has_every_count_of_every_transport(self) -> None:
        lines = table(["libfabric:tcp", "libfabric:shm"], [good(), Tally(runs=5)]).splitlines()
        self.assertEqual(lines[0].split(), ["libfabric:tcp", "libfabric:shm"])
        self.assertEqual(lines[1].split(), ["runs", "3", "5"])
        named = {line.split()[0] for line in lines[1:]}
        self.assertTrue(named.issuperset(WRONG))


if __name__ == "__main__":
    unittest.main()
