"""The comparisons that `pairbench compare --json` makes: read from a file, or made now from results."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Optional

from figures.results import Fault, load, origins_of, read

BUILT = Path(__file__).resolve().parents[2] / "build/release/bench/pairbench"
MEMBERS = {
    "baseline",
    "candidate",
    "paired",
    "families",
    "only_in_baseline",
    "only_in_candidate",
    "differences",
}
DEADLINE_S = 120
# Done; beyond --fail-over; undecided: there is a comparison in each case.
COMPARED = (0, 3, 6)


def find_pairbench(named: Optional[Path]) -> str:
    """The one named, else the one built beside this folder, else the one on PATH."""
    if named:
        return str(named.absolute())
    found = str(BUILT) if BUILT.exists() else shutil.which("pairbench")
    if not found:
        raise Fault(
            "the verdicts come from pairbench, which was not found: build it, or --pairbench FILE"
        )
    return found


def error_of(output: str, said: str) -> str:
    try:
        return str(json.loads(output)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return said.strip() or "no reason given"


def compare(files: list[Path], baseline: Optional[str], pairbench: str) -> dict[str, Any]:
    command = [pairbench, "compare", *map(str, files), "--json"]
    command += ["--baseline", baseline] if baseline else []
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S)
    except OSError as error:
        raise Fault(f"{pairbench}: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise Fault(f"pairbench compare: no answer in {DEADLINE_S} s") from error
    if done.returncode not in COMPARED:
        raise Fault(f"pairbench compare: {error_of(done.stdout, done.stderr)}")
    try:
        document: dict[str, Any] = json.loads(done.stdout)
    except ValueError as error:
        raise Fault(f"pairbench compare gave no JSON document ({error})") from error
    return document


def comparisons_of(
    files: list[Path], baseline: Optional[str], pairbench: Optional[Path]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Of one comparison file, of the transports of one result, or of two results, the older first; and where
    the results come from, which a comparison does not say."""
    origins: list[str] = []
    document = load(files[0])
    if document.get("kind") == "comparison":
        if len(files) > 1 or baseline:
            raise Fault(f"{files[0]}: a comparison is drawn alone, its baseline is in it", 2)
    elif len(files) > 2:
        raise Fault("one result or two: more cannot be compared at once", 2)
    else:
        origins = origins_of(read(files))
        document = compare(files, baseline, find_pairbench(pairbench))
    comparisons: list[dict[str, Any]] = document.get("comparisons", [])
    if not all(MEMBERS <= comparison.keys() for comparison in comparisons):
        raise Fault(f"{files[0]}: no comparison of pairbench")
    if not comparisons:
        raise Fault(f"{files[0]}: nothing was compared")
    return comparisons, origins
