"""How many round trips took how long, at one size: the complementary distribution on logarithmic axes."""

from typing import Any, Optional

from figures import command
from figures.histogram import Histogram
from figures.results import (
    Fault,
    Result,
    grade_of,
    origins_of,
    read,
    size_label,
    size_labels,
    source_of,
    sources_of,
    why_not_measured,
)
from figures.sheet import GREY, Sheet, legend_label, look_of

US_PER_PS = 1e-6
QUANTILES = {"p50": 0.5, "p90": 0.1, "p99": 0.01, "p99.9": 1e-3, "p99.99": 1e-4, "p99.999": 1e-5}
LEAST_BEYOND = 10  # round trips beyond a quantile, for it to say anything


def sizes_of(results: list[Result], test: str) -> list[int]:
    """At which something is stored that can be drawn."""
    return sorted(
        {
            case["size_bytes"]
            for result in results
            for case in result.data["cases"]
            if case["test"] == test and not why_not_measured(case) and histogram_of(case).max_ps
        }
    )


def histogram_of(case: dict[str, Any]) -> Histogram:
    histogram = Histogram()
    for repeat in case["repeats"]:
        histogram.add(repeat.get("rtt_histogram"))
    return histogram


def collect(results: list[Result], test: str, size: int) -> tuple[dict[str, Histogram], list[str]]:
    """By transport, and what is to be said of the others."""
    cases = {
        source_of(results, result, case["transport"]): case
        for result in results
        for case in result.data["cases"]
        if case["test"] == test and case["size_bytes"] == size
    }
    histograms, notes = {}, []
    for source in sources_of(results):
        case = cases.get(source)
        why = why_not_measured(case) if case else "no such case"
        histogram = histogram_of(case) if case and not why else Histogram()
        if not histogram.max_ps:
            notes.append(f"not drawn, {why or 'nothing above zero is stored'}: {source}")
            continue
        histograms[source] = histogram
        if case and grade_of(case) == "C":
            notes.append(f"grade C, no verdict may rest on it: {source}")
    return histograms, notes


Curve = list[
    tuple[float, float]
]  # microseconds; the share of round trips that took as long or longer


def curve_of(histogram: Histogram) -> Curve:
    total = histogram.total
    return [(t * US_PER_PS, n / total) for t, n in histogram.survival() if t > 0]


def divided(curve: Curve, at: float) -> tuple[Curve, Curve]:
    """Above and below a share; both hold the point at which the curve falls through it."""
    above = [point for point in curve if point[1] >= at]
    below = [point for point in curve if point[1] < at]
    if not above or not below:
        return above, below
    knee = (above[-1][0], at)
    return above + [knee], [knee] + below


def marks_of(curve: Curve, least: float) -> Curve:
    """At the quantiles beyond which enough round trips lie, and at the maximum."""
    above = [share for share in QUANTILES.values() if share >= least and share <= curve[0][1]]
    quantiles = [(max(t for t, beyond in curve if beyond >= share), share) for share in above]
    return quantiles + [curve[-1]]


def draw_curve(axes: Any, histogram: Histogram, name: str, look: dict[str, Any]) -> None:
    """Thin where fewer than ten round trips lie beyond."""
    curve = curve_of(histogram)
    least = LEAST_BEYOND / histogram.total
    for part, width in zip(divided(curve, least), (look["linewidth"], 0.7)):
        style = {**look, "marker": "", "linewidth": width, "drawstyle": "steps-pre"}
        if part:
            axes.plot(*zip(*part), **style)
    axes.plot(*zip(*marks_of(curve, least)), **{**look, "linestyle": ""})
    axes.plot([], [], label=legend_label(f"{name}, {histogram.total:,} round trips"), **look)


def draw_quantiles(axes: Any, lowest: float) -> None:
    for name, share in QUANTILES.items():
        if share < lowest:
            continue
        axes.axhline(share, color="#bbbbbb", linewidth=0.6, zorder=0.5)
        place = axes.get_yaxis_transform()
        axes.text(1.005, share, name, transform=place, va="center", fontsize=8, color=GREY)


def draw(results: list[Result], size: Optional[int] = None, test: str = "pingpong") -> Sheet:
    """At the smallest size where none is given."""
    sizes = sizes_of(results, test)
    if not sizes:
        raise Fault(f"the results store no distribution of {test} cases")
    size = sizes[0] if size is None else size
    if size not in sizes:
        known = size_labels(sizes)
        raise Fault(f"no distribution at {size_label(size)}; there is one at {known}")
    histograms, notes = collect(results, test, size)
    unit = "byte" if size == 1 else "bytes"
    title = f"Distribution of round trips, {test}, {size_label(size)} {unit}"
    sheet = Sheet(title, origins_of(results))
    axes = sheet.panels[0]
    sources = sources_of(results)
    for source, histogram in histograms.items():
        draw_curve(axes, histogram, source, look_of(sources.index(source)))
    axes.set_xscale("log")
    axes.set_yscale("log")
    sheet.write_out(axes.xaxis)
    axes.set_xlabel("round trip (RTT), µs")
    axes.set_ylabel("share that took this long or longer")
    draw_quantiles(axes, 1 / max(histogram.total for histogram in histograms.values()))
    sheet.legend(axes)
    sheet.origins.append(
        "all repeats merged; marks: quantiles and the maximum; thin: fewer than ten lie beyond"
    )
    sheet.notes += notes
    return sheet


def main() -> None:
    parser = command.parser_of(
        "Draw which share of the round trips took a time or longer (the complementary distribution), at one "
        "size, on logarithmic axes, from the stored histograms of all repeats."
    )
    parser.add_argument("--size", type=command.size, help="of the messages: 8, 4K (the smallest)")
    parser.add_argument("--test", default="pingpong", help="whose round trips (pingpong)")
    options = parser.parse_args()
    command.finish(draw(read(options.files), options.size, options.test), options)
