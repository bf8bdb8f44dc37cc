"""What the tests of plots/ share: running its commands, and its modules to look into figures."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

PLOTS = Path(__file__).resolve().parents[2] / "plots"
PRODUCED = Path(os.environ["PAIRBENCH_PRODUCED"])
PAIRBENCH = os.environ["PAIRBENCH"]
STARTS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}

sys.dont_write_bytecode = True
sys.path.insert(0, str(PLOTS))


def produced(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((PRODUCED / name).read_text())
    return document


class PlotsCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def plot(self, name: str, *arguments: str, path: str = "") -> tuple[int, str, str]:
        """Exit status, what was printed, what was said on stderr."""
        environment = dict(os.environ, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1")
        command = [sys.executable, str(PLOTS / name), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, env=environment)
        return done.returncode, done.stdout, done.stderr

    def draw(self, name: str, suffix: str, *arguments: str) -> str:
        """What was said while a picture of that kind was made."""
        out = self.folder / f"figure{suffix}"
        status, _, said = self.plot(name, *arguments, "-o", str(out))
        self.assertEqual(status, 0, said)
        self.assertTrue(out.read_bytes().startswith(STARTS[suffix]))
        return said

    def refused(self, name: str, *arguments: str, status: int = 1) -> str:
        """The one line that was said instead."""
        out = self.folder / "none.png"
        got, _, said = self.plot(name, *arguments, "-o", str(out))
        self.assertEqual(got, status, said)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertFalse(out.exists())
        return said

    def text_of_svg(self) -> str:
        """matplotlib notes every text beside its outlines: <!-- text -->."""
        return (self.folder / "figure.svg").read_text()

    def write(self, name: str, document: Any) -> Path:
        path = self.folder / name
        path.write_text(json.dumps(document))
        return path
