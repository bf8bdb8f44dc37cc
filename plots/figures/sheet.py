"""One picture: a title, panels one above the other, and beneath them where it comes from and what it lacks."""

import math
import textwrap
from pathlib import Path
from typing import Any, Optional

from figures.results import Fault

WIDTH = 7.0  # inches, as are the heights
ONE_PANEL, EACH_PANEL = 3.9, 2.4
LEGEND_LINE, FOOTER_LINE, TITLE_LINE = 0.19, 0.125, 0.25
DPI = 150
TITLE_COLUMNS, FOOTER_COLUMNS = 78, 135
GREY = "#555555"

# Dark to light, so that grey keeps them apart too (Okabe and Ito's palette, by lightness).
COLOURS = ["#000000", "#0072b2", "#d55e00", "#009e73", "#56b4e9", "#e69f00"]
# Told apart without colour. Lists of unlike lengths: 42 sources before one looks like another.
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
DASHES = ["-", "--", ":", "-."]


def load_matplotlib() -> Any:
    """The module, set up to draw into files alone, the same bytes for the same data."""
    try:
        import matplotlib
        import matplotlib.figure
        import matplotlib.ticker
    except ImportError as error:
        hint = "the Python module matplotlib is missing: apt install python3-matplotlib"
        raise Fault(hint, 2) from error
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "pairbench", "axes.axisbelow": True})
    if "text.parse_math" in matplotlib.rcParams:
        matplotlib.rcParams["text.parse_math"] = False  # a $ in a name is a $
    return matplotlib


def legend_label(name: str) -> str:
    """As the legend shows it: matplotlib leaves out what begins with an underscore."""
    return f" {name}" if name.startswith("_") else name


def look_of(index: int, dash: Optional[int] = None) -> dict[str, Any]:
    """Of the line of one source, the `index`-th of all."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": MARKERS[index % len(MARKERS)],
        "linestyle": DASHES[(index if dash is None else dash) % len(DASHES)],
        "linewidth": 1.6,
        "markersize": 5,
    }


def wrapped(text: str, columns: int) -> str:
    return "\n".join(textwrap.wrap(text, columns, break_long_words=False, break_on_hyphens=False))


class Sheet:
    """`notes` are what the figure lacks: in the picture, and for the command to say."""

    def __init__(self, title: str, origins: list[str], panels: int = 1) -> None:
        self.matplotlib = load_matplotlib()
        self.title, self.origins = title, origins
        self.notes: list[str] = []
        self.legend_lines = 0
        self.picture = self.matplotlib.figure.Figure(constrained_layout=True)
        self.panels = list(self.picture.subplots(panels, 1, sharex=True, squeeze=False)[:, 0])
        for axes in self.panels:
            axes.tick_params(labelsize=9)
            axes.grid(True, which="major", linewidth=0.5, color="#cccccc")
            axes.grid(True, which="minor", linewidth=0.25, color="#dddddd")
            axes.spines[["top", "right"]].set_visible(False)

    def write_out(self, axis: Any) -> None:
        """The numbers of a logarithmic axis, between the decades too where these are few."""

        def between(value: float, _: int) -> str:
            low, high = axis.get_view_interval()
            decades = math.log10(high / low)
            digit = f"{value:e}"[0]
            wanted = "123456789" if decades < 0.7 else "25" if decades < 1.6 else ""
            return f"{value:.4g}" if digit in wanted else ""

        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(between)
        axis.set_tick_params(which="minor", labelsize=8)

    def legend(self, axes: Any) -> None:
        """Above the panel, where it hides no data; none for nothing."""
        handles, labels = axes.get_legend_handles_labels()
        if not labels:
            return
        columns = max(1, min(4, 100 // (max(map(len, labels)) + 8)))
        self.legend_lines = math.ceil(len(labels) / columns)
        axes.legend(
            handles,
            labels,
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncol=columns,
            fontsize=8,
            frameon=False,
            borderaxespad=0.2,
            handlelength=3,
        )

    def write_around(self) -> None:
        """Title and footer; the picture grows by what they and the legend take, the panels do not shrink."""
        title = wrapped(self.title, TITLE_COLUMNS)
        footer = "\n".join(wrapped(line, FOOTER_COLUMNS) for line in self.origins + self.notes)
        style = {"ha": "left", "ma": "left", "fontsize": 7, "color": GREY}
        self.picture.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        self.picture.supxlabel(footer, x=0.01, **style)
        panels = len(self.panels)
        height = ONE_PANEL if panels == 1 else EACH_PANEL * panels
        height += TITLE_LINE * (title.count("\n") + 1) + FOOTER_LINE * (footer.count("\n") + 1)
        self.picture.set_size_inches(WIDTH, height + LEGEND_LINE * self.legend_lines)

    def save(self, out: Path) -> None:
        self.write_around()
        dates = {".svg": "Date", ".pdf": "CreationDate"}
        metadata = {dates[out.suffix]: None} if out.suffix in dates else None
        try:
            self.picture.savefig(out, dpi=DPI, metadata=metadata)
        except OSError as error:
            raise Fault(f"{out}: {error.strerror}") from error
