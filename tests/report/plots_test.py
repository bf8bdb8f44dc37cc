"""plots/ draws what documents hold, and says what it leaves out."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PLOTS = Path(__file__).resolve().parents[2] / "plots"
PRODUCED = Path(os.environ["PAIRBENCH_PRODUCED"])
STARTS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


class Plots(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def plot(self, name: str, *arguments: str, path: str = "") -> tuple[int, str]:
        environment = dict(os.environ, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1")
        command = [sys.executable, str(PLOTS / name), *arguments]
        done = subprocess.run(
            command, stderr=subprocess.PIPE, text=True, timeout=100, env=environment
        )
        return done.returncode, done.stderr

    def draw(self, name: str, suffix: str, *arguments: str) -> str:
        out = self.folder / f"figure{suffix}"
        status, said = self.plot(name, *arguments, "-o", str(out))
        self.assertEqual(status, 0, said)
        self.assertTrue(out.read_bytes().startswith(STARTS[suffix]))
        return said

    def test_several_transports_and_files(self) -> None:
        files = [str(PRODUCED / "two_transports.json"), str(PRODUCED / "two_hosts.json")]
        self.draw("latency", ".png", *files, "--figure", "p50", "--figure", "p99")
        self.draw("bandwidth", ".pdf", *files)

    def test_names_and_sizes_are_in_the_figure(self) -> None:
        self.draw("latency", ".svg", str(PRODUCED / "two_hosts.json"))
        text = (self.folder / "figure.svg").read_text()
        for label in ("64K", "libfabric:tcp p50", "nodeA and nodeB"):
            self.assertIn(f"<!-- {label} -->", text)

    def test_a_single_zero_byte_point_is_drawn(self) -> None:
        self.assertEqual(self.draw("latency", ".svg", str(PRODUCED / "sparse.json")), "")
        text = (self.folder / "figure.svg").read_text()
        self.assertIn("(0 stands where a half would)", text)
        self.assertIn("nodeA, one host", text)

    def test_what_was_not_measured_is_said(self) -> None:
        said = self.draw("bandwidth", ".png", str(PRODUCED / "two_hosts.json"))
        self.assertIn("libfabric:tcp one way: not shown (not measured", said)
        self.assertIn("1M, 2M", said)

    def test_nothing_to_draw_is_an_error(self) -> None:
        out = self.folder / "figure.png"
        status, said = self.plot("bandwidth", str(PRODUCED / "sparse.json"), "-o", str(out))
        self.assertEqual(status, 1)
        self.assertIn("no figures of this kind", said)
        self.assertFalse(out.exists())

    def test_what_is_no_result_is_one_line(self) -> None:
        for text in ("{", "[]", json.dumps({"schema_version": 2}), "{}"):
            path = self.folder / "r.json"
            path.write_text(text)
            status, said = self.plot("latency", str(path), "-o", "x.png")
            self.assertEqual(status, 1)
            self.assertEqual(said.count("\n"), 1, said)
        status, said = self.plot("latency", str(PRODUCED / "error.json"), "-o", "x.png")
        self.assertEqual(status, 1)
        self.assertIn("the run gave no result but an error: --sizes", said)

    def test_another_kind_of_picture_is_a_usage_error(self) -> None:
        status, said = self.plot("latency", str(PRODUCED / "two_hosts.json"), "-o", "x.gif")
        self.assertEqual(status, 2)
        self.assertIn(".png, .svg or .pdf", said)

    def test_without_matplotlib_one_line_says_how_to_get_it(self) -> None:
        (self.folder / "matplotlib.py").write_text("raise ImportError\n")
        file = str(PRODUCED / "two_hosts.json")
        status, said = self.plot("latency", file, "-o", "x.png", path=str(self.folder))
        self.assertEqual(status, 2)
        self.assertIn("apt install python3-matplotlib", said)
        self.assertEqual(said.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
