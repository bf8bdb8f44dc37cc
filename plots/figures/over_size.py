"""Lines with interval bands over the size of the messages."""

import math
from itertools import groupby
from typing import Any

from figures.lines import Line, Point, name_of, notes_of
from figures.results import Fault, Result, intervals_of, origins_of, size_label, sources_of
from figures.sheet import Sheet, legend_label, look_of

MOST_LABELS = 20  # as many as stand side by side


class SizeAxis:
    """Logarithmic; messages of no bytes stand left of the scale."""

    def __init__(self, sizes: set[int]) -> None:
        self.sizes = sorted(sizes)
        others = [size for size in self.sizes if size > 0]
        self.zero_at = others[0] / 4 if others else 1

    def place(self, size: int) -> float:
        return size if size > 0 else self.zero_at

    def labelled(self) -> list[int]:
        """As many as fit, from the largest down."""
        octave = [math.log2(self.place(size)) for size in self.sizes]
        least = (octave[-1] - octave[0]) / MOST_LABELS
        chosen = [self.sizes[-1]]
        for size, at in zip(self.sizes[-2::-1], octave[-2::-1]):
            if math.log2(self.place(chosen[-1])) - at >= least:
                chosen.append(size)
        return chosen

    def draw(self, axes: Any) -> None:
        ticks = self.labelled()
        axes.set_xscale("log", base=2)
        axes.set_xticks([self.place(size) for size in ticks], [size_label(size) for size in ticks])
        rest = [self.place(size) for size in self.sizes if size not in ticks]
        axes.set_xticks(rest, [""] * len(rest), minor=True)
        first, last = self.place(self.sizes[0]), self.place(self.sizes[-1])
        room = (last / first) ** 0.03 if last > first else 2
        axes.set_xlim(first / room, last * room)
        zero = "; 0 stands left of the scale" if 0 in self.sizes else ""
        axes.set_xlabel(f"message size (bytes, K = 1024{zero})")


def show_at_least_twofold(axes: Any) -> None:
    """Less would show noise as large as the axis."""
    low, high = axes.get_ylim()
    if high < 2 * low:
        middle = math.sqrt(low * high)
        axes.set_ylim(middle / math.sqrt(2), middle * math.sqrt(2))


def draw_bands(axes: Any, axis: SizeAxis, stretch: list[Point], colour: str) -> None:
    """A band needs two neighbours with intervals; one alone gets an error bar."""
    for known, run in groupby(stretch, lambda point: point.interval is not None):
        points = list(run)
        if not known:
            continue
        places = [axis.place(point.size) for point in points]
        lows, highs = zip(*(point.interval for point in points if point.interval))
        if len(points) > 1:
            axes.fill_between(places, lows, highs, color=colour, alpha=0.2, linewidth=0)
            for edge in (lows, highs):  # which overlapping bands hide from each other
                axes.plot(places, edge, color=colour, alpha=0.5, linewidth=0.5)
        else:
            axes.vlines(places, lows, highs, color=colour, linewidth=1)
            axes.plot(places * 2, [*lows, *highs], "_", color=colour, markersize=7)


def draw_line(axes: Any, axis: SizeAxis, line: Line, name: str, look: dict[str, Any]) -> None:
    colour = look["color"]
    for stretch in line.stretches():
        places = [axis.place(point.size) for point in stretch]
        values = [point.value for point in stretch]
        axes.plot(places, values, **{**look, "marker": ""})
        for point in stretch:
            fill = "white" if point.doubtful else colour
            dot = {**look, "markerfacecolor": fill, "linestyle": ""}
            axes.plot([axis.place(point.size)], [point.value], **dot)
        draw_bands(axes, axis, stretch, colour)
    axes.plot([], [], label=legend_label(name), **look)


def looks_of(results: list[Result], lines: list[Line]) -> list[dict[str, Any]]:
    """Dashes tell figures apart, or sources where there is one figure."""
    sources = sources_of(results)
    figures = list(dict.fromkeys(line.figure for line in lines))
    looks = []
    for line in lines:
        dash = figures.index(line.figure) if len(figures) > 1 else None
        looks.append(look_of(sources.index(line.source), dash))
    return looks


def draw(
    results: list[Result], lines: list[Line], title: str, y_label: str, linear: bool = False
) -> tuple[Sheet, list[Line]]:
    """The sheet, and the lines that are in it."""
    if not linear:
        for line in lines:
            line.drop_what_has_no_logarithm()
    shown = [line for line in lines if line.points]
    notes = notes_of(lines)
    if not shown:
        raise Fault("; ".join(["nothing to draw"] + notes))
    sheet = Sheet(title, origins_of(results))
    sheet.origins.append("bands: " + intervals_of(results))
    sheet.notes += notes
    axes = sheet.panels[0]
    axis = SizeAxis({point.size for line in shown for point in line.points})
    for line, look in zip(shown, looks_of(results, shown)):
        draw_line(axes, axis, line, name_of(line, lines), look)
    axis.draw(axes)
    if linear:
        axes.set_ylim(bottom=0)
    else:
        axes.set_yscale("log")
        show_at_least_twofold(axes)
        sheet.write_out(axes.yaxis)
    axes.set_ylabel(y_label)
    sheet.legend(axes)
    return sheet, shown
