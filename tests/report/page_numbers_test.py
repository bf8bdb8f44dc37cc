"""The numbers on the page of `pairbench report` are those of the documents."""

import json
import re
import subprocess
from collections import Counter
from typing import Any

from report_page import PAIRBENCH, PRODUCED, Page, bytes_of, figures_of, load, main, several_sizes
from browser import Keys


def left_by_time(histograms: list[dict[str, Any]]) -> list[tuple[float, int]]:
    """How many round trips took so long (us) or longer, at the lower bound of each bucket."""
    counts: Counter[float] = Counter()
    for histogram in histograms:
        bits = histogram["precision_bits"]
        for index, count in zip(histogram["index"], histogram["count"]):
            octave, rest = index >> bits, index & ((1 << bits) - 1)
            low = index if octave == 0 else ((1 << bits) + rest) << (octave - 1)
            counts[max(low, min(h["min_ps"] for h in histograms)) / 1e6] += count
    times = sorted(counts)
    return [(time, sum(counts[other] for other in times if other >= time)) for time in times]


class Numbers(Page):
    def test_latency_is_the_documents(self) -> None:
        self.open_produced("two_transports.json")
        document = load("two_transports.json")
        self.assert_figures("latency", figures_of(document, "pingpong", "p50"), 0.5e-3)
        self.choose("latency", "RTT")
        self.assert_figures("latency", figures_of(document, "pingpong", "p50"), 1e-3)

    def test_a_tail_is_never_halved(self) -> None:
        self.open_produced("two_hosts.json")
        document = load("two_hosts.json")
        for text, figure in (("p99", "p99"), ("p99.9", "p99_9"), ("maximum", "max")):
            self.choose("latency", text)
            self.assertFalse(self.browser.element("#latency-controls .choice").is_displayed())
            self.assert_figures("latency", figures_of(document, "pingpong", figure), 1e-3)
        for text, figure in (("minimum", "min"), ("mean", "mean")):
            self.choose("latency", text)
            self.assert_figures("latency", figures_of(document, "pingpong", figure), 0.5e-3)

    def test_bandwidth_is_the_documents(self) -> None:
        self.open_produced("two_hosts.json")
        document = load("two_hosts.json")
        for text, test, figure, factor in (
            ("one way, Gb/s", "stream", "delivered_bytes_per_second", 8e-9),
            ("one way, Mmsg/s", "stream", "messages_per_second", 1e-6),
            ("both ways together, Gb/s", "bistream", "delivered_bytes_per_second", 8e-9),
            ("both ways at once, back, Gb/s", "bistream", "backward_bytes_per_second", 8e-9),
        ):
            self.choose("bandwidth", text)
            self.assert_figures("bandwidth", figures_of(document, test, figure), factor)

    def test_hover_shows_value_and_interval(self) -> None:
        document = several_sizes()
        self.open(self.store("several.json", document))
        over = self.browser.element("#latency .u-over")
        self.browser.pointer().move_to_element(over).perform()
        title, *rows = self.tip("latency")
        size = title.split()[0]
        shown = self.table("latency")
        names = [track["label"] for track in document["transports"]]
        self.assertEqual(len(rows), len(names))
        for name, row in zip(names, rows):
            _, text, interval = shown[name, bytes_of(size)]
            self.assertEqual(row, f"{name}{text} {interval}")

    def test_the_distribution_counts_every_round_trip(self) -> None:
        self.open_produced("two_hosts.json")
        pingpongs = [c for c in load("two_hosts.json")["cases"] if c["test"] == "pingpong"]
        case = next(c for c in pingpongs if c["size_bytes"] == 65536)
        self.choose("distribution", "64K")
        longer = left_by_time([repeat["rtt_histogram"] for repeat in case["repeats"]])
        total = longer[0][1]
        stage = self.browser.element("#distribution .stage")
        stage.send_keys(Keys.HOME)
        for _ in range(8):
            title, row = self.tip("distribution")
            time = float(title.split()[0])
            left = int(re.search(rf"\((\d+) of {total}\)$", row)[1])  # type: ignore[index]
            found = [n for t, n in longer if abs(t - time) < 0.004 * time]
            self.assertIn(left, found)
            stage.send_keys(Keys.ARROW_RIGHT)
        self.choose("distribution", "linear")
        stage.send_keys(Keys.END)
        self.assertTrue(self.tip("distribution")[1].endswith(f"(1 of {total})"))

    def numbers(self, selector: str) -> list[float]:
        get = "return [...document.querySelectorAll(arguments[0])].map((d) => d.value)"
        return [float(value) for value in self.browser.script(get, selector) if value]

    def test_verdicts_are_those_of_compare(self) -> None:
        path = self.store("several.json", several_sizes())
        self.open(path)
        command = [PAIRBENCH, "compare", path, "--json"]
        said = json.loads(subprocess.run(command, stdout=subprocess.PIPE, timeout=60).stdout)
        comparisons = said["comparisons"]
        sizes = [s for c in comparisons for f in c["families"] for s in f["sizes"]]
        self.assertGreater(len(sizes), 4)
        for column, member in ((2, "baseline"), (3, "candidate"), (4, "ratio")):
            shown = self.numbers(f".verdicts td:nth-child({column}) data")
            self.assertEqual(shown, [size[member] for size in sizes if size[member] is not None])
        signs = {"faster": "▲", "slower": "▼", "negligible": "≈", "equal": "="}
        signs.update(not_shown="?", not_comparable="–")
        shown_signs = [text[0] for text in self.browser.texts(".verdicts .verdict")]
        self.assertEqual(shown_signs, [signs[size["verdict"]] for size in sizes])
        parts = [part for c in comparisons for split in c["split"] for part in split["parts"]]
        self.assertGreater(len(parts), 0)
        values = [part["difference_ns"]["value"] for part in parts]
        self.assertEqual(self.numbers(".split data"), values)


if __name__ == "__main__":
    main()
