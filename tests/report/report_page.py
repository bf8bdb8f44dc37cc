"""What the tests of the report's page share: pages of documents, and what a reader sees of them."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Optional, Sequence

from browser import Browser, Keys, skip, require_browser

PAIRBENCH = os.environ["PAIRBENCH"]
PRODUCED = Path(os.environ["PAIRBENCH_PRODUCED"])


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


def scale(figures: dict[str, Any], names: Sequence[str], factor: float) -> None:
    for name in names:
        for bound, number in (figures[name] or {}).items():
            figures[name][bound] = number and round(number * factor, 3)


def resize(case: dict[str, Any], size: int) -> None:
    """As if its messages had been of another size."""
    streams = (
        "delivered_bytes_per_second",
        "forward_bytes_per_second",
        "backward_bytes_per_second",
    )
    if size:
        scale(case["summary"], streams, size / case["size_bytes"])
    else:
        case["summary"].update(dict.fromkeys(streams))
    for repeat in case["repeats"]:
        for end in (repeat["initiator"], repeat["responder"]):
            for way in ("sent", "received"):
                end[f"bytes_{way}"] = size * end[f"messages_{way}"]
        for stream in (repeat["forward"], repeat["backward"]):
            if stream:
                stream["interval_bytes"] = size * stream["interval_messages"]
                stream["delivered_bytes_per_second"] = size * stream["messages_per_second"]
    case["size_bytes"] = size


def several_sizes() -> dict[str, Any]:
    """Two transports with a case at each of several sizes, the latter the slower ones."""
    document = load("two_transports.json")
    times = ("min", "p50", "p90", "p99", "max", "mean")
    cases = []
    for case in document["cases"]:
        for step, size in enumerate((0, 8, 512, 4096, 1 << 20)):
            copy = json.loads(json.dumps(case))
            resize(copy, size)
            for part in [copy["summary"], *copy["repeats"]]:
                if part.get("rtt_ns"):
                    scale(part["rtt_ns"], times, 3**step)
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
        offers = self.browser.elements(f"#{part}-controls option, #{part}-controls label")
        found = next((offer for offer in offers if offer.text == text), None)
        self.assertIsNotNone(found, f"{part} offers no '{text}'")
        found.click()  # type: ignore[union-attr]

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


def require_page() -> None:
    with tempfile.TemporaryDirectory() as folder:
        done = report(str(PRODUCED / "two_hosts.json"), "-o", str(Path(folder) / "r.html"))
        if "built without" in done.stderr:
            skip(done.stderr.splitlines()[0])


def main() -> None:
    require_browser()
    require_page()
    unittest.main()
