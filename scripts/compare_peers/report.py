"""The table, the notes below it, and the JSON file."""

import json
from dataclasses import asdict
from statistics import median
from typing import Any, Iterator, Sequence

from compare_peers.rounds import Comparison, coverage, ratio_of

COLUMNS = "{:<14} {:>8} {:<9} {:<22} {:>9} {:>9} {:<5} {:>6} {:>16} {:>6} {:>6}"


def size_text(size: int) -> str:
    for unit, factor in (("M", 1 << 20), ("K", 1 << 10)):
        if size and size % factor == 0:
            return f"{size // factor}{unit}"
    return str(size)


def row(comparison: Comparison) -> str:
    figure, pairs = comparison.peer.figure, comparison.pairs
    ratio = ratio_of(comparison)
    cells = ["n/a"] * 5
    if ratio is not None:
        values = [median(side) / figure.scale for side in zip(*pairs)]
        cells = [f"{value:.4g}" for value in values]
        cells += [f"{ratio.median:.3f}", f"[{ratio.low:.3f},{ratio.high:.3f}]", f"{ratio.best:.3f}"]
    setting = comparison.setting
    start = [setting.provider, size_text(setting.size), figure.column()]
    rounds = f"{len(pairs)}/{len(pairs) + len(comparison.dropped)}"
    return COLUMNS.format(*start, comparison.peer.name, *cells[:2], figure.unit, *cells[2:], rounds)


def notes(comparisons: Sequence[Comparison]) -> Iterator[str]:
    yield "ours/theirs: RTT below 1 and stream above 1 mean that pairbench is ahead"
    yield "ours, theirs: medians over rounds; best: our best round against their best"
    dropped = max(len(comparison.dropped) for comparison in comparisons)
    if dropped:
        yield (
            f"rounds are dropped (up to {dropped} here) when an in-process ping-pong before and "
            "after differs by more than --drift: the machine was busy"
        )
    for count in sorted({len(comparison.pairs) for comparison in comparisons} - {0}):
        kind = "order statistics" if count >= 6 else "minimum to maximum, less than 95 %"
        yield f"interval of the median ratio, {count} kept: {kind}, covers {coverage(count):.1%}"
    seen = {(c.peer.name, c.peer.figure.name): c.peer.note for c in comparisons}
    for (peer, figure), note in seen.items():
        yield f"{peer}, {figure}: {note}"


def table(comparisons: Sequence[Comparison]) -> str:
    head = COLUMNS.format(
        *("# provider", "size", "figure", "peer", "ours", "theirs", "unit", "ratio"),
        *("[interval]", "best", "rounds"),
    )
    lines = [head, *map(row, comparisons), *(f"# {note}" for note in notes(comparisons))]
    return "\n".join(lines)


def as_json(comparisons: Sequence[Comparison]) -> str:
    def figures(pairs: Sequence[tuple[float, float]]) -> list[dict[str, float]]:
        return [{"ours": ours, "theirs": theirs} for ours, theirs in pairs]

    def entry(comparison: Comparison) -> dict[str, Any]:
        ratio = ratio_of(comparison)
        setting = asdict(comparison.setting)
        return {
            "peer": comparison.peer.name,
            "figure": comparison.peer.figure.name,
            "setting": setting,
            "rounds": figures(comparison.pairs),
            "dropped_rounds": figures(comparison.dropped),
            "ratio": None if ratio is None else asdict(ratio),
            "failure": comparison.failure,
        }

    return json.dumps({"comparisons": [entry(c) for c in comparisons]}, indent=2) + "\n"
