"""plots/latency and plots/bandwidth draw what documents hold, and say what they leave out."""

import json
import unittest
from typing import Any

from plots_case import PRODUCED, PlotsCase, produced

from figures import bandwidth, latency
from figures.results import read


def drawn(sheet: Any) -> dict[float, float]:
    """Where the markers of a figure stand."""
    marks = [line.get_xydata() for line in sheet.panels[0].lines if line.get_marker() == "o"]
    return {x: y for line in marks for x, y in line}


class Commands(PlotsCase):
    def test_several_transports_and_files(self) -> None:
        files = [str(PRODUCED / "two_transports.json"), str(PRODUCED / "two_hosts.json")]
        self.draw("latency", ".png", *files, "--figure", "p50", "--figure", "p99")
        self.draw("bandwidth", ".pdf", *files)

    def test_names_sizes_and_units_are_in_the_figure(self) -> None:
        self.draw("latency", ".svg", str(PRODUCED / "two_hosts.json"))
        text = self.text_of_svg()
        for label in ("64K", "libfabric:tcp", "round trip (RTT), µs"):
            self.assertIn(f"<!-- {label} -->", text)
        self.assertIn("nodeA and nodeB; 9 repeats", text)
        self.assertIn("95 % intervals over repeats", text)

    def test_names_are_shown_as_they_are(self) -> None:
        """A $ begins no formula, and an underscore hides nothing."""
        document = json.loads((PRODUCED / "two_hosts.json").read_text())
        document["hosts"]["initiator"]["hostname"] = r"a$\frac$"
        files = [self.folder / name for name in ("_old.json", "_new.json")]
        for file in files:
            file.write_text(json.dumps(document))
        self.draw("latency", ".svg", *map(str, files))
        text = self.text_of_svg()
        self.assertIn(r"a$\frac$", text)
        self.assertIn("_old", text)
        self.assertIn("_new", text)

    def test_the_same_document_gives_the_same_bytes(self) -> None:
        for suffix in (".svg", ".pdf", ".png"):
            pictures = []
            for _ in range(2):
                self.draw("latency", suffix, str(PRODUCED / "two_hosts.json"))
                pictures.append((self.folder / f"figure{suffix}").read_bytes())
            self.assertEqual(*pictures)

    def test_a_single_zero_byte_point_is_drawn(self) -> None:
        self.assertEqual(self.draw("latency", ".svg", str(PRODUCED / "sparse.json")), "")
        text = self.text_of_svg()
        self.assertIn("0 stands left of the scale", text)
        self.assertIn("nodeA, one host (not a network measurement); one repeat", text)
        self.assertIn("says nothing of another run", text)

    def test_what_was_not_measured_is_said(self) -> None:
        said = self.draw("bandwidth", ".svg", str(PRODUCED / "two_hosts.json"))
        skipped = "not drawn, skipped (above the largest message): libfabric:tcp one way at 1M, 2M"
        failed = "not drawn, failed (counts differ: 10 sent, 9 received): "
        for note in (skipped, failed + "libfabric:tcp both ways together at 8"):
            self.assertIn(note, said)
            self.assertIn(note, self.text_of_svg())

    def test_a_run_cut_short_is_called_so(self) -> None:
        self.draw("latency", ".svg", str(PRODUCED / "killed.json"))
        self.assertIn("1 of 9 repeats", self.text_of_svg())
        self.assertIn("INCOMPLETE", self.text_of_svg())
        self.assertNotIn("intervals over repeats", self.text_of_svg())

    def test_nothing_to_draw_is_an_error(self) -> None:
        said = self.refused("bandwidth", str(PRODUCED / "sparse.json"))
        self.assertIn("nothing to draw; not drawn, no bytes, or too few messages", said)

    def test_what_is_no_result_is_one_line(self) -> None:
        path = self.folder / "r.json"
        bad: list[Any] = [[], {"schema_version": 2}, {"schema_version": 1}, {}]
        bad.append({"schema_version": 1, "run": {}, "hosts": {}, "transports": [], "cases": [{}]})
        whole = (PRODUCED / "two_hosts.json").read_text()
        for text in ["", "{", whole[: len(whole) // 2]] + [
            json.dumps(document) for document in bad
        ]:
            path.write_text(text)
            self.assertIn("r.json", self.refused("latency", str(path)))
        path.write_bytes(b"\xff\xfe")
        self.assertIn("no JSON", self.refused("latency", str(path)))
        said = self.refused("latency", str(PRODUCED / "error.json"))
        self.assertIn("the run gave no result but an error: --sizes", said)

    def test_a_partial_file_is_met_with_the_way_out(self) -> None:
        path = self.folder / "r.json.partial"
        path.write_text('{"schema_version": 1}\n{"case": 0}\n')
        self.assertIn("pairbench show", self.refused("latency", str(path)))

    def test_another_kind_of_picture_is_a_usage_error(self) -> None:
        status, _, said = self.plot("latency", str(PRODUCED / "two_hosts.json"), "-o", "x.gif")
        self.assertEqual(status, 2)
        self.assertIn(".png, .svg or .pdf", said)

    def test_half_of_a_tail_is_refused(self) -> None:
        tail = ("--figure", "p99", "--one-way")
        said = self.refused("latency", str(PRODUCED / "two_hosts.json"), *tail, status=2)
        self.assertIn("half of a tail means nothing", said)

    def test_a_member_of_a_wrong_kind_is_one_line(self) -> None:
        document = json.loads((PRODUCED / "two_hosts.json").read_text())
        for case in document["cases"]:
            if case["summary"]["rtt_ns"]:
                case["summary"]["rtt_ns"]["p50"]["value"] = "fast"
        bad = self.folder / "bad.json"
        bad.write_text(json.dumps(document))
        self.assertIn("of a wrong kind", self.refused("latency", str(bad)))

    def test_a_folder_that_is_not_there_is_one_line(self) -> None:
        out = str(self.folder / "none" / "x.png")
        status, _, said = self.plot("latency", str(PRODUCED / "two_hosts.json"), "-o", out)
        self.assertEqual((status, said.count("\n")), (1, 1), said)

    def test_without_matplotlib_one_line_says_how_to_get_it(self) -> None:
        (self.folder / "matplotlib.py").write_text("raise ImportError\n")
        file = str(PRODUCED / "two_hosts.json")
        for name in ("latency", "bandwidth", "distribution", "all"):
            out = str(self.folder / "x.png")
            status, _, said = self.plot(name, file, "-o", out, path=str(self.folder))
            self.assertEqual(status, 2)
            self.assertIn("apt install python3-matplotlib", said)
            self.assertEqual(said.count("\n"), 1)

    def test_every_command_explains_itself(self) -> None:
        for name in ("latency", "bandwidth", "distribution", "ratio", "all"):
            status, said, _ = self.plot(name, "--help")
            self.assertEqual(status, 0)
            self.assertIn("--out", said)


class Figures(PlotsCase):
    """What stands where in a figure."""

    def sheet_of(self, document: dict[str, Any], **options: bool) -> Any:
        results = read([self.write("r.json", document)])
        return latency.draw(results, ["p50"], **options)

    def test_points_are_the_documents(self) -> None:
        document = produced("two_hosts.json")
        rtt = {
            case["size_bytes"]: case["summary"]["rtt_ns"]["p50"]["value"]
            for case in document["cases"]
            if case["test"] == "pingpong"
        }
        self.assertGreater(len(rtt), 1)
        ways: list[tuple[int, dict[str, bool]]]
        ways = [(1, {}), (2, {"one_way": True}), (1, {"linear": True})]
        for halves, options in ways:
            got = drawn(self.sheet_of(document, **options))
            self.assertEqual(got.keys(), rtt.keys())
            for size, value in rtt.items():
                self.assertAlmostEqual(got[size], value / 1000 / halves, places=6)

    def test_bandwidth_and_its_limits(self) -> None:
        document = produced("two_hosts.json")
        for end in ("initiator", "responder"):
            document["transports"][0][end]["link_bits_per_second"] = 40e9
        document["transports"][0]["responder"]["link_bits_per_second"] = 25e9
        for linear in (False, True):
            sheet = bandwidth.draw(read([self.write("r.json", document)]), linear)
            self.assertAlmostEqual(drawn(sheet)[65536], 45000 * 65536 * 8e-9, places=3)
            texts = [text.get_text() for text in sheet.panels[0].texts]
            self.assertEqual(texts, ["link: 25 Gb/s", "link, both ways: 50 Gb/s"])
            self.assertGreater(sheet.panels[0].get_ylim()[1], 50)

    def test_an_unknown_link_is_said(self) -> None:
        document = produced("two_hosts.json")
        for end in ("initiator", "responder"):
            document["transports"][0][end]["link_bits_per_second"] = None
        sheet = bandwidth.draw(read([self.write("r.json", document)]))
        self.assertIn("no limit drawn, link speed unknown: libfabric:tcp", sheet.notes)

    def with_sizes(self, sizes: list[int]) -> dict[str, Any]:
        document = produced("two_hosts.json")
        case = next(case for case in document["cases"] if case["test"] == "pingpong")
        document["cases"] = [json.loads(json.dumps({**case, "size_bytes": n})) for n in sizes]
        return document

    def test_a_line_is_broken_where_a_figure_is_missing(self) -> None:
        document = self.with_sizes([8, 64, 512, 4096])
        document["cases"][2]["summary"]["rtt_ns"]["p50"] = None
        sheet = self.sheet_of(document)
        strokes = [line for line in sheet.panels[0].lines if line.get_marker() == ""]
        lengths = [len(line.get_xdata()) for line in strokes if line.get_linewidth() > 1]
        self.assertEqual(sorted(lengths), [1, 2])
        self.assertIn("not drawn, too few round trips: libfabric:tcp at 512", sheet.notes)

    def test_zero_is_left_out_of_a_logarithm_and_said(self) -> None:
        document = self.with_sizes([8, 64])
        document["cases"][0]["summary"]["rtt_ns"]["p50"] = {"value": 0, "low": 0, "high": 0}
        sheet = self.sheet_of(document)
        self.assertEqual(list(drawn(sheet)), [64])
        self.assertIn("zero has no place on a logarithmic axis: libfabric:tcp at 8", sheet.notes[0])
        self.assertEqual(list(drawn(self.sheet_of(document, linear=True))), [8, 64])

    def test_what_no_verdict_may_rest_on_is_hollow(self) -> None:
        document = self.with_sizes([8, 64])
        document["cases"][1]["quality"] = {"grade": "C", "flags": ["CHECKED"]}
        sheet = self.sheet_of(document)
        fills = {
            line.get_xdata()[0]: line.get_markerfacecolor()
            for line in sheet.panels[0].lines
            if line.get_marker() == "o" and len(line.get_xdata())
        }
        self.assertEqual(fills[64], "white")
        self.assertNotEqual(fills[8], "white")
        self.assertIn("grade C, no verdict may rest on it: libfabric:tcp at 64", sheet.notes[0])

    def test_a_transport_looks_the_same_in_every_figure(self) -> None:
        document = produced("two_transports.json")
        whole = {
            line.get_label(): line.get_color() for line in self.sheet_of(document).panels[0].lines
        }
        document["cases"] = [case for case in document["cases"] if case["transport"] != "old"]
        rest = {
            line.get_label(): line.get_color() for line in self.sheet_of(document).panels[0].lines
        }
        self.assertEqual(whole["verbs:rxe0/1/1"], rest["verbs:rxe0/1/1"])
        self.assertNotEqual(whole["verbs:rxe0/1/1"], whole["old"])

    def test_all_sizes_are_labelled_that_fit(self) -> None:
        sheet = self.sheet_of(self.with_sizes([0] + [1 << power for power in range(23)]))
        labels = [label.get_text() for label in sheet.panels[0].get_xticklabels()]
        for label in ("0", "1", "1M", "4M"):
            self.assertIn(label, labels)
        self.assertLess(len(labels), 15)


if __name__ == "__main__":
    unittest.main()
