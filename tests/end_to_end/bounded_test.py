"""However much is measured, memory stays bounded, and what was measured can be looked at."""

import resource
import time
from typing import Any

from support import TestCase, main

MEGABYTE = 1 << 10  # of the kilobytes that getrusage counts


class Bounded(TestCase):
    def measure_to_file(self, *options: str, within: float = 170) -> Any:
        done = self.run_pairbench(
            "local", "-t", "inproc", *options, "-q", "--out", "r.json", within=within
        )
        self.assertEqual(done.status, 0, done.err)
        return self.document((self.folder / "r.json").read_text())

    def assert_peak_below(self, megabytes: int) -> None:
        """Of the largest process that this test has waited for."""
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(peak / MEGABYTE, megabytes)


class Sweep(Bounded):
    SIZES = 2000

    def test_of_two_thousand_sizes_is_shown_at_once(self) -> None:
        sizes = ("--sizes", f"1:{self.SIZES}:+1", "--test", "pingpong")
        amount = ("--iters", "100", "--warmup", "1", "--repeats", "1")
        self.measure_to_file(*sizes, *amount)
        began = time.monotonic()
        shown = self.run_pairbench("show", "r.json")
        self.assertLess(time.monotonic() - began, 2)
        rows = [line for line in shown.out.splitlines() if not line.startswith("#")]
        self.assertEqual(len(rows), self.SIZES)
        self.assert_peak_below(300)


class LongCase(Bounded):
    def test_of_messages_in_one_case(self) -> None:
        count = 1_000_000_000
        amount = ("--iters", str(count), "--warmup", "1", "--repeats", "1")
        document = self.measure_to_file("--test", "stream", "--sizes", "8", *amount, within=3000)
        [case] = document["cases"]
        self.assertEqual(case["repeats"][0]["initiator"]["messages_sent"], count + 1)
        self.assertEqual(case["repeats"][0]["responder"]["messages_received"], count + 1)
        self.assert_peak_below(300)

    def test_of_round_trips_in_one_case(self) -> None:
        count = 100_000_000
        amount = ("--iters", str(count), "--warmup", "1", "--repeats", "1")
        document = self.measure_to_file("--test", "pingpong", "--sizes", "8", *amount, within=3000)
        self.assertEqual(document["cases"][0]["repeats"][0]["rtt_ns"]["count"], count)
        self.assert_peak_below(300)


if __name__ == "__main__":
    main()
