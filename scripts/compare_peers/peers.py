"""Who is compared with which of our figures, and how each is asked and read."""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from compare_peers.processes import Failure, free_ports, run, run_pair

WINDOW = 64


@dataclass(frozen=True)
class Setting:
    """One measurement: everything that both sides are given."""

    pairbench: str
    provider: str  # as -p has it: tcp, tcp+ofi_rxm, tcp/lo, verbs:rxe0/1/1
    size: int
    iterations: int
    cpus: tuple[int, int]
    deadline: float  # seconds, of each program's run
    yields: bool = False  # the CPU is given up on an empty poll

    def kind(self) -> str:
        return "verbs" if self.provider.startswith("verbs:") else "libfabric"


@dataclass(frozen=True)
class Figure:
    """One of ours."""

    name: str
    unit: str
    scale: float  # the unit in ns or bytes/s
    higher_is_better: bool
    measure: Callable[[Setting], float]

    def column(self) -> str:
        """The name in one word."""
        return self.name.replace(" ", "_")


@dataclass(frozen=True)
class Peer:
    name: str
    program: str
    source: str  # where it comes from, when it is missing
    figure: Figure  # which of ours it is compared with
    kind: str  # of our transport: libfabric or verbs
    measure: Callable[[str, Setting], float]  # the program's path; ns or bytes/s
    note: str
    can_yield: bool = False


def document(setting: Setting, words: list[str]) -> dict[str, Any]:
    """The first case of a run of pairbench."""
    a, b = setting.cpus
    common = ["--repeats", "1", "--cpu", f"{a},{b}", "--json", "--no-save", "--progress", "never"]
    common += ["--peer-timeout", f"{setting.deadline:g}s"]
    common += ["--completion", "yield"] if setting.yields else []
    output = run([setting.pairbench, "local", *words, *common], setting.deadline)
    try:
        case: dict[str, Any] = json.loads(output)["cases"][0]
    except (ValueError, LookupError, TypeError) as error:
        raise Failure(f"pairbench printed no document with a case: {error}") from None
    if case["status"] != "ok":
        raise Failure(f"pairbench did not measure: {case['reason']}")
    return case


def our_summary(setting: Setting, words: list[str]) -> dict[str, Any]:
    verbs = setting.kind() == "verbs"
    transport = ["-t", setting.provider if verbs else f"libfabric:{setting.provider}"]
    amount = ["--sizes", str(setting.size), "--iters", str(setting.iterations)]
    summary: dict[str, Any] = document(setting, [*transport, *amount, *words])["summary"]
    return summary


def value(estimate: dict[str, Any] | None, name: str) -> float:
    if estimate is None:
        raise Failure(f"pairbench has no value for {name}")
    return float(estimate["value"])


def our_mean(setting: Setting) -> float:
    rtt = our_summary(setting, ["--test", "pingpong"])["rtt_ns"]
    return value(rtt.get("batch_mean") or rtt["mean"], "the mean")


def our_median(setting: Setting) -> float:
    return value(our_summary(setting, ["--test", "pingpong"])["rtt_ns"]["p50"], "the median")


def our_shallow_median(setting: Setting) -> float:
    """With as few receives posted as the floor has: many leave the cache."""
    words = ["--test", "pingpong", "--rx-depth", "4"]
    return value(our_summary(setting, words)["rtt_ns"]["p50"], "the median")


def our_stream(setting: Setting) -> float:
    summary = our_summary(setting, ["--test", "stream", "--window", str(WINDOW)])
    return value(summary["delivered_bytes_per_second"], "the stream")


def inproc_median(setting: Setting) -> float:
    """Of a short run without any network: it moves only when the machine does."""
    words = ["-t", "inproc", "--test", "pingpong", "--sizes", "8", "--iters", "20000"]
    return value(document(setting, words)["summary"]["rtt_ns"]["p50"], "the in-process median")


def layered(provider: str) -> tuple[str, str]:
    """Provider and domain as libfabric's own programs take them."""
    name, _, domain = provider.partition("/")
    return name.replace("+", ";"), domain


def column(output: str, name: str) -> float:
    """The value below a column's name, of a table that ends with its only row."""
    rows = [line.split() for line in output.splitlines() if line.strip()]
    for head, row in zip(rows, rows[1:]):
        if name in head and len(head) == len(row):
            return float(row[head.index(name)])
    raise Failure(f"no column {name} in what was printed: {output.strip()!r}")


def client_and_server(
    both: list[str], server: list[str], client: list[str]
) -> Callable[[str, Setting], float]:
    """A program of two ends that prints half of the mean round trip. {0} in its options is the port
    at which the server listens for the client, {1} and {2} are others."""

    def measure(program: str, setting: Setting) -> float:
        name, domain = layered(setting.provider)
        ports = free_ports(3)
        common = [program, *both, "-p", name, *(["-d", domain] if domain else [])]
        common += ["-I", str(setting.iterations), "-S", str(setting.size)]
        output = run_pair(
            [*common, *(word.format(*ports) for word in server)],
            [*common, *(word.format(*ports) for word in client), "127.0.0.1"],
            ports[0],
            setting.cpus,
            setting.deadline,
        )
        return column(output, "usec/xfer") * 2 * 1000

    return measure


def floor(key: str, words: list[str]) -> Callable[[str, Setting], float]:
    def measure(program: str, setting: Setting) -> float:
        name, domain = layered(setting.provider)
        amount = [str(setting.size), str(setting.iterations)]
        options = ["--cpus", f"{setting.cpus[0]},{setting.cpus[1]}", *words]
        options += ["--completion", "yield"] if setting.yields else []
        where = f"{name}/{domain}" if domain else name
        output = run([program, where, *amount, *options], setting.deadline)
        try:
            return float(json.loads(output)[key])
        except (ValueError, LookupError, TypeError):
            raise Failure(f"{Path(program).name} printed no {key}: {output.strip()!r}") from None

    return measure


