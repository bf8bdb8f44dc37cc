"""The numbers on the page of `pairbench report` are those of the documents."""

import json
import subprocess

from report_page import PAIRBENCH, PRODUCED, Page, bytes_of, figures_of, load, main, several_sizes
from browser import Keys


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
        case = next(c for c in load("two_hosts.json")["cases"] if c["test"] == "pingpong")
        counts = [sum(repeat["rtt_histogram"]["count"]) for repeat in case["repeats"]]
        stage = self.browser.element("#distribution .stage")
        stage.send_keys(Keys.HOME)
        self.assertTrue(
            self.tip("distribution")[1].endswith(f"100 % ({sum(counts)} of {sum(counts)})")
        )
        self.choose("distribution", "linear")
        stage.send_keys(Keys.END)
        self.assertRegex(self.tip("distribution")[1], rf"\(1 of {sum(counts)}\)$")

    def test_verdicts_are_those_of_compare(self) -> None:
        self.open_produced("two_transports.json")
        command = [PAIRBENCH, "compare", str(PRODUCED / "two_transports.json"), "--json"]
        said = json.loads(subprocess.run(command, stdout=subprocess.PIPE, timeout=60).stdout)
        ratios = [
            size["ratio"]
            for comparison in said["comparisons"]
            for family in comparison["families"]
            for size in family["sizes"]
            if size["ratio"] is not None
        ]
        values = self.browser.script(
            "return [...document.querySelectorAll('.verdicts td:nth-child(4) data')].map((d) => d.value)"
        )
        self.assertGreater(len(ratios), 0)
        self.assertEqual([float(value) for value in values if value], ratios)


if __name__ == "__main__":
    main()
