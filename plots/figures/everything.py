"""Every figure that some results allow."""

import argparse
import re
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterator

from figures import bandwidth, comparison, distribution, latency, ratio
from figures.results import Fault, Result, read, size_label
from figures.sheet import Sheet, load_matplotlib

Job = tuple[str, Callable[[], Sheet]]  # the file's name, less the suffix


def over_size(results: list[Result]) -> Iterator[Job]:
    yield "latency", partial(latency.draw, results, ["p50"])
    yield "latency-tail", partial(latency.draw, results, ["p50", "p99"])
    yield "bandwidth", partial(bandwidth.draw, results)


def distributions(results: list[Result]) -> Iterator[Job]:
    sizes = distribution.sizes_of(results, "pingpong")
    if not sizes:  # which says so
        yield "distribution", partial(distribution.draw, results)
    for size in sizes:
        name = f"distribution-{size_label(size)}"
        yield name, partial(distribution.draw, results, size)


def name_of(compared: dict[str, Any]) -> str:
    names = [compared[side]["name"] for side in ("candidate", "baseline")]
    return re.sub(r"[^A-Za-z0-9+.-]+", "_", "ratio-" + "-against-".join(names))


def refuse(fault: Fault) -> Sheet:
    raise fault


def ratios(results: list[Result], options: argparse.Namespace) -> Iterator[Job]:
    """Of the transports of one result, or of two results."""
    try:
        if len(results) > 2:
            raise Fault("one result or two can be compared, not more")
        files = [result.path for result in results]
        compared, origins = comparison.comparisons_of(files, options.baseline, options.pairbench)
    except Fault as fault:
        yield "ratio", partial(refuse, fault)
        return
    for one in compared:
        yield name_of(one), partial(ratio.draw, one, origins)


def jobs(results: list[Result], options: argparse.Namespace) -> Iterator[Job]:
    yield from over_size(results)
    yield from distributions(results)
    yield from ratios(results, options)


def folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Fault(f"{path}: {error.strerror}") from error
    return path


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Draw every figure that the results allow, into one folder: latency, bandwidth, the "
        "distribution at each size, the ratios of transports or of two results. Says what it leaves out."
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="RESULT", help="of pairbench")
    parser.add_argument(
        "-o", "--out", required=True, type=Path, metavar="DIR", help="made if need be"
    )
    parser.add_argument("--format", default="png", choices=("png", "svg", "pdf"), help="(png)")
    parser.add_argument("--baseline", metavar="TRANSPORT", help="of one result: for the ratios")
    parser.add_argument("--pairbench", type=Path, metavar="FILE", help="gives the verdicts")
    return parser.parse_args()


def main() -> None:
    options = parse()
    results = read(options.files)
    load_matplotlib()
    out = folder(options.out)
    drawn = 0
    for name, draw in jobs(results, options):
        try:
            sheet = draw()
        except Fault as fault:
            print(f"left out: {name}: {fault}")
            continue
        path = out / f"{name}.{options.format}"
        sheet.save(path)
        print(path)
        for note in sheet.notes:
            print(f"    {note}")
        drawn += 1
    if not drawn:
        raise Fault("nothing could be drawn")