def verbs_path(setting: Setting, gid_option: str) -> list[str]:
    """verbs:DEVICE/PORT/GID_INDEX as the programs over ibverbs take it."""
    parts = setting.provider.removeprefix("verbs:").split("/")
    return [word for pair in zip(("-d", "-i", gid_option), parts) for word in pair]


def yielding_verbs(pairbench: str) -> str:
    """What makes a program over ibverbs give up the CPU on an empty poll."""
    library = Path(pairbench).parent / "micro" / "libyielding_verbs.so"
    if not library.is_file():
        raise Failure(f"{library} is missing: target yielding_verbs, where ibverbs was found")
    return str(library)


def two_ends(program: str, words: list[str], setting: Setting) -> str:
    """What the client prints."""
    [port] = free_ports(1)
    both = [
        program,
        *words,
        "-n",
        str(setting.iterations),
        "-s",
        str(setting.size),
        "-p",
        str(port),
    ]
    client = [*both, "127.0.0.1"]
    preload = yielding_verbs(setting.pairbench) if setting.yields else ""
    return run_pair(both, client, port, setting.cpus, setting.deadline, preload)


def perftest(name: str, unit: float, words: list[str]) -> Callable[[str, Setting], float]:
    """The figure below a column's name, whose number is counted from the left: names further right
    hold blanks."""

    def measure(program: str, setting: Setting) -> float:
        path = [*verbs_path(setting, "-x"), "-F", *words]
        output = two_ends(program, path, setting)
        rows = [line.replace("BW ", "BW_").split() for line in output.splitlines()]
        for head, row in zip(rows, rows[1:]):
            matching = [i for i, word in enumerate(head) if word.endswith(name)]
            if matching and len(row) > matching[0]:
                return float(row[matching[0]]) * unit
        raise Failure(f"no column {name} in what was printed: {output.strip()!r}")

    return measure


def rc_pingpong(program: str, setting: Setting) -> float:
    output = two_ends(program, verbs_path(setting, "-g"), setting)
    found = re.search(r"= ([0-9.]+) usec/iter", output)
    if not found:
        raise Failure(f"no usec/iter in what was printed: {output.strip()!r}")
    return float(found[1]) * 1000


MEAN = Figure("mean RTT", "us", 1e3, False, our_mean)
MEDIAN = Figure("p50 RTT", "us", 1e3, False, our_median)
SHALLOW_MEDIAN = Figure("p50 RTT", "us", 1e3, False, our_shallow_median)
STREAM = Figure("stream", "Gb/s", 1e9 / 8, True, our_stream)

FABTESTS = "fabtests, which Debian does not have (from libfabric's sources)"
FABTESTS_NOTE = "twice its usec/xfer; ten round trips of warm-up come before its clock starts"
FLOOR = "pairbench's own build: target bare_libfabric, where libfabric was found"

PEERS = (
    Peer(
        "fi_pingpong",
        "fi_pingpong",
        "libfabric-bin",
        MEAN,
        "libfabric",
        client_and_server(["-e", "rdm"], ["-B", "{0}"], ["-P", "{0}"]),
        "twice its usec/xfer, which is half of the mean round trip; no warm-up, and connecting is "
        "in it: few iterations make it look slow; printed to 0.01 us",
    ),
    *(
        Peer(
            name,
            name,
            FABTESTS,
            MEAN,
            "libfabric",
            client_and_server([], ["-E={0}", "-B", "{1}"], ["-E={0}", "-B", "{2}"]),
            FABTESTS_NOTE,
        )
        for name in ("fi_rdm_pingpong", "fi_rdm_tagged_pingpong")
    ),
    Peer(
        "floor",
        "bare_libfabric",
        FLOOR,
        SHALLOW_MEDIAN,
        "libfabric",
        floor("p50_ns", []),
        "bare_libfabric: libfabric's calls in a loop with nothing else; inject where allowed, as "
        "ours; four receives posted on both sides, where pairbench's default is 512",
        can_yield=True,
    ),
    Peer(
        "floor",
        "bare_libfabric",
        FLOOR,
        STREAM,
        "libfabric",
        floor("bytes_per_second", ["--window", str(WINDOW)]),
        f"{WINDOW} messages outstanding, timed by the receiver on both sides",
        can_yield=True,
    ),
    Peer(
        "ib_send_lat",
        "ib_send_lat",
        "perftest",
        MEDIAN,
        "verbs",
        perftest("t_typical[usec]", 2 * 1000, []),
        "twice its t_typical, which is the median of half round trips; no warm-up",
        can_yield=True,
    ),
    Peer(
        "ibv_rc_pingpong",
        "ibv_rc_pingpong",
        "ibverbs-utils",
        MEAN,
        "verbs",
        rc_pingpong,
        "its usec/iter is the mean of full round trips; no warm-up, and it refills 499 receives at once",
        can_yield=True,
    ),
    Peer(
        "ib_send_bw",
        "ib_send_bw",
        "perftest",
        STREAM,
        "verbs",
        perftest("average[MB/sec]", 2**20, ["-t", str(WINDOW)]),
        f"its BW average, by the sender's completions, of {WINDOW} messages outstanding",
        can_yield=True,
    ),
)


def find_program(program: str, pairbench: str) -> str | None:
    """Beside pairbench, else on PATH."""
    built = Path(pairbench).parent / "micro" / program
    return str(built) if built.is_file() else shutil.which(program)
