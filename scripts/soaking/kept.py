"""Whether a run's file holds what the run announced."""

import json
import subprocess
from pathlib import Path
from typing import Any


def announced(stream: str) -> tuple[str | None, int]:
    """Of `--json-stream`: the run's id and how many repeats it said were finished."""
    run = None
    repeats = 0
    for line in stream.splitlines(keepends=True):
        if not line.endswith("\n"):
            break  # torn by a kill
        told: dict[str, Any] = json.loads(line)
        if "document" in told:
            run = told["document"]["run"]["id"]
        repeats += "result" in told
    return run, repeats


class Unreadable(Exception):
    """A file that pairbench itself cannot show."""


def read(program: Path, file: Path) -> Any:
    shown = subprocess.run(
        [program, "show", file, "--json"], capture_output=True, text=True, timeout=60
    )
    if shown.returncode != 0:
        raise Unreadable(f"{file.name}: {shown.stderr.strip()}")
    return json.loads(shown.stdout)


def repeats_in(document: Any) -> int:
    return sum(len(case["repeats"]) for case in document["cases"])


def saved(program: Path, place: Path, run: str) -> int:
    """How many repeats of the run the file, or else its partial file, holds. An older result that stands there
    must be whole. Throws Unreadable."""
    repeats = 0
    for file in (place, place.with_name(place.name + ".partial")):
        if file.exists() and file.stat().st_size > 0:
            document = read(program, file)
            if document["run"]["id"] == run:
                repeats = max(repeats, repeats_in(document))
    return repeats
