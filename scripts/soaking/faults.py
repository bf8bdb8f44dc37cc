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


NO_FAULT = Fault("no fault", "run", lambda pid: None, ())
# Stopped for longer than the peer timeout of 3 s, or for so short that nobody may mind.
FAULTS = (
    *map(interrupted, ("SIGINT", "SIGTERM", "SIGHUP")),
    Fault("run killed", "run", by_signal(signal.SIGKILL), (-signal.SIGKILL,)),
    Fault("session killed", "session", by_signal(signal.SIGKILL), (PEER,)),
    Fault("session interrupted", "session", by_signal(signal.SIGTERM), (PEER,)),
    Fault("run stopped", "run", stop_for(5), (PEER,)),
    Fault("session stopped", "session", stop_for(5), (PEER,)),
    Fault("run paused", "run", stop_for(0.3), ()),
    Fault("session paused", "session", stop_for(0.3), ()),
)


def any_fault(chance: random.Random) -> Fault:
    return chance.choice(FAULTS)
