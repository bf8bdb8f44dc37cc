"""The page of `pairbench report` in a browser: what it shows is what the documents hold."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Optional

from browser import Browser, require_browser, skip

require_browser()
from browser import ActionChains, Keys  # noqa: E402

PAIRBENCH = os.environ["PAIRBENCH"]
PRODUCED = Path(os.environ["PAIRBENCH_PRODUCED"])
FACTORS = {"latency": 0.5e-3, "bandwidth": 8e-9}
HOSTILE = "</script><img src=x onerror=\"document.title='taken'\"><!-- \u202e\u2028 &amp; ' {0}"


def report(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [PAIRBENCH, "report", *arguments], stderr=subprocess.PIPE, text=True, timeout=60
    )


def load(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((PRODUCED / name).read_text())
    return document


def figures_of(document: dict[str, Any], test: str, figure: str) -> dict[tuple[str, int], Any]:
    """What is stored, by transport and size."""
    found = {}
    for case in document["cases"]:
        if case["test"] == test:
            group = case["summary"]["rtt_ns"] if test == "pingpong" else case["summary"]
            found[case["transport"], case["size_bytes"]] = (group or {}).get(figure)
    return found


def several_sizes() -> dict[str, Any]:
    """Two transports with a case at each of several sizes, the latter the slower ones."""
    document = load("two_transports.json")
    cases = []
    for case in document["cases"]:
        for step, size in enumerate((0, 8, 512, 4096, 1 << 20)):
            copy = json.loads(json.dumps(case))
            copy["size_bytes"] = size
            for estimate in filter(None, (copy["summary"]["rtt_ns"] or {}).values()):
                for bound in (b for b in estimate if isinstance(estimate[b], float)):
                    estimate[bound] = round(estimate[bound] * 3**step, 3)
            cases.append(copy)
    document["cases"] = cases
    return document


def bytes_of(label: str) -> int:
    number, letter = re.fullmatch(r"(\d+)([KMG]?)", label).groups()  # type: ignore[union-attr]
    return int(number) << {"": 0, "K": 10, "M": 20, "G": 30}[letter]


class Page(unittest.TestCase):
    browser: Browser

    @classmethod
    def setUpClass(cls) -> None:
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.close()

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.browser.look(1200)

    def store(self, name: str, document: dict[str, Any]) -> str:
        path = self.folder / name
        path.write_text(json.dumps(document, ensure_ascii=False))
        return str(path)

    def open(self, *files: str) -> None:
        page = self.folder / "report.html"
        done = report(*files, "-o", str(page), "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.browser.open(page)
        self.assert_quiet()

    def open_produced(self, *names: str) -> None:
        self.open(*(str(PRODUCED / name) for name in names))

    def assert_quiet(self) -> None:
        """Nothing was said on the console, and nothing but the file itself asked for."""
        self.assertEqual(self.browser.complaints(), [])
        asked = [url for url in self.browser.requests() if not url.startswith(("data:", "blob:"))]
        self.assertLessEqual(set(asked), {self.browser.driver.current_url})

    def table(self, part: str) -> dict[tuple[str, int], tuple[Optional[float], str, str]]:
        """A table of figures: stored value, text and interval, by transport and size."""
        rows = self.browser.script(
            "const cell = (c) => { const d = c.querySelector('data'); const s = c.querySelector('small');"
            " return d && [d.value, d.textContent, s.textContent.trim()]; };"
            "return [...document.querySelectorAll(`#${arguments[0]}-figures tr`)].map((row) =>"
            " [...row.children].map((c) => cell(c) ?? c.textContent))",
            part,
        )
        names = rows[0][1:]
        return {
            (name, bytes_of(row[0])): (float(cell[0]) if cell[0] else None, cell[1], cell[2])
            for row in rows[1:]
            for name, cell in zip(names, row[1:])
            if isinstance(cell, list)
        }

    def choose(self, part: str, text: str) -> None:
        for option in self.browser.elements(f"#{part}-controls option"):
            if option.text == text:
                return option.click()
        for label in self.browser.elements(f"#{part}-controls label"):
            if label.text == text:
                return label.click()
        self.fail(f"{part} offers no '{text}'")

    def assert_figures(self, part: str, stored: dict[tuple[str, int], Any], factor: float) -> None:
        shown = self.table(part)
        self.assertEqual(set(shown), set(stored))
        for key, estimate in stored.items():
            value, text, interval = shown[key]
            if estimate is None:
                self.assertEqual((value, text, interval), (None, "n/a", ""))
                continue
            self.assertEqual(value, estimate["value"])
            bounds = [estimate["value"], estimate["low"], estimate["high"]]
            expected = [b * factor for b in bounds if b is not None]
            numbers = [float(n) for n in re.findall(r"[\d.e+-]+", f"{text} {interval}")]
            self.assertEqual(len(numbers), len(expected), f"{text} {interval}")
            for number, exact in zip(numbers, expected):
                self.assertAlmostEqual(number, exact, delta=0.005 * exact)

    def tip(self, part: str) -> list[str]:
        return self.browser.texts(f"#{part} .tip:not([hidden]) > div")

    def visited(self, part: str) -> list[str]:
        """The titles of the readout as the right arrow key is pressed again and again."""
        stage = self.browser.element(f"#{part} .stage")
        stage.send_keys(Keys.HOME)
        titles: list[str] = []
        while not titles or self.tip(part)[0] != titles[-1]:
            titles.append(self.tip(part)[0])
            stage.send_keys(Keys.ARROW_RIGHT)
        return titles

    def coloured(self, part: str, track: int) -> int:
        """How many pixels of a chart have a track's colour."""
        return int(
            self.browser.script(
                "const canvas = document.querySelector(`#${arguments[0]} canvas`);"
                "const copy = new OffscreenCanvas(canvas.width, canvas.height);"
                "const pixels = copy.getContext('2d', { willReadFrequently: true });"
                "pixels.drawImage(canvas, 0, 0);"
                "const style = getComputedStyle(document.documentElement);"
                "const hex = style.getPropertyValue(`--track${arguments[1]}`).trim();"
                "const rgb = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));"
                "const { data } = pixels.getImageData(0, 0, copy.width, copy.height);"
                "let found = 0;"
                "for (let i = 0; i < data.length; i += 4)"
                " if (data[i + 3] > 250 && rgb.every((c, k) => Math.abs(data[i + k] - c) < 3)) found++;"
                "return found",
                part,
                track,
            )
        )


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
        ActionChains(self.browser.driver).move_to_element(over).perform()
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
        self.assertTrue(self.tip("distribution")[1].endswith(f"100 % ({sum(counts)} of {sum(counts)})"))
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


