"""The part of scripts/soft-roce that runs once kernel and packages are there; see its --help."""

import argparse
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

from soft_roce.host import (
    Failure,
    Host,
    Interrupts,
    check_state,
    read_state,
    wait_for_end,
    write_state,
)
from soft_roce.machine import Machines
from soft_roce.qemu import Setting
from soft_roce.session import NO_MACHINE, run_one, run_pair, two_commands

STOP_SECONDS = 20.0
READY = b"ready"


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Failure(f"{message} (--help)")


def parse(words: list[str]) -> argparse.Namespace:
    parser = Parser(add_help=False, allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb", required=True, parser_class=Parser)
    for verb in ("run", "start", "exec", "stop"):
        options = verbs.add_parser(verb, add_help=False, allow_abbrev=False)
        options.add_argument("--state", type=Path)
        if verb != "stop":
            options.add_argument("--timeout", type=float, default=3600)
        if verb in ("run", "start"):
            options.add_argument("--hosts", type=int, default=1)
            options.add_argument("--cpus", type=int)
            options.add_argument("--link", default="")
            options.add_argument("--count-instructions", action="store_true")
            for what in ("kernel", "initramfs", "cache"):
                options.add_argument(f"--{what}", type=Path, required=True)
    return parser.parse_args(words)


def setting_of(options: argparse.Namespace) -> Setting:
    cpus = min(2, len(os.sched_getaffinity(0))) if options.hosts == 1 else 1
    if options.count_instructions and (options.cpus or 1) > 1:
        raise Failure("instructions are counted on one processor: --cpus 1")
    return Setting(
        kernel=options.kernel,
        initramfs=options.initramfs,
        cache=options.cache,
        hosts=options.hosts,
        cpus=1 if options.count_instructions else options.cpus or cpus,
        link=options.link.replace("=", " ").replace(",", " "),
        count_instructions=options.count_instructions,
        folder=Path.cwd(),
    )


def run(options: argparse.Namespace, words: list[str], interrupts: Interrupts) -> int:
    commands = two_commands(words) if options.hosts == 2 else [words]
    if not words:
        raise Failure("there is no COMMAND (--help)")
    if options.state:
        check_state(options.state)
    with Machines(setting_of(options), interrupts) as machines:
        try:
            if options.state:
                write_state(options.state, os.getpid(), machines.hosts)
            if options.hosts == 2:
                return run_pair(machines.hosts, commands, options.timeout, interrupts)
            return run_one(machines.hosts[0], words, options.timeout, interrupts)
        finally:
            if options.state:
                options.state.unlink(missing_ok=True)


def start(options: argparse.Namespace, interrupts: Interrupts) -> int:
    """Leaves a process behind that keeps the machines."""
    if options.state.exists():
        raise Failure(f"{options.state} is there already: scripts/soft-roce stop --state it")
    check_state(options.state)
    setting = setting_of(options)
    reader, writer = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        os.setsid()
        os.close(reader)
        keep(setting, options.state.absolute(), writer, options.timeout, interrupts)
        return 0
    os.close(writer)
    while not select.select([reader], [], [], 0.1)[0]:
        for number in interrupts.take():
            os.kill(keeper, signal.SIGTERM)
            os.waitpid(keeper, 0)
            return 128 + number
    if os.read(reader, len(READY)) == READY:
        return 0
    return os.waitstatus_to_exitcode(os.waitpid(keeper, 0)[1])


def keep(setting: Setting, state: Path, writer: int, seconds: float, ints: Interrupts) -> None:
    """Keeps the machines until it is asked to end, they have all ended, or their time is up."""
    with Machines(setting, ints) as machines:
        try:
            write_state(state, os.getpid(), machines.hosts)
            os.write(writer, READY)  # which fails where `start` was killed meanwhile
            os.close(writer)
            leave_streams()
            end = time.monotonic() + seconds
            while not ints.take() and machines.running() and time.monotonic() < end:
                time.sleep(0.1)
        finally:
            state.unlink(missing_ok=True)


def leave_streams() -> None:
    """Whoever reads what `start` printed is not to wait for more."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.close(nothing)


def execute(options: argparse.Namespace, words: list[str], interrupts: Interrupts) -> int:
    _, hosts = read_state(options.state)
    letter = words.pop(0) if words[:1] in (["A"], ["B"]) else "A"
    if words[:1] == ["--"]:
        words.pop(0)
    if not words:
        raise Failure("there is no COMMAND (--help)")
    return run_one(host_named(hosts, f"host{letter}"), words, options.timeout, interrupts)


def host_named(hosts: list[Host], name: str) -> Host:
    for host in hosts:
        if host.name == name:
            return host
    raise Failure(f"there is no {name}: start --hosts 2")


def stop(options: argparse.Namespace) -> int:
    keeper, _ = read_state(options.state)
    try:
        os.kill(keeper, signal.SIGTERM)
    except ProcessLookupError:
        options.state.unlink(missing_ok=True)
        return 0
    if not wait_for_end(keeper, STOP_SECONDS):
        raise Failure(f"the machines still run after {STOP_SECONDS:.0f} s (process {keeper})")
    return 0


def main(arguments: list[str]) -> int:
    middle = arguments.index("--")
    interrupts = Interrupts()
    try:
        options, words = parse(arguments[:middle]), arguments[middle + 1 :]
        if options.verb == "run":
            return run(options, words, interrupts)
        if options.verb == "start":
            return start(options, interrupts)
        if options.verb == "exec":
            return execute(options, words, interrupts)
        return stop(options)
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
    except BrokenPipeError:
        pass
    return NO_MACHINE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
