"""Rounds of measuring in alternation, and what they come to."""

import math
import sys
from dataclasses import dataclass, field
from statistics import median
from typing import Sequence

from compare_peers.peers import Peer, Setting, inproc_median
from compare_peers.processes import Failure


@dataclass
class Comparison:
    """One peer in one setting."""

    peer: Peer
    path: str
    setting: Setting
    pairs: list[tuple[float, float]] = field(default_factory=list)  # ours, theirs; by kept round
    dropped: list[tuple[float, float]] = field(default_factory=list)
    failure: str | None = None

    def measure(self, ours_first: bool) -> tuple[float, float] | None:
        if self.failure is not None:
            return None
        try:
            if ours_first:
                ours = self.peer.figure.measure(self.setting)
                return ours, self.peer.measure(self.path, self.setting)
            theirs = self.peer.measure(self.path, self.setting)
            return self.peer.figure.measure(self.setting), theirs
        except Failure as failure:
            self.failure = str(failure)
            print(f"error: {self.title()}: {failure}", file=sys.stderr)
            return None

    def title(self) -> str:
        return f"{self.setting.provider}, {self.setting.size} bytes, {self.peer.program}"

    def ratios(self) -> list[float]:
        return [ours / theirs for ours, theirs in self.pairs]

    def best_ratio(self) -> float:
        ours = [pair[0] for pair in self.pairs]
        theirs = [pair[1] for pair in self.pairs]
        if self.peer.figure.higher_is_better:
            return max(ours) / max(theirs)
        return min(ours) / min(theirs)


def run_round(comparisons: Sequence[Comparison], number: int, largest_drift: float) -> None:
    """All comparisons of one setting, between two looks at the machine itself: it does not count if
    the second differs from the first by more than `largest_drift`."""
    before = inproc_median(comparisons[0].setting)
    measured = [comparison.measure(ours_first=number % 2 == 0) for comparison in comparisons]
    after = inproc_median(comparisons[0].setting)
    steady = abs(after / before - 1) <= largest_drift
    for comparison, pair in zip(comparisons, measured):
        if pair is not None:
            (comparison.pairs if steady else comparison.dropped).append(pair)


def probability(count: int, below: int) -> float:
    """That so many of `count` values are below the median."""
    return math.comb(count, below) * 0.5**count


def interval_rank(count: int) -> int:
    """The largest k for which [x(k), x(count + 1 - k)] covers the median with 95 % or more (by the
    binomial distribution); 1, so minimum to maximum, where none does."""
    below = 0.0
    rank = 0
    while rank < count // 2:
        below += probability(count, rank)  # of at most `rank` of them
        if below > 0.025:
            break
        rank += 1
    return max(rank, 1)


def coverage(count: int) -> float:
    rank = interval_rank(count)
    return 1 - 2 * sum(probability(count, below) for below in range(rank))


@dataclass(frozen=True)
class Ratio:
    median: float
    low: float
    high: float
    best: float


def ratio_of(comparison: Comparison) -> Ratio | None:
    ratios = sorted(comparison.ratios())
    if not ratios:
        return None
    rank = interval_rank(len(ratios))
    return Ratio(median(ratios), ratios[rank - 1], ratios[-rank], comparison.best_ratio())