class Use(Page):
    def test_a_click_on_a_transport_hides_its_curve(self) -> None:
        self.open(self.store("several.json", several_sizes()))
        parts = ("latency", "distribution")
        before = {part: [self.coloured(part, track) for track in (0, 1)] for part in parts}
        button = self.browser.elements("#key button")[1]
        button.click()
        self.assertEqual(button.get_attribute("aria-pressed"), "false")
        for part in parts:
            self.assertGreater(min(before[part]), 50)
            self.browser.wait_for("hidden curve", lambda p=part: self.coloured(p, 1) == 0)
            self.assertGreater(self.coloured(part, 0), 50)
        hidden = load("two_transports.json")["transports"][1]["label"]
        self.assertNotIn(hidden, {name for name, _ in self.table("latency")})
        button.click()
        self.browser.wait_for("curve again", lambda: self.coloured("latency", 1) > 50)
        self.assert_quiet()

    def test_zoom_by_keys_buttons_and_pointer(self) -> None:
        self.open(self.store("several.json", several_sizes()))
        everything = self.visited("latency")
        self.assertGreater(len(everything), 2)
        stage = self.browser.element("#latency .stage")
        stage.send_keys("+++")
        self.assertLess(len(self.visited("latency")), len(everything))
        stage.send_keys("0")
        self.assertEqual(len(self.visited("latency")), len(everything))
        over = self.browser.element("#latency .u-over")
        half = over.size["width"] // 2
        pointer = ActionChains(self.browser.driver)
        pointer.move_to_element_with_offset(over, -half + 5, 0).click_and_hold()
        pointer.move_by_offset(half // 2, 3).move_by_offset(half // 2 - 20, 3).release().perform()
        inside = self.visited("latency")
        self.assertLess(len(inside), len(everything))
        self.assertEqual(inside[0], everything[0])
        ActionChains(self.browser.driver).double_click(over).perform()
        self.assertEqual(len(self.visited("latency")), len(everything))
        self.assert_quiet()

    def test_linear_and_logarithmic(self) -> None:
        self.open(self.store("several.json", several_sizes()))
        canvas = "return document.querySelector('#latency canvas').toDataURL()"
        pictures = {self.browser.script(canvas)}
        for fieldset in self.browser.elements("#latency-controls .choice")[1:]:
            fieldset.find_elements("css selector", "label")[1].click()
            pictures.add(self.browser.script(canvas))
        self.assertEqual(len(pictures), 3)
        self.assert_quiet()

    def test_the_keyboard_reaches_everything(self) -> None:
        self.open(self.store("several.json", several_sizes()))
        missed = self.browser.script(
            "return [...document.querySelectorAll('button, select, summary, input, a[href], .stage')]"
            ".filter((e) => e.checkVisibility() && e.tabIndex < 0).length"
        )
        self.assertEqual(missed, 0)
        self.browser.elements("#key button")[0].send_keys(Keys.SPACE)
        self.assertEqual(self.browser.elements("#key button")[0].get_attribute("aria-pressed"), "false")
        rtt = self.browser.element("#latency-controls input[value=oneway]")
        rtt.send_keys(Keys.ARROW_RIGHT)
        self.assertIn("round trip", self.browser.texts("#latency-figures caption")[0])
        self.browser.element("#latency .stage").send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.browser.texts("#latency .unseen"), ["; ".join(self.tip("latency"))])

    def test_the_document_comes_back_byte_for_byte(self) -> None:
        text = (PRODUCED / "two_hosts.json").read_text()
        text = text.replace("nodeA", "</script>\u2028é").replace("\n", "\r\n")
        path = self.folder / "back.json"
        path.write_bytes(b"\xef\xbb\xbf" + text.encode())
        self.open(str(path))
        self.browser.element("#download-list a").click()
        saved = self.browser.downloads / "back.json"
        self.browser.wait_for("download", saved.exists)
        self.assertEqual(saved.read_bytes(), path.read_bytes())


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
            self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), width)
        self.assert_quiet()

    def test_every_kind_is_shown(self) -> None:
        for name in ("sparse.json", "interrupted.json", "killed.json"):
            with self.subTest(name):
                self.open_produced(name)
                document = load(name)
                figures = figures_of(document, "pingpong", "p50")
                self.assert_figures("latency", figures, 0.5e-3)
                self.assertEqual(bool(self.browser.elements(".alarm")), not document["run"]["complete"])
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
            self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), width)
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


def require_page() -> None:
    with tempfile.TemporaryDirectory() as folder:
        done = report(str(PRODUCED / "two_hosts.json"), "-o", str(Path(folder) / "r.html"))
        if "built without" in done.stderr:
            skip(done.stderr.splitlines()[0])


if __name__ == "__main__":
    require_page()
    unittest.main()
