"""The stored histograms of round trips, merged over repeats."""

from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Optional

from figures.results import Fault


OCTAVES = 64  # of what 63 bits hold, the exact ones included


def lower_edge_ps(index: int, precision_bits: int) -> int:
    """Where bucket `index` begins: results/README.md, `rtt_histogram`."""
    octave, rest = index >> precision_bits, index & ((1 << precision_bits) - 1)
    return index if octave == 0 else ((1 << precision_bits) + rest) << (octave - 1)


@dataclass
class Histogram:
    """Round trips by the lower edge of their bucket, in picoseconds; the extremes are exact."""

    counts: dict[int, int] = field(default_factory=dict)
    min_ps: Optional[int] = None
    max_ps: Optional[int] = None
    repeats: int = 0

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def add(self, stored: Optional[dict[str, Any]]) -> None:
        """One repeat's; null and empty ones add nothing."""
        if not stored or not stored["count"]:
            return
        if len(stored["index"]) != len(stored["count"]):
            raise Fault("a stored histogram has not as many indices as counts")
        if max(stored["index"]) >> stored["precision_bits"] >= OCTAVES:
            raise Fault(f"a stored histogram has a bucket {max(stored['index'])}, beyond any time")
        for index, count in zip(stored["index"], stored["count"]):
            edge = lower_edge_ps(index, stored["precision_bits"])
            self.counts[edge] = self.counts.get(edge, 0) + count
        low, high = stored["min_ps"], stored["max_ps"]
        self.min_ps = low if self.min_ps is None else min(self.min_ps, low)
        self.max_ps = high if self.max_ps is None else max(self.max_ps, high)
        self.repeats += 1

    def survival(self) -> list[tuple[int, int]]:
        """(t in ps, how many round trips took t or longer), by time, from the minimum to the maximum."""
        if self.min_ps is None or self.max_ps is None:
            return []
        edges, total = sorted(self.counts), self.total
        before = accumulate((self.counts[edge] for edge in edges[:-1]), initial=0)
        points = [(max(edge, self.min_ps), total - n) for edge, n in zip(edges, before)]
        return points + [(self.max_ps, 1)]
