"""What one transport, or one run, takes against another, over the size of the messages, coloured by verdict."""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

from figures import command
from figures.comparison import comparisons_of
from figures.over_size import SizeAxis
from figures.results import Fault, size_labels
from figures.sheet import GREY, Sheet


class Look(NamedTuple):
    word: str
    colour: str
    marker: str
    fill: str


# Full marks: a difference is shown. Hollow ones: none is.
VERDICTS = {
    "slower": Look("slower", "#d55e00", "s", "#d55e00"),
    "faster": Look("faster", "#0072b2", "o", "#0072b2"),
    "negligible": Look("negligible", "#666666", "D", "#bbbbbb"),
    "equal": Look("equal", "#009e73", "D", "white"),
    "not_shown": Look("not shown", "#888888", "o", "white"),
    "not_comparable": Look("not comparable", "#000000", "x", "#000000"),
}
MEANINGS = (
    "grey band: too small to matter; negligible: shown, but within it; equal: 90 % interval within it; "
    "not shown: the data say neither"
)
METRICS = {
    "delivered_bytes_per_second": "bandwidth",
    "messages_per_second": "message rate",
}
LEAST_REACH = 1.05  # the axis shows at least this and its inverse


def metric_of(family: dict[str, Any]) -> str:
    return METRICS.get(family["metric"], "RTT " + family["metric"].replace("_", "."))


def ratio_text(of: dict[str, Any]) -> str:
    interval = "" if of["low"] is None else f" [{of['low']:.3g}, {of['high']:.3g}]"
    return f"{of['ratio']:.3g}{interval}"


def draw_overall(axes: Any, overall: dict[str, Any]) -> str:
    """Over all sizes; what the panel's title says of it."""
    if not overall or overall["ratio"] is None:
        return "no overall ratio"
    look = VERDICTS[overall["verdict"]]
    axes.axhline(overall["ratio"], color=look.colour, linewidth=1.2, linestyle="--", zorder=1.5)
    if overall["low"] is not None:
        axes.axhspan(overall["low"], overall["high"], color=look.colour, alpha=0.12, linewidth=0)
    return f"overall (dashed) {ratio_text(overall)} {look.word}"


def draw_size(axes: Any, place: float, size: dict[str, Any]) -> None:
    look = VERDICTS[size["verdict"]]
    style = {"color": look.colour, "markerfacecolor": look.fill, "markersize": 6.5}
    if size["ratio"] is None:  # at the panel's foot: that it is there is all there is to say
        foot = axes.get_xaxis_transform()
        axes.plot([place], [0.04], look.marker, transform=foot, clip_on=False, **style)
        return
    if size["low"] is not None:
        ends = [size["low"], size["high"]]
        axes.plot([place] * 2, ends, "-", color=look.colour, linewidth=1.4)
        axes.plot([place] * 2, ends, "_", color=look.colour, markersize=8)
    axes.plot([place], [size["ratio"]], look.marker, zorder=3, **style)


def draw_smallest_effect(axes: Any, axis: SizeAxis, sizes: list[dict[str, Any]]) -> None:
    """What is too small to matter lies between these."""
    effects = [1 + size["smallest_effect"] for size in sizes]
    places = [axis.place(size["size_bytes"]) for size in sizes]
    if len(places) == 1:
        places, effects = [places[0] / 1.2, places[0] * 1.2], effects * 2
    lows = [1 / effect for effect in effects]
    axes.fill_between(places, lows, effects, color="#999999", alpha=0.3, linewidth=0, zorder=0.8)
    axes.axhline(1, color="black", linewidth=1, zorder=1)


def set_ratio_axis(axes: Any, family: dict[str, Any], sheet: Sheet) -> None:
    """Holds every interval, and 1 with some room on both sides."""
    known = [family["overall"] or {}, *family["sizes"]]
    values = [v for of in known for end in ("low", "ratio", "high") if (v := of.get(end))]
    low, high = min(values + [1 / LEAST_REACH]), max(values + [LEAST_REACH])
    room = (high / low) ** 0.07
    axes.set_yscale("log")
    axes.set_ylim(low / room, high * room)
    ticker = sheet.matplotlib.ticker
    narrow = ticker.MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10])
    wide = ticker.LogLocator(subs=(1, 2, 5) if high / low < 1000 else (1,))
    axes.yaxis.set_major_locator(narrow if high / low < 4 else wide)
    axes.yaxis.set_minor_locator(ticker.NullLocator())
    axes.yaxis.set_major_formatter("{x:g}")
    above, below = ("slower", "faster") if family["better"] == "lower" else ("faster", "slower")
    style = {"transform": axes.transAxes, "rotation": 90, "fontsize": 8, "color": GREY}
    axes.text(1.005, 1, f"{above} →", va="top", **style)
    axes.text(1.005, 0, f"← {below}", va="bottom", **style)


def draw_panel(axes: Any, axis: SizeAxis, family: dict[str, Any], sheet: Sheet) -> None:
    sizes = sorted(family["sizes"], key=lambda size: int(size["size_bytes"]))
    set_ratio_axis(axes, family, sheet)
    overall = draw_overall(axes, family["overall"])
    draw_smallest_effect(axes, axis, sizes)
    for size in sizes:
        draw_size(axes, axis.place(size["size_bytes"]), size)
    title = f"{family['test']} {metric_of(family)}, {family['better']} is better: {overall}"
    axes.set_title(title, fontsize=9, loc="left")
    axes.set_ylabel("candidate / baseline", fontsize=9)


