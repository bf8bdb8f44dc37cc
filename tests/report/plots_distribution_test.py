"""plots/distribution draws the stored histograms, all repeats merged."""

import unittest
from typing import Any

from plots_case import PRODUCED, PlotsCase, produced

from figures import distribution
from figures.histogram import Histogram, lower_edge_ps
from figures.results import Fault, read


def stored(index: list[int], count: list[int], low: int, high: int) -> dict[str, Any]:
    extremes = {"min_ps": low, "max_ps": high}
    return {**extremes, "precision_bits": 7, "index": index, "count": count}


class Histograms(unittest.TestCase):
    def test_buckets_begin_where_the_format_says(self) -> None:
        # Below 2^7 a bucket is a picosecond; every octave above has 2^7 of equal width.
        edges = {
            0: 0,
            127: 127,
            128: 128,
            255: 255,
            256: 256,
            257: 258,
            383: 510,
            384: 512,
            385: 516,
        }
        self.assertEqual({index: lower_edge_ps(index, 7) for index in edges}, edges)

    def test_what_no_run_writes_is_refused(self) -> None:
        for index, count in (([1 << 60], [1]), ([1, 2], [1])):
            with self.assertRaises(Fault):
                Histogram().add(stored(index, count, 1, 2))

    def test_repeats_are_added_up(self) -> None:
        histogram = Histogram()
        histogram.add(stored([10, 300], [5, 1], 10, 345))
        histogram.add(None)
        histogram.add(stored([], [], 0, 0))
        histogram.add(stored([9, 10], [1, 3], 9, 10))
        self.assertEqual(histogram.total, 10)
        self.assertEqual(
            histogram.survival(), [(9, 10), (10, 9), (lower_edge_ps(300, 7), 1), (345, 1)]
        )

    def test_a_lone_round_trip_has_its_exact_time(self) -> None:
        histogram = Histogram()
        histogram.add(stored([300], [1], 345, 345))
        self.assertEqual(histogram.survival(), [(345, 1), (345, 1)])


class Distribution(PlotsCase):
    def test_curve_and_marks(self) -> None:
        histogram = Histogram()
        histogram.add(stored([10, 20], [900, 100], 10, 20))
        curve = distribution.curve_of(histogram)
        short, long = 10 * distribution.US_PER_PS, 20 * distribution.US_PER_PS
        self.assertEqual(curve, [(short, 1), (long, 0.1), (long, 0.001)])
        marks = [(short, 0.5), (long, 0.1), (long, 0.01), (long, 0.001)]
        self.assertEqual(distribution.marks_of(curve, 0.01), marks)
        few = ([(short, 1), (long, 0.1), (long, 0.01)], [(long, 0.01), (long, 0.001)])
        self.assertEqual(distribution.divided(curve, 0.01), few)

    def test_counts_and_quantiles_are_in_the_figure(self) -> None:
        self.draw("distribution", ".svg", str(PRODUCED / "two_transports.json"), "--size", "8")
        text = self.text_of_svg()
        labels = ("old, 9,000 round trips", "p99.9", "round trip (RTT), µs")
        for label in (*labels, "share that took this long or longer"):
            self.assertIn(f"<!-- {label} -->", text)

    def test_the_smallest_size_is_drawn_unless_another_is_named(self) -> None:
        results = read([PRODUCED / "two_hosts.json"])
        self.assertIn("8 bytes", distribution.draw(results).title)
        self.assertIn("64K bytes", distribution.draw(results, 65536).title)

    def test_what_is_missing_is_said(self) -> None:
        document = produced("two_transports.json")
        case = document["cases"][1]
        for why in ("failed", "no such case", "nothing above zero is stored"):
            changed: dict[str, Any] = {**case, "repeats": []}
            if why == "failed":
                changed = {**case, "status": "failed", "reason": None}
            cases = [document["cases"][0]] + ([changed] if why != "no such case" else [])
            path = self.write("r.json", {**document, "cases": cases})
            said = self.draw("distribution", ".png", str(path))
            self.assertEqual(said, f"not drawn, {why}: {case['transport']}\n")

    def test_other_sizes_and_tests_are_refused_with_what_there_is(self) -> None:
        file = str(PRODUCED / "two_hosts.json")
        said = self.refused("distribution", file, "--size", "4K")
        self.assertIn("no distribution at 4K; there is one at 8, 64K", said)
        said = self.refused("distribution", file, "--test", "stream")
        self.assertIn("the results store no distribution of stream cases", said)


if __name__ == "__main__":
    unittest.main()
