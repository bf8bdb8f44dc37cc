"""The figures of cases as lines over the size of the messages: one for each transport, file and figure."""

from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Callable, Optional

from figures.results import Result, grade_of, size_labels, source_of, why_not_measured

# A figure's {value, low, high}; null where there is none.
Estimate = Optional[dict[str, Any]]


@dataclass
class Point:
    size: int
    value: float
    interval: Optional[tuple[float, float]]
    doubtful: bool  # of grade C: no verdict may rest on it


@dataclass
class Line:
    source: str  # the transport, with its file where there are several
    figure: str
    points: list[Point] = field(default_factory=list)
    missing: dict[int, str] = field(default_factory=dict)  # sizes without a point, and why

    def add(self, case: dict[str, Any], estimate: Estimate, scale: float, why_null: str) -> None:
        size = case["size_bytes"]
        why = why_not_measured(case)
        if why or estimate is None:
            self.missing[size] = why or why_null
            return
        low, high = estimate["low"], estimate["high"]
        interval = None if None in (low, high) else (low * scale, high * scale)
        value = estimate["value"] * scale
        self.points.append(Point(size, value, interval, grade_of(case) == "C"))

    def drop_what_has_no_logarithm(self) -> None:
        for point in self.points:
            if point.value <= 0:
                self.missing[point.size] = "zero has no place on a logarithmic axis"
        self.points = [point for point in self.points if point.value > 0]

    def stretches(self) -> list[list[Point]]:
        """The points between which nothing is missing, by size."""
        at = {point.size: point for point in self.points}
        sizes = sorted({*at, *self.missing})
        return [
            [at[size] for size in run] for there, run in groupby(sizes, at.__contains__) if there
        ]


def collect(
    results: list[Result],
    figures_of: Callable[[dict[str, Any]], dict[str, Estimate]],
    scale: float,
    why_null: str,
) -> list[Line]:
    """`figures_of` gives a case's figures by name, none for a case of another test; `scale` multiplies them."""
    lines: dict[tuple[str, str], Line] = {}
    for result in results:
        for case in result.data["cases"]:
            source = source_of(results, result, case["transport"])
            for figure, estimate in figures_of(case).items():
                line = lines.setdefault((source, figure), Line(source, figure))
                line.add(case, estimate, scale, why_null)
    return list(lines.values())


def name_of(line: Line, lines: list[Line]) -> str:
    """With its figure's name where the lines have several."""
    several = len({other.figure for other in lines}) > 1
    return f"{line.source} {line.figure}" if several else line.source


def places(sizes_of: dict[str, str], lines: int) -> str:
    """By line, or once where all lines share them."""
    if len(sizes_of) == lines > 1 and len(set(sizes_of.values())) == 1:
        return "all at " + next(iter(sizes_of.values()))
    return "; ".join(f"{name} at {sizes}" for name, sizes in sizes_of.items())


def notes_of(lines: list[Line]) -> list[str]:
    """What is not in the figure, by reason; what is, but should not be leant on."""
    absent: dict[str, dict[str, str]] = {}
    for line in lines:
        for why in dict.fromkeys(line.missing.values()):
            sizes = [size for size in line.missing if line.missing[size] == why]
            whole = len(sizes) > 1 and len(sizes) == len(line.missing) and not line.points
            where = "every size" if whole else size_labels(sizes)
            absent.setdefault(why, {})[name_of(line, lines)] = where
    notes = [f"not drawn, {why}: {places(where, len(lines))}" for why, where in absent.items()]
    doubtful = {
        name_of(line, lines): size_labels(point.size for point in line.points if point.doubtful)
        for line in lines
        if any(point.doubtful for point in line.points)
    }
    if doubtful:
        where = places(doubtful, len(lines))
        notes.append(f"hollow, grade C, no verdict may rest on it: {where}")
    return notes