def side_of(side: dict[str, Any]) -> str:
    return f"{Path(side['file']).name} (run {side['run'][:4]}, {side['repeats']} repeats)"


def how_of(comparison: dict[str, Any]) -> str:
    baseline, candidate = side_of(comparison["baseline"]), side_of(comparison["candidate"])
    if comparison["paired"]:
        return f"{baseline}: interleaved, compared by repeat; 95 % intervals"
    return f"{candidate} against {baseline}; 95 % intervals, assuming that nothing else changed"


def missing_of(side: str, missing: list[dict[str, Any]]) -> list[str]:
    sizes: dict[str, list[int]] = {}
    for case in missing:
        why = f" ({case['reason']})" if case["reason"] else ""
        sizes.setdefault(case["test"] + why, []).append(case["size_bytes"])
    return [f"only in {side}: {what} at {size_labels(at)}" for what, at in sizes.items()]


def notes_of(comparison: dict[str, Any]) -> list[str]:
    """What has no verdict, what only one side has, and how many settings are not the same."""
    notes = []
    for family in comparison["families"]:
        reasons: dict[str, list[int]] = {}
        for size in family["sizes"]:
            if size["reason"]:
                reasons.setdefault(size["reason"], []).append(size["size_bytes"])
        where = f"{family['test']} {metric_of(family)} at "
        notes += [f"{where}{size_labels(sizes)}: {why}" for why, sizes in reasons.items()]
    notes += missing_of("the baseline", comparison["only_in_baseline"])
    notes += missing_of("the candidate", comparison["only_in_candidate"])
    if comparison["differences"]:
        what = ", ".join(difference["what"] for difference in comparison["differences"][:6])
        more = len(comparison["differences"]) - 6
        notes.append(
            f"not the same on both sides: {what}" + (f" and {more} more" if more > 0 else "")
        )
    return notes


def draw_legend(sheet: Sheet, families: list[dict[str, Any]]) -> None:
    """The verdicts that occur, in the order of VERDICTS, above the first panel."""
    found = {size["verdict"] for family in families for size in family["sizes"]}
    lines = sheet.matplotlib.lines
    handles = []
    for verdict, look in VERDICTS.items():
        if verdict in found:
            style = {"color": look.colour, "markerfacecolor": look.fill, "markersize": 6}
            handles.append(
                lines.Line2D([], [], marker=look.marker, linestyle="", label=look.word, **style)
            )
    place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 2.4}
    sheet.legend_lines = 1
    spacing = {"frameon": False, "handlelength": 1, "columnspacing": 1.5}
    sheet.panels[0].legend(handles=handles, ncol=len(VERDICTS), fontsize=8, **place, **spacing)


def title_of(comparison: dict[str, Any]) -> str:
    candidate, baseline = comparison["candidate"], comparison["baseline"]
    if candidate["name"] != baseline["name"]:
        return f"{candidate['name']} against {baseline['name']}"
    files = [Path(side["file"]).stem for side in (candidate, baseline)]
    return f"{candidate['name']}: {files[0]} against {files[1]}"


def draw(comparison: dict[str, Any], origins: list[str]) -> Sheet:
    """`origins` say where the results come from, as far as that is known."""
    families = [family for family in comparison["families"] if family["sizes"]]
    notes = notes_of(comparison)
    if not families:
        raise Fault("; ".join([f"{title_of(comparison)}: nothing to compare"] + notes))
    sheet = Sheet(title_of(comparison), origins + [how_of(comparison), MEANINGS], len(families))
    sheet.notes += notes
    axis = SizeAxis({size["size_bytes"] for family in families for size in family["sizes"]})
    for axes, family in zip(sheet.panels, families):
        draw_panel(axes, axis, family, sheet)
    axis.draw(sheet.panels[-1])
    draw_legend(sheet, families)
    return sheet


def main() -> None:
    parser = command.parser_of(
        "Draw the ratios of two transports of one result, or of two results, coloured by verdict. The verdicts "
        "are those of `pairbench compare`.",
        "one result with several transports, an older and a newer result, or what `pairbench compare --json` printed",
    )
    parser.add_argument(
        "--baseline", metavar="TRANSPORT", help="of one result: held against (the first)"
    )
    parser.add_argument(
        "--candidate", metavar="TRANSPORT", help="which, where several are compared"
    )
    parser.add_argument(
        "--pairbench", type=Path, metavar="FILE", help="the program (the one built, else on PATH)"
    )
    options = parser.parse_args()
    comparisons, origins = comparisons_of(options.files, options.baseline, options.pairbench)
    command.finish(draw(choose(comparisons, options), origins), options)


def choose(comparisons: list[dict[str, Any]], options: argparse.Namespace) -> dict[str, Any]:
    names = [comparison["candidate"]["name"] for comparison in comparisons]
    if options.candidate is None and len(names) == 1:
        return comparisons[0]
    if options.candidate not in names:
        raise Fault("which one? --candidate " + ", ".join(names), 2)
    return comparisons[names.index(options.candidate)]
