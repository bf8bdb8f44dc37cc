"""The bandwidth that receivers counted, over the size of the messages, and what the link allows."""

from typing import Any, Optional

from figures import command, lines, over_size
from figures.results import Fault, Result, read, source_of
from figures.sheet import GREY, Sheet

GBIT_PER_BIT = 1e-9
GBIT_PER_BYTE = 8e-9
NAMES = {"stream": "one way", "bistream": "both ways together"}
DIRECTIONS = {"one way": 1, "both ways together": 2}


def link_gbit(transport: dict[str, Any]) -> Optional[float]:
    """Of the slower end; None where neither is known."""
    ends = [transport["initiator"] or {}, transport["responder"] or {}]
    known = [end["link_bits_per_second"] for end in ends if end.get("link_bits_per_second")]
    return min(known) * GBIT_PER_BIT if known else None


def links_of(results: list[Result]) -> dict[str, Optional[float]]:
    return {
        source_of(results, result, transport["label"]): link_gbit(transport)
        for result in results
        for transport in result.data["transports"]
    }


def draw_limits(sheet: Sheet, shown: list[lines.Line], links: dict[str, Optional[float]]) -> None:
    """One line a speed; whose it is, is said where not all have the same."""
    limits: dict[tuple[float, str], list[str]] = {}
    unknown = []
    for line in shown:
        link = links[line.source]
        if link is None:
            unknown.append(line.source)
        else:
            limit = (link * DIRECTIONS[line.figure], line.figure)
            limits.setdefault(limit, []).append(line.source)
    axes = sheet.panels[0]
    for (speed, figure), sources in limits.items():
        whose = "" if set(sources) == set(links) else " of " + ", ".join(sources)
        ways = ", both ways" if DIRECTIONS[figure] == 2 else ""
        axes.axhline(speed, color=GREY, linewidth=1.2, linestyle=(0, (6, 2)), zorder=1)
        axes.annotate(
            f"link{whose}{ways}: {speed:g} Gb/s",
            (0.01, speed),
            xycoords=axes.get_yaxis_transform(),
            xytext=(0, 2),
            textcoords="offset points",
            fontsize=8,
            color=GREY,
        )
        room = 1.1 if axes.get_yscale() == "linear" else 1.8
        axes.set_ylim(top=max(axes.get_ylim()[1], room * speed))
    if unknown:
        names = ", ".join(dict.fromkeys(unknown))
        sheet.notes.append(f"no limit drawn, link speed unknown: {names}")


def draw(results: list[Result], linear: bool = False) -> Sheet:
    def figures_of(case: dict[str, Any]) -> dict[str, lines.Estimate]:
        if case["test"] not in NAMES:
            return {}
        summary = case["summary"] or {}
        return {NAMES[case["test"]]: summary.get("delivered_bytes_per_second")}

    drawn = lines.collect(results, figures_of, GBIT_PER_BYTE, "no bytes, or too few messages")
    if not drawn:
        raise Fault("the results have no stream or bistream cases")
    names = ", ".join(dict.fromkeys(line.figure for line in drawn))
    title = f"Delivered bandwidth ({names}), counted by the receiver"
    label = "payload, Gb/s (10⁹ bits)"
    sheet, shown = over_size.draw(results, drawn, title, label, linear)
    draw_limits(sheet, shown, links_of(results))
    return sheet


def main() -> None:
    parser = command.parser_of(
        "Draw the bandwidth that receivers counted, of stream and bistream cases, over message size, "
        "with intervals and the limit of the link where it is known."
    )
    parser.add_argument("--linear", action="store_true", help="no logarithm on the bandwidth axis")
    options = parser.parse_args()
    command.finish(draw(read(options.files), options.linear), options)
