"""What the figures of this folder share: reading results, the axis of sizes, lines with their intervals."""

import argparse
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, NoReturn, Optional

SCHEMA_VERSION = 1
# Told apart without colour.
STYLES = [("-", "o"), ("--", "s"), (":", "^"), ("-.", "D"), ("-", "v"), ("--", "x")]
# Dark to light, so that grey keeps them apart too (Okabe and Ito's palette, by lightness).
COLOURS = ["#000000", "#0072b2", "#d55e00", "#009e73", "#56b4e9", "#e69f00"]


def die(message: str, status: int = 1) -> NoReturn:
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(status)


def load_matplotlib() -> tuple[Any, Any]:
    """pyplot and ticker, drawing into files alone."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot, ticker
    except ImportError:
        die("the Python module matplotlib is missing: apt install python3-matplotlib", 2)
    return pyplot, ticker


Document = tuple[Path, dict[str, Any]]
# A case's figures by name, each {value, low, high} or None.
Figures = dict[str, Optional[dict[str, Any]]]


@dataclass
class Point:
    size: int
    value: float
    interval: Optional[tuple[float, float]]


@dataclass
class Line:
    name: str
    points: list[Point] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)  # sizes without a figure


def read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        die(f"{path}: {error}")
    if not isinstance(document, dict) or document.get("schema_version") != SCHEMA_VERSION:
        die(f"{path}: no pairbench result of version {SCHEMA_VERSION}")
    if "error" in document:
        die(f"{path}: the run gave no result but an error: {document['error'].get('message')}")
    return document


def make_parser(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a result of pairbench")
    parser.add_argument(
        "-o",
        "--out",
        required=True,
        type=Path,
        metavar="OUT",
        help="the figure: .png, .svg or .pdf",
    )
    parser.add_argument("--title", help="instead of the hosts' names")
    return parser


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    options = parser.parse_args()
    if options.out.suffix not in (".png", ".svg", ".pdf"):
        parser.error(f"-o {options.out}: the name must end in .png, .svg or .pdf")
    return options


def source_name(path: Path, documents: list[Document]) -> str:
    alike = [other for other, _ in documents if other.stem == path.stem]
    return path.stem if len(alike) == 1 else str(path)


def collect(
    documents: list[Document],
    figures_of: Callable[[dict[str, Any]], Optional[Figures]],
    scale: float,
) -> list[Line]:
    """One line for each file, transport and name of a figure.

    `figures_of` gives a case's figures, or None for a case of another test. Values are multiplied by `scale`.
    """
    lines: dict[str, Line] = {}
    for path, document in documents:
        for case in document["cases"]:
            figures = figures_of(case)
            if figures is None:
                continue
            for figure, estimate in figures.items():
                source = [source_name(path, documents)] if len(documents) > 1 else []
                name = " ".join(source + [case["transport"], figure])
                line = lines.setdefault(name, Line(name))
                if estimate is None:
                    line.missing.append(case["size_bytes"])
                    continue
                low, high = estimate["low"], estimate["high"]
                interval = None if None in (low, high) else (low * scale, high * scale)
                point = Point(case["size_bytes"], estimate["value"] * scale, interval)
                line.points.append(point)
    for line in lines.values():
        line.points.sort(key=lambda point: point.size)
    return list(lines.values())


def size_label(size: int) -> str:
    """8, 4K, 1M, as the tables write them."""
    for unit, letter in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if size >= unit and size % unit == 0:
            return f"{size // unit}{letter}"
    return str(size)


def say_missing(lines: list[Line]) -> list[Line]:
    """The lines with the points that a logarithmic axis can show; what it cannot is said."""
    shown = []
    for line in lines:
        points = [point for point in line.points if point.value > 0]
        dropped = [point.size for point in line.points if point.value <= 0] + line.missing
        if dropped:
            sizes = ", ".join(size_label(size) for size in sorted(set(dropped)))
            print(
                f"{line.name}: not shown (not measured, or zero on a logarithmic axis): {sizes}",
                file=sys.stderr,
            )
        if points:
            shown.append(Line(line.name, points))
    return shown


def position(size: int) -> float:
    """Zero-byte messages stand half a step left of one byte: a logarithm has no place for them."""
    return size if size > 0 else 0.5


def draw_line(axes: Any, line: Line, index: int) -> None:
    style, marker = STYLES[(index + index // len(COLOURS)) % len(STYLES)]
    colour = COLOURS[index % len(COLOURS)]
    places = [position(point.size) for point in line.points]
    values = [point.value for point in line.points]
    axes.plot(places, values, style, marker=marker, markersize=4, color=colour, label=line.name)
    bands = [(point, point.interval) for point in line.points if point.interval is not None]
    places = [position(point.size) for point, _ in bands]
    if len(bands) == 1:  # a band needs two
        point, (low, high) = bands[0]
        arms = [[max(0, point.value - low)], [max(0, high - point.value)]]
        axes.errorbar(places, [point.value], arms, color=colour, capsize=3)
    else:
        lows, highs = ([interval[side] for _, interval in bands] for side in (0, 1))
        axes.fill_between(places, lows, highs, color=colour, alpha=0.2, linewidth=0)


def label_sizes(axes: Any, lines: list[Line]) -> None:
    sizes = sorted({point.size for line in lines for point in line.points})
    # Labels collide beyond about a dozen.
    step = 1 + len(sizes) // 13
    ticks = sizes[::step]
    axes.set_xscale("log", base=2)
    axes.set_xticks([position(size) for size in ticks], [size_label(size) for size in ticks])
    axes.minorticks_off()
    zero = " (0 stands where a half would)" if 0 in sizes else ""
    axes.set_xlabel("message size, bytes" + zero)


def title_of(documents: list[Document]) -> str:
    titles = []
    for _, document in documents:
        hosts = document["hosts"]
        initiator = hosts["initiator"]["hostname"]
        responder = (hosts["responder"] or {}).get("hostname", "?")
        one = any(transport["one_host"] for transport in document["transports"])
        title = f"{initiator}, one host" if one else f"{initiator} and {responder}"
        if not document["run"]["complete"]:
            title += " (incomplete)"
        titles.append(title)
    return "; ".join(dict.fromkeys(titles))


def caveat_of(documents: list[Document]) -> str:
    if any(document["run"]["repeats"] == 1 for _, document in documents):
        return "bands: within the only repeat"
    return "bands: 95 % intervals over repeats"


def draw(
    documents: list[Document],
    lines: list[Line],
    options: argparse.Namespace,
    y_label: str,
) -> None:
    lines = say_missing(lines)
    if not lines:
        die("no figures of this kind in " + ", ".join(str(path) for path, _ in documents))
    pyplot, ticker = load_matplotlib()
    picture, axes = pyplot.subplots(figsize=(7, 4.5), constrained_layout=True)
    for index, line in enumerate(lines):
        draw_line(axes, line, index)
    label_sizes(axes, lines)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(ticker.LogFormatter(minor_thresholds=(1, 0.4)))
    axes.set_ylabel(y_label)
    axes.set_title(options.title or title_of(documents), fontsize=10)
    axes.grid(True, which="both", linewidth=0.3)
    axes.legend(fontsize=8, title=caveat_of(documents), title_fontsize=7)
    try:
        picture.savefig(options.out, dpi=150)
    except OSError as error:
        die(f"{options.out}: {error}")
