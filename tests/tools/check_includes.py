#!/usr/bin/python3
"""Holds every #include of src/ and bench/ against the rooms of docs/architecture.md.

    check_includes.py [ROOT]

Prints one line for each #include that breaks a rule, as FILE:LINE: error: RULE, and exits 1.
"""

import re
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

CAPABILITIES = "transport/capabilities.h"
BELOW_HARNESS = ("base", "stats", "transport", "plan", "control", "workload", "report")

# Who may include whom: rooms, or single headers of a room. Every room may include itself.
TABLE: dict[str, tuple[str, ...]] = {
    "base": (),
    "stats": ("base",),
    "transport": ("base",),
    "workload": ("transport", "base"),
    "plan": ("base", CAPABILITIES),
    "control": ("plan", "base", CAPABILITIES),
    "report": ("plan", "stats", "base", CAPABILITIES),
    "compare": ("report", "plan", "stats", "base"),
    "harness": BELOW_HARNESS,
    "cli": (*BELOW_HARNESS, "harness", "compare"),
    "bench": ("cli",),
    "bench/micro": (*BELOW_HARNESS, "harness", "cli"),
    "bare_libfabric": (),  # the floor: no code of the suite
}

# Headers of others that are kept to a few places: what to match, where it may stand, who may do so.
KEPT = (
    (
        re.compile(r"(rdma|infiniband)/"),
        re.compile(
            r"src/(transport/(libfabric|verbs)/|harness/[^/]*(libfabric|verbs))"
            r"|bench/micro/(bare_libfabric/|yielding_verbs\.cc$)"
        ),
        "src/transport/{libfabric,verbs}, their file in src/harness, bench/micro/bare_libfabric and bench/micro/yielding_verbs.cc",
    ),
    (re.compile(r"asio(\.hpp$|/)"), re.compile(r"src/control/"), "src/control"),
)

INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')


class Include(NamedTuple):
    file: str  # from the root
    line: int
    quoted: bool
    target: str


def includes_below(root: Path) -> Iterator[Include]:
    for top in ("src", "bench"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cc", ".hpp", ".cpp", ".c", ".in"):
                continue
            for number, line in enumerate(path.read_text().splitlines(), start=1):
                if match := INCLUDE.match(line):
                    name = str(path.relative_to(root))
                    yield Include(name, number, match[1] == '"', match[2])


def room_of(file: str) -> str:
    if file.startswith("bench/micro/"):
        return "bare_libfabric" if "/bare_libfabric/" in file else "bench/micro"
    return file.removeprefix("src/").split("/")[0]


def fault_of(include: Include) -> str | None:
    """Says which rule the #include breaks, if any."""
    room = room_of(include.file)
    target_room = include.target.split("/")[0]
    if room not in TABLE:
        return f"the table knows no room '{room}'"
    if not include.quoted:
        for header, allowed, where in KEPT:
            if header.match(include.target) and not allowed.match(include.file):
                return f"<{include.target}> may be included in {where} alone"
        if "/" in include.target and target_room in TABLE:
            return f'<{include.target}> is ours: write "{include.target}"'
        return None
    if "/" not in include.target or target_room not in TABLE or ".." in include.target:
        return f'"{include.target}" does not start with a room: write it as seen from src'
    if target_room == room or {target_room, include.target} & set(TABLE[room]):
        return None
    return f'{room} may not include "{include.target}" (it may: {", ".join(TABLE[room]) or "none"})'


def cycle_in(edges: dict[str, list[str]]) -> list[str] | None:
    """The first cycle found, its start named at both ends."""
    finished: set[str] = set()
    path: list[str] = []

    def visit(node: str) -> list[str] | None:
        if node in path:
            return path[path.index(node) :] + [node]
        if node in finished:
            return None
        path.append(node)
        for following in edges.get(node, []):
            if cycle := visit(following):
                return cycle
        path.pop()
        finished.add(node)
        return None

    for start in sorted(edges):
        if cycle := visit(start):
            return cycle
    return None


def faults_below(root: Path) -> list[str]:
    includes = list(includes_below(root))
    if not includes:
        return [f"{root}: error: no #include below src and bench"]
    faults = [
        f"{include.file}:{include.line}: error: {fault}"
        for include in includes
        if (fault := fault_of(include))
    ]
    rooms: dict[str, list[str]] = {}
    for include in includes:
        target_room = room_of(include.target)
        if include.quoted and target_room != room_of(include.file):
            rooms.setdefault(room_of(include.file), []).append(target_room)
    if cycle := cycle_in(rooms):
        faults.append(f"{root}: error: rooms include each other: {' -> '.join(cycle)}")
    return faults


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    faults = faults_below(root)
    print("\n".join(faults) if faults else "every #include keeps to the table")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
