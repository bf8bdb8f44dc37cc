"""Reads the documents that pairbench leaves, and says of each where it comes from."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable

SCHEMA_VERSION = 1
CASE_MEMBERS = {
    "transport",
    "test",
    "size_bytes",
    "status",
    "reason",
    "summary",
    "repeats",
    "quality",
}
LEAST_REPEATS = 6  # for an interval of 95 % from the order of the repeats


class Fault(Exception):
    """What ends a command: one line for the person, and the exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Result:
    path: Path
    name: str  # no other file of the figure has it
    data: dict[str, Any]

    @property
    def transports(self) -> list[str]:
        return [transport["label"] for transport in self.data["transports"]]


def load(path: Path) -> dict[str, Any]:
    """Any document of the version that is known here; an error's is a Fault."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Fault(f"{path}: {error.strerror}") from error
    except ValueError as error:
        hint = f"; pairbench show {path} --format json makes a document of it"
        partial = hint if path.suffix == ".partial" else ""
        raise Fault(f"{path}: no JSON document ({error}){partial}") from error
    if not isinstance(document, dict) or document.get("schema_version") != SCHEMA_VERSION:
        raise Fault(f"{path}: no pairbench document of version {SCHEMA_VERSION}")
    if "error" in document:
        said = document["error"]
        reason = said.get("message") if isinstance(said, dict) else said
        raise Fault(f"{path}: the run gave no result but an error: {reason}")
    return document


def is_result(document: dict[str, Any]) -> bool:
    cases = document.get("cases")
    if not {"run", "hosts", "transports"} <= document.keys() or not isinstance(cases, list):
        return False
    return all(isinstance(case, dict) and CASE_MEMBERS <= case.keys() for case in cases)


def read(paths: Iterable[Path]) -> list[Result]:
    results = []
    once = list(dict.fromkeys(paths))
    for path in once:
        document = load(path)
        if document.get("kind") == "comparison":
            raise Fault(f"{path}: this is a comparison, which plots/ratio draws")
        if not is_result(document):
            raise Fault(f"{path}: no result of pairbench (results/validate says what it lacks)")
        alike = [other for other in once if other.stem == path.stem]
        results.append(Result(path, path.stem if len(alike) == 1 else str(path), document))
    return results


def hosts_of(result: Result) -> str:
    hosts = result.data["hosts"]
    initiator = hosts["initiator"]["hostname"]
    if any(transport["one_host"] for transport in result.data["transports"]):
        return f"{initiator}, one host (not a network measurement)"
    responder = (hosts["responder"] or {}).get("hostname", "a host unknown")
    return f"{initiator} and {responder}"


def repeats_of(result: Result) -> list[int]:
    """How many there are of the cases that were measured; all the same unless the run was cut short."""
    return sorted({len(case["repeats"]) for case in result.data["cases"]} - {0})


def repeats_text(result: Result) -> str:
    counts, planned = repeats_of(result), result.data["run"]["repeats"]
    if not counts:
        return "nothing measured"
    if counts == [planned]:
        return "one repeat" if planned == 1 else f"{planned} repeats"
    return f"{' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} of {planned} repeats"


def intervals_of(results: list[Result]) -> str:
    """What the intervals of summaries are, by the number of repeats."""
    counts = {count for result in results for count in repeats_of(result)}
    kinds = {
        "95 % intervals over repeats": any(count >= LEAST_REPEATS for count in counts),
        f"none below {LEAST_REPEATS} repeats": any(1 < count < LEAST_REPEATS for count in counts),
        "of a single repeat within it, which says nothing of another run": 1 in counts,
    }
    return "; ".join(kind for kind, occurs in kinds.items() if occurs)


def software_of(result: Result) -> list[str]:
    """The transports for which no adapter does the work."""
    return [
        transport["label"]
        for transport in result.data["transports"]
        if (transport["initiator"] or {}).get("software")
    ]


def origin_of(result: Result) -> str:
    run = result.data["run"]
    parts = [hosts_of(result), repeats_text(result)]
    software = software_of(result)
    if software:
        whole = len(software) == len(result.transports)
        parts.append("no adapter" + ("" if whole else " for " + ", ".join(software)))
    parts.append(f"run {run['id'][:4]} of {run['started_at'][:10]}")
    if not run["complete"]:
        parts.append("INCOMPLETE")
    return "; ".join(parts)


def origins_of(results: list[Result]) -> list[str]:
    """One line a file, named where there are several."""
    if len(results) == 1:
        return [origin_of(results[0])]
    return [f"{result.name}: {origin_of(result)}" for result in results]


def source_of(results: list[Result], result: Result, transport: str) -> str:
    """A transport's name in a figure of `results`."""
    return transport if len(results) == 1 else f"{result.name} {transport}"


def sources_of(results: list[Result]) -> list[str]:
    """All of them, in the order by which every figure gives them their looks."""
    return [source_of(results, result, name) for result in results for name in result.transports]


def size_label(size: int) -> str:
    """8, 4K, 1M, as the tables write them."""
    for unit, letter in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if size >= unit and size % unit == 0:
            return f"{size // unit}{letter}"
    return str(size)


def size_labels(sizes: Iterable[int]) -> str:
    return ", ".join(size_label(size) for size in sorted(sizes))


def why_not_measured(case: dict[str, Any]) -> str:
    """Empty for cases that ended well; what a failed one gave is not to be used."""
    if case["status"] == "ok":
        return ""
    reason = f" ({case['reason']})" if case["reason"] else ""
    return str(case["status"]).replace("_", " ") + reason


def grade_of(case: dict[str, Any]) -> str:
    """Empty where nothing was measured."""
    return str(case["quality"]["grade"]) if case["quality"] else ""
