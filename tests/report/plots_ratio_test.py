"""plots/ratio draws the verdicts of `pairbench compare`, plots/all whatever results allow."""

import os
import unittest
from pathlib import Path
from typing import Any, Optional

from plots_case import PAIRBENCH, PRODUCED, PlotsCase, produced

from figures import ratio

Bounds = Optional[tuple[float, float]]


def compared(verdict: str, value: Optional[float], bounds: Bounds = None) -> dict[str, Any]:
    low, high = bounds or (None, None)
    return {"ratio": value, "low": low, "high": high, "p": 0.004, "verdict": verdict}


def size(size_bytes: int, of: dict[str, Any], reason: Optional[str] = None) -> dict[str, Any]:
    sides = {"size_bytes": size_bytes, "baseline": 9400.0, "candidate": 11300.0}
    return {**sides, **of, "reason": reason, "smallest_effect": 0.01}


def family(sizes: list[dict[str, Any]], better: str = "lower") -> dict[str, Any]:
    metric = {"test": "pingpong", "metric": "p50", "unit": "ns"}
    if better == "higher":
        metric = {"test": "stream", "metric": "delivered_bytes_per_second", "unit": "bytes/s"}
    overall = compared("slower", 1.14, (1.12, 1.16)) if len(sizes) > 1 else None
    return {**metric, "better": better, "overall": overall, "sizes": sizes}


def side(name: str, file: str = "ab.json") -> dict[str, Any]:
    return {"name": name, "file": file, "run": "3f2a1b4c-0000", "repeats": 9}


EVERY_VERDICT = [
    size(8, compared("slower", 1.2, (1.18, 1.23))),
    size(64, compared("faster", 0.93, (0.9, 0.96))),
    size(512, compared("negligible", 1.004, (1.002, 1.006))),
    size(4096, compared("equal", 1.0, (0.995, 1.005))),
    size(65536, compared("not_shown", 1.01, (0.97, 1.05))),
    size(1 << 20, compared("not_comparable", None), "windows differ: 64 and 16"),
]


