"""The page of `pairbench report` for documents of every kind, hostile ones too, and the command that makes it."""

import tempfile
import unittest
from pathlib import Path

from report_page import PRODUCED, Page, figures_of, load, main, report

HOSTILE = "</script><img src=x onerror=\"document.title='taken'\"><!-- \u202e\u2028 &amp; ' {0}"


class Documents(Page):
    def test_hostile_texts_do_nothing(self) -> None:
        document = load("two_transports.json")
        labels = ["__proto__", HOSTILE.format("x" * 3000)]
        old = [transport["label"] for transport in document["transports"]]
        names = dict(zip(old, labels))
        for transport in document["transports"]:
            transport["label"] = names[transport["label"]]
        for asked in document["config"]["transports"]:
            asked["label"] = names[asked["label"]]
        for case in document["cases"]:
            case["transport"] = names[case["transport"]]
            case["reason"] = case["reason"] and HOSTILE
        for host in document["hosts"].values():
            host["hostname"] = host["kernel"] = host["cpu_model"] = HOSTILE
            host["environment"] = {"FI_" + HOSTILE: HOSTILE}
        document["run"]["argv"] = [HOSTILE]
        document["warnings"] = [{"code": HOSTILE, "message": HOSTILE, "host": HOSTILE}]
        self.open(self.store("</script>.json".replace("/", "_"), document))
        self.assertEqual(self.browser.texts("#key button"), labels)
        self.assertEqual(self.browser.elements("img"), [])
        self.assertNotEqual(self.browser.driver.title, "taken")
        self.assertIn(HOSTILE, self.browser.texts("#warning-list li")[0])
        for width in (1200, 320):
            self.browser.look(width)
            self.assertLessEqual(
                self.browser.script("return document.documentElement.scrollWidth"), width
            )
        self.assert_quiet()

    def test_every_kind_is_shown(self) -> None:
        for name in ("sparse.json", "interrupted.json", "killed.json"):
            with self.subTest(name):
                self.open_produced(name)
                document = load(name)
                figures = figures_of(document, "pingpong", "p50")
                self.assert_figures("latency", figures, 0.5e-3)
                self.assertEqual(
                    bool(self.browser.elements(".alarm")), not document["run"]["complete"]
                )
                reasons = {case["reason"] for case in document["cases"] if case["reason"]}
                self.assertLessEqual(reasons, set(self.browser.texts("#missing-table td")))

    def test_warnings_are_in_words(self) -> None:
        self.open_produced("two_hosts.json")
        text = " ".join(self.browser.texts("#warning-list"))
        for warning in load("two_hosts.json")["warnings"]:
            self.assertIn(warning["message"], text)

    def test_two_runs_side_by_side(self) -> None:
        newer = load("two_hosts.json")
        newer["run"].update(id="newer", started_at="2027-01-01T00:00:00Z")
        newer["hosts"]["responder"]["kernel"] = "another kernel"
        self.open(self.store("newer.json", newer), str(PRODUCED / "two_hosts.json"))
        label = newer["transports"][0]["label"]
        heads = self.browser.texts("#verdict-list h3")
        self.assertEqual(heads[0], f"{label} (newer.json) against {label} (two_hosts.json)")
        self.assertIn("another kernel", " ".join(self.browser.texts("#environment tr:not(.alike)")))
        self.assertEqual(len(self.browser.elements("#key button")), 2)
        self.assertEqual(self.browser.texts("#download-list a"), ["newer.json", "two_hosts.json"])

    def test_narrow_and_dark_are_readable(self) -> None:
        for width, dark in ((320, False), (320, True), (1200, True)):
            self.browser.look(width, dark)
            self.open_produced("two_hosts.json", "two_transports.json")
            self.assertLessEqual(
                self.browser.script("return document.documentElement.scrollWidth"), width
            )
            self.assertGreaterEqual(self.least_contrast(), 4.5)

    def least_contrast(self) -> float:
        """Of the colours of text and curves against the paper, as WCAG counts it; curves need 3."""
        return float(
            self.browser.script(
                "const style = getComputedStyle(document.documentElement);"
                "const light = (name) => { const hex = style.getPropertyValue(`--${name}`).trim();"
                " const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)"
                "  .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));"
                " return 0.2126 * r + 0.7152 * g + 0.0722 * b; };"
                "const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);"
                "const names = ['ink', 'quiet', 'accent', 'good', 'bad', 'warn', 'track0', 'track1', 'track2',"
                " 'track3', 'track4', 'track5'];"
                "return Math.min(...names.map((name) => contrast(light(name), light('paper'))))"
            )
        )


class Command(unittest.TestCase):
    def test_what_is_there_is_not_overwritten(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "r.html"
            file = str(PRODUCED / "two_hosts.json")
            self.assertEqual(report(file, "-o", str(page)).returncode, 0)
            done = report(file, "-o", str(page))
            self.assertEqual(done.returncode, 1)
            self.assertIn("--force", done.stderr)
            self.assertEqual(report(file, "-o", str(page), "--force").returncode, 0)
            self.assertEqual(report(file, "-o", file, "--force").returncode, 2)

    def test_what_is_no_result_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "r.html"
            done = report(str(PRODUCED / "error.json"), "-o", str(page))
            self.assertEqual(done.returncode, 1)
            self.assertFalse(page.exists())


if __name__ == "__main__":
    main()
