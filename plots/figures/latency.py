"""The round trips of ping-pong cases over the size of the messages."""

from typing import Any

from figures import command, lines, over_size
from figures.results import Fault, Result, read
from figures.sheet import Sheet

QUANTILES = ("min", "p50", "p90", "p99", "p99_9", "max", "mean")
HALVED = ("min", "p50", "mean")  # half of a tail means nothing
US_PER_NS = 1e-3


def written(figure: str) -> str:
    names = {"min": "minimum", "max": "maximum", "p50": "median"}
    return names.get(figure, figure.replace("_", "."))


def draw(
    results: list[Result], figures: list[str], one_way: bool = False, linear: bool = False
) -> Sheet:
    if one_way and set(figures) - set(HALVED):
        raise Fault("--one-way: only of " + ", ".join(HALVED) + "; half of a tail means nothing", 2)

    def figures_of(case: dict[str, Any]) -> dict[str, lines.Estimate]:
        if case["test"] != "pingpong":
            return {}
        rtt = (case["summary"] or {}).get("rtt_ns") or {}
        return {written(figure): rtt.get(figure) for figure in figures}

    what = "one way (RTT/2)" if one_way else "round trip (RTT)"
    scale = US_PER_NS / 2 if one_way else US_PER_NS
    drawn = lines.collect(results, figures_of, scale, "too few round trips")
    if not drawn:
        raise Fault("the results have no ping-pong cases")
    names = ", ".join(written(figure) for figure in figures)
    title = f"Ping-pong, {what}: {names}"
    return over_size.draw(results, drawn, title, f"{what}, µs", linear)[0]


def main() -> None:
    parser = command.parser_of(
        "Draw the round trips (RTT) of ping-pong cases over message size, with intervals."
    )
    parser.add_argument(
        "--figure",
        action="append",
        choices=QUANTILES,
        help="which figure of the round trips; may be repeated (p50)",
    )
    parser.add_argument("--one-way", action="store_true", help="half of min, p50 or mean")
    parser.add_argument("--linear", action="store_true", help="no logarithm on the time axis")
    options = parser.parse_args()
    figures = list(dict.fromkeys(options.figure or ["p50"]))
    sheet = draw(read(options.files), figures, options.one_way, options.linear)
    command.finish(sheet, options)
