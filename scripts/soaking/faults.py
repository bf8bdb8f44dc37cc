"""What can go wrong with a run, and which ends that explains."""

import os
import random
import signal
import time
from dataclasses import dataclass
from typing import Callable

# Of the process that a fault strikes. A process may have ended just before.
Strike = Callable[[int], None]

PEER = 5


@dataclass(frozen=True)
class Fault:
    """`strikes` names the end: "run", or the server's "session"."""

    name: str
    strikes: str
    how: Strike
    explained: tuple[int, ...]  # exit statuses of the run, beside 0: it may have ended before
    within: float = 30  # seconds until the run has ended, from the strike on


def send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def by_signal(number: int) -> Strike:
    return lambda pid: send(pid, number)


def stop_for(seconds: float) -> Strike:
    def strike(pid: int) -> None:
        send(pid, signal.SIGSTOP)
        time.sleep(seconds)
        send(pid, signal.SIGCONT)

    return strike


def interrupted(name: str) -> Fault:
    number = signal.Signals[name]
    return Fault(name, "run", by_signal(number), (128 + number, -number))


def halted(name: str, strikes: str, seconds: float, *explained: int) -> Fault:
    """Who goes on in time, or before a peer timeout is agreed, measures to the end."""
    return Fault(name, strikes, stop_for(seconds), explained, 180)


NO_FAULT = Fault("no fault", "run", lambda pid: None, ())
# Stopped for longer than the peer timeout of 3 s, or for so short that nobody may mind.
FAULTS = (
    *map(interrupted, ("SIGINT", "SIGTERM", "SIGHUP")),
    Fault("run killed", "run", by_signal(signal.SIGKILL), (-signal.SIGKILL,)),
    Fault("session killed", "session", by_signal(signal.SIGKILL), (PEER,)),
    Fault("session interrupted", "session", by_signal(signal.SIGTERM), (PEER,)),
    halted("run stopped", "run", 5, PEER),
    halted("session stopped", "session", 5, PEER),
    halted("run paused", "run", 0.3),
    halted("session paused", "session", 0.3),
)


def any_fault(chance: random.Random) -> Fault:
    return chance.choice(FAULTS)