def comparison(families: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    whole = {
        "baseline": side("verbs:rxe0"),
        "candidate": side("libfabric:tcp"),
        "paired": True,
        "families": families,
        "only_in_baseline": [{"test": "bistream", "size_bytes": 8, "reason": "failed: lost"}],
        "only_in_candidate": [{"test": "stream", "size_bytes": 8, "reason": None}],
        "differences": [{"what": "hosts.initiator.kernel", "baseline": "6.1", "candidate": "6.2"}],
    }
    return {**whole, **changes}


def document(*comparisons: dict[str, Any]) -> dict[str, Any]:
    return {"schema_version": 1, "kind": "comparison", "comparisons": list(comparisons)}


class Ratio(PlotsCase):
    def refused_document(self, content: Any) -> str:
        return self.refused("ratio", str(self.write("c.json", content)))

    def test_verdicts_ratios_and_units_are_in_the_figure(self) -> None:
        bandwidth = family([size(8, compared("slower", 0.6, (0.5, 0.7)))], "higher")
        path = self.write("c.json", document(comparison([family(EVERY_VERDICT), bandwidth])))
        said = self.draw("ratio", ".svg", str(path))
        text = self.text_of_svg()
        words = ["slower", "faster", "negligible", "equal", "not shown", "not comparable"]
        title = "pingpong RTT p50, lower is better: overall (dashed) 1.14 [1.12, 1.16] slower"
        other = "stream bandwidth, higher is better: no overall ratio"
        for label in (*words, title, other, "libfabric:tcp against verbs:rxe0", "4K"):
            self.assertIn(f"<!-- {label} -->", text)
        for note in (
            "pingpong RTT p50 at 1M: windows differ: 64 and 16",
            "only in the baseline: bistream (failed: lost) at 8",
            "only in the candidate: stream at 8",
            "not the same on both sides: hosts.initiator.kernel",
        ):
            self.assertIn(note + "\n", said)
            self.assertIn(note, text)

    def test_points_are_the_comparisons(self) -> None:
        sheet = ratio.draw(comparison([family(EVERY_VERDICT)]), [])
        looks = {look.marker + look.colour: verdict for verdict, look in ratio.VERDICTS.items()}
        got = {}
        for line in sheet.panels[0].lines:
            verdict = looks.get(line.get_marker() + line.get_color())
            if verdict:
                got[int(line.get_xdata()[0])] = (verdict, line.get_ydata()[0])
        for of in EVERY_VERDICT[:-1]:
            self.assertEqual(got[of["size_bytes"]], (of["verdict"], of["ratio"]))
        self.assertEqual(got[1 << 20][0], "not_comparable")  # at the foot of the panel

    def test_worse_is_up_or_down_as_the_metric_has_it(self) -> None:
        for better, above in (("lower", "slower →"), ("higher", "faster →")):
            sheet = ratio.draw(comparison([family(EVERY_VERDICT, better)]), [])
            texts = {text.get_text(): text.get_position()[1] for text in sheet.panels[0].texts}
            self.assertEqual(texts[above], 1)

    def test_an_axis_holds_every_interval_and_one(self) -> None:
        for value, bounds in ((20.0, (10.0, 40.0)), (0.01, (0.001, 0.02)), (1.0, None)):
            one = family([size(8, compared("slower", value, bounds))])
            low, high = ratio.draw(comparison([one]), []).panels[0].get_ylim()
            for inside in (1.0, value, *(bounds or ())):
                self.assertTrue(low < inside < high, (low, inside, high))

    def test_two_runs_of_one_transport_are_told_apart(self) -> None:
        sides = {"baseline": side("verbs", "old.json"), "candidate": side("verbs", "new.json")}
        sheet = ratio.draw(comparison([family(EVERY_VERDICT)], paired=False, **sides), [])
        self.assertEqual(sheet.title, "verbs: new against old")
        self.assertIn("assuming that nothing else changed", "".join(sheet.origins))

    def test_which_of_several_candidates_is_asked(self) -> None:
        other = comparison([family(EVERY_VERDICT)], candidate=side("inproc"))
        path = str(self.write("c.json", document(comparison([family(EVERY_VERDICT)]), other)))
        said = self.refused("ratio", path, status=2)
        self.assertIn("--candidate libfabric:tcp, inproc", said)
        self.draw("ratio", ".svg", path, "--candidate", "inproc")
        self.assertIn("<!-- inproc against verbs:rxe0 -->", self.text_of_svg())

    def test_nothing_compared_is_one_line(self) -> None:
        said = self.refused_document(document(comparison([])))
        self.assertIn("nothing to compare; only in the baseline", said)
        self.assertIn("nothing was compared", self.refused_document(document()))
        self.assertIn("no comparison of pairbench", self.refused_document(document({})))
        said = self.refused("latency", str(self.write("c.json", document())))
        self.assertIn("plots/ratio draws", said)


class WithPairbench(PlotsCase):
    def test_transports_of_one_result(self) -> None:
        file = str(PRODUCED / "two_transports.json")
        options = ("--baseline", "verbs:rxe0/1/1", "--pairbench", PAIRBENCH)
        self.draw("ratio", ".svg", file, *options)
        text = self.text_of_svg()
        self.assertIn("<!-- old against verbs:rxe0/1/1 -->", text)
        self.assertIn("<!-- slower -->", text)
        self.assertIn("interleaved, compared by repeat", text)

    def test_two_results(self) -> None:
        files = [str(self.folder / name) for name in ("old.json", "new.json")]
        for file in files:
            Path(file).write_bytes((PRODUCED / "two_hosts.json").read_bytes())
        self.draw("ratio", ".svg", *files, "--pairbench", PAIRBENCH)
        text = self.text_of_svg()
        self.assertIn("<!-- libfabric:tcp: new against old -->", text)
        self.assertNotIn("<!-- slower -->", text)
        self.assertNotIn("<!-- faster -->", text)

    def test_what_pairbench_refuses_is_said_in_its_words(self) -> None:
        file = str(PRODUCED / "two_hosts.json")
        said = self.refused("ratio", file, "--pairbench", PAIRBENCH)
        self.assertIn("a single transport", said)

    def test_without_pairbench_one_line_says_so(self) -> None:
        file = str(PRODUCED / "two_transports.json")
        said = self.refused("ratio", file, "--pairbench", str(self.folder / "none"))
        self.assertIn("No such file", said)

    def test_an_answer_that_is_no_document_is_one_line(self) -> None:
        program = self.folder / "pairbench"
        program.write_text("#!/bin/sh\necho nonsense\n")
        program.chmod(0o755)
        file = str(PRODUCED / "two_transports.json")
        self.assertIn("no JSON document", self.refused("ratio", file, "--pairbench", str(program)))


class All(PlotsCase):
    def draw_all(self, *arguments: str) -> tuple[set[str], str]:
        """Names of the pictures, and what was printed."""
        out = self.folder / "deep" / "figures"
        options = ("-o", str(out), "--pairbench", PAIRBENCH)
        status, printed, said = self.plot("all", *arguments, *options)
        self.assertEqual((status, said), (0, ""))
        names = {path.name for path in out.iterdir()}
        for name in names:
            self.assertIn(f"{out}/{name}\n", printed)
        return names, printed

    def test_everything_of_two_transports(self) -> None:
        names, printed = self.draw_all(str(PRODUCED / "two_transports.json"))
        over_size = {"latency.png", "latency-tail.png", "bandwidth.png"}
        others = {"distribution-8.png", "ratio-verbs_rxe0_1_1-against-old.png"}
        self.assertEqual(names, over_size | others)
        self.assertNotIn("left out", printed)

    def test_what_is_left_out_is_said_with_its_reason(self) -> None:
        names, printed = self.draw_all(str(PRODUCED / "sparse.json"), "--format", "svg")
        self.assertEqual(names, {"latency.svg", "latency-tail.svg", "distribution-0.svg"})
        self.assertIn("left out: bandwidth: nothing to draw; not drawn, no bytes", printed)
        self.assertRegex(printed, "left out: ratio: pairbench compare: .*a single transport")

    def test_three_results_are_not_compared(self) -> None:
        files = [str(PRODUCED / f"{name}.json") for name in ("two_hosts", "killed", "sparse")]
        names, printed = self.draw_all(*files)
        self.assertIn("left out: ratio: one result or two", printed)
        self.assertIn("latency.png", names)

    def test_nothing_at_all_is_an_error(self) -> None:
        path = self.write("r.json", {**produced("two_hosts.json"), "cases": []})
        out = str(self.folder / "figures")
        status, printed, said = self.plot("all", str(path), "-o", out, "--pairbench", PAIRBENCH)
        self.assertEqual(status, 1)
        self.assertEqual(printed.count("left out: "), 5, printed)
        self.assertIn("nothing could be drawn", said)
        self.assertEqual(os.listdir(out), [])


if __name__ == "__main__":
    unittest.main()
