"""Peers that speak the control protocol wrongly, to `run` and to a session of `serve`: the other end says in time
what was wrong, and the server serves on.

A liar between two honest ends replaces one message, so that everything before it is as it should be.
"""

import threading
import time
from typing import Any, Iterable, Iterator, NamedTuple

from control import Liar, Lie, Message, Moment, frame
from support import Done, Server, TestCase, main, needs_libfabric

TCP = ("-t", "libfabric:tcp", "--completion", "yield", "--repeats", "1", "--sizes", "8")
PINGPONG = ("--test", "pingpong", "--iters", "100", "--warmup", "2")
BISTREAM = ("--test", "bistream", "--duration", "50ms", "--warmup", "2")
PEER_TIMEOUT = 0.6
TIMEOUT = ("--peer-timeout", f"{PEER_TIMEOUT}s")
TO_ANSWER = 6 * PEER_TIMEOUT
TO_SET_UP = 12 * PEER_TIMEOUT
SILENCE = 3.0  # three heartbeats
SLACK = 10.0
FROM_RESPONDER = "hello_reply plan_accepted opened ready block_result case_result closed".split()
FROM_INITIATOR = "hello plan open start_case block end_case close_repeat finish".split()


def become(**other: Any) -> Lie:
    """Another message instead."""
    return lambda message: [frame(dict(other))]


def change(**members: Any) -> Lie:
    """The same message with other members."""
    return lambda message: [frame({**message, **members})]


def without(member: str) -> Lie:
    return lambda message: [frame({key: message[key] for key in message if key != member})]


def add(member: str, amount: int) -> Lie:
    return lambda message: [frame({**message, member: message[member] + amount})]


def raw(data: bytes) -> Lie:
    return lambda message: [data]


def twice(message: Message) -> Iterable[bytes]:
    return [frame(message), frame(message)]


def hang_up(message: Message) -> Iterable[bytes]:
    raise ConnectionError


def count_too_much(message: Message) -> Iterable[bytes]:
    counters = message["counters"]
    return [frame({**message, "counters": {**counters, "messages_sent": 7}})]


def change_duration(seconds: float) -> Lie:
    """One end is told that streams take another time than the other end gives them."""

    def lie(message: Message) -> Iterable[bytes]:
        plan = message["plan"]
        cases = [{**case, "duration_ns": int(seconds * 1e9)} for case in plan["cases"]]
        return [frame({**message, "plan": {**plan, "cases": cases}})]

    return lie


def report(**counters: Any) -> Lie:
    """Of a case: counters that no machine has."""
    return lambda message: [frame({**message, "counters": {**message["counters"], **counters}})]


def describe_host(**facts: Any) -> Lie:
    return lambda message: [frame({**message, "host": {**message["host"], **facts}})]


def describe_clock(**facts: Any) -> Lie:
    return lambda message: [frame({**message, "clock": {**message["clock"], **facts}})]


def nested(depth: int) -> bytes:
    text = b'{"type":"x","a":' + b"[" * depth + b"]" * depth + b"}"
    return len(text).to_bytes(4, "big") + text


class Wrong(NamedTuple):
    """A lie, and what the one who was told it says."""

    moment: Moment
    lie: Lie
    said: str
    phase: str  # empty: that of the moment at which it is noticed
    options: tuple[str, ...] = PINGPONG


GREETINGS = [
    Wrong(
        Moment("hello_reply"), become(type="opened", addresses=[]), "sent 'opened' where", "hello"
    ),
    Wrong(Moment("hello_reply"), without("capabilities"), "capabilities: is missing", "hello"),
    Wrong(Moment("hello_reply"), change(capabilities=[]), "answered for 0 of 1", "hello"),
    Wrong(Moment("hello_reply"), change(clock=5), "clock: an object is needed", "hello"),
    Wrong(Moment("hello_reply"), raw(b"\x00\x01\x00\x01"), "over the limit of 65536", "hello"),
    Wrong(Moment("hello_reply"), raw(nested(40)), "does not speak this protocol", "hello"),
    Wrong(Moment("hello"), change(token="00"), "token has the wrong length", "hello"),
    Wrong(Moment("hello"), change(transports="all"), "transports: an array is needed", "hello"),
    Wrong(Moment("hello"), raw(b"\x00\x00\x00\x02[]"), "does not speak this protocol", "hello"),
]
GAPS = {"spun_ns": -1.0, "threshold_ns": 1.0, "count": 0, "longest_ns": 0.0, "total_ns": 0.0}
# What the responder says of its machine, and no machine has.
FACTS = [
    Wrong(Moment("hello_reply"), describe_host(cpus_allowed="x" * 60000), "cpus_allowed", "hello"),
    Wrong(
        Moment("hello_reply"),
        describe_clock(quantum_ns=-1e300),
        "clock.quantum_ns: a number",
        "hello",
    ),
    Wrong(Moment("plan_accepted"), change(detours=GAPS), "detours.spun_ns: a number", "plan"),
    Wrong(Moment("case_result"), report(steal_ns=-1e300), "counters.steal_ns: a time", "results"),
    Wrong(
        Moment("case_result"),
        report(frequency_ratio=-1),
        "counters.frequency_ratio: a p",
        "results",
    ),
    Wrong(Moment("case_result"), report(nic={"x": 2**63}), "counters.nic.x: a count", "results"),
    Wrong(Moment("case_result"), report(cpu=-1), "counters.cpu: the number", "results"),
    Wrong(Moment("block_result", 4), change(interval_ns=1e300), "an interval that", "results"),
]
AGREEMENTS = [
    Wrong(Moment("plan_accepted"), become(type="ready"), "sent 'ready' where", "plan"),
    Wrong(Moment("plan_accepted"), change(detours="none"), "malformed 'plan_accepted'", "plan"),
    Wrong(Moment("plan"), become(type="open", repeat=0, addresses=[]), "sent 'open' where", "plan"),
    Wrong(Moment("plan"), change(plan={}), "malformed 'plan'", "plan"),
    Wrong(Moment("opened"), change(addresses=[]), "did not open libfabric:tcp", "open"),
    Wrong(Moment("opened"), change(addresses=[[5, "00"]]), "not its own", "open"),
    Wrong(Moment("opened"), change(addresses=[[-1, "00"]]), "not its own", "open"),
    Wrong(Moment("opened"), change(addresses=[[0, "0x"]]), "hexadecimal digits", "open"),
    Wrong(Moment("opened"), change(addresses=[[0, "00"]]), "address is none that", "open"),
    Wrong(Moment("open"), change(addresses=[[3, "00"]]), "not planned", "open"),
    Wrong(Moment("open"), change(addresses=[[0, ""]]), "address is none that", "open"),
    Wrong(Moment("open"), change(addresses={}), "malformed 'open'", "open"),
]
ORDERS = [
    Wrong(Moment("ready"), become(type="closed"), "sent 'closed' where", "measure"),
    Wrong(Moment("ready", 2), twice, "sent 'ready' where", "results"),
    Wrong(Moment("closed"), become(type="ready"), "sent 'ready' where", "results"),
    Wrong(Moment("ready"), lambda message: [frame(message)] * 300, "more messages than", ""),
    Wrong(Moment("open"), become(type="start_case", repeat=0, case=0), "before opening", "plan"),
    Wrong(Moment("start_case"), change(case=99), "not to run", "measure"),
    Wrong(Moment("start_case"), change(case=-1), "malformed 'start_case'", "measure"),
    Wrong(
        Moment("start_case"),
        become(type="block", messages=1, warmup=False),
        "a block without a case",
        "measure",
    ),
    Wrong(Moment("start_case"), become(type="end_case"), "ended no case", "measure"),
    Wrong(Moment("block"), become(type="dance"), "'dance' is not due", "measure"),
    Wrong(Moment("block"), become(type="x" * 60000), "... (60000 bytes)' is not due", "measure"),
    Wrong(Moment("ready"), become(type="x" * 60000), "... (60000 bytes)' where", "measure"),
    Wrong(Moment("block"), change(messages=-1), "malformed 'block'", "measure"),
    Wrong(Moment("block"), change(messages=1e300), "malformed 'block'", "measure"),
]
COUNTS = [
    Wrong(Moment("block_result"), add("messages_received", 1), "count mismatch", "results"),
    Wrong(Moment("block_result", 2), add("bytes_sent", -1), "count mismatch", "results"),
    Wrong(Moment("block_result"), change(messages_sent=2**64), "malformed", "results"),
    Wrong(Moment("block_result"), change(messages_received=-1), "malformed", "results"),
    Wrong(Moment("block_result"), add("interval_messages", 1000), "an interval that", "results"),
    Wrong(Moment("case_result"), count_too_much, "count mismatch", "results"),
    Wrong(Moment("case_result"), without("counters"), "counters: is missing", "results"),
    Wrong(Moment("block"), change(messages=1), "no data arrived", "warm-up"),
]
# A sender that does not stop: the receiver has a time of its own, from the plan that it knows.
# They move data while a busy machine runs something else for longer than PEER_TIMEOUT.
ENDLESS_OPTIONS = ("--warmup", "2", "--window", "4", "--peer-timeout", "1s")
ENDLESS = [
    Wrong(
        Moment("plan"),
        change_duration(0.001),
        "has not ended in",
        "measure",
        ("--test", "stream", "--duration", "30s", *ENDLESS_OPTIONS),
    ),
    Wrong(
        Moment("plan"),
        change_duration(30),
        "has not ended in",
        "measure",
        ("--test", "bistream", "--duration", "1ms", *ENDLESS_OPTIONS),
    ),
]
# Of a stream whose length is announced by its sender: initiator and responder each tell the other.
ANNOUNCEMENTS = [
    Wrong(Moment("sent", nth), lie, said, phase, BISTREAM)
    for nth in (1, 2)
    for lie, said, phase in (
        (add("messages", 5), "no data arrived", "measure"),
        (change(messages="many"), "malformed 'sent'", "measure"),
    )
]


@needs_libfabric
class WrongPeer(TestCase):
    def meet(self, server: Server, wrong: Wrong, within: float) -> Done:
        liar = Liar(("127.0.0.1", server.port), wrong.moment, wrong.lie)
        try:
            where = ("run", f"127.0.0.1:{liar.port}", *TCP, "--no-save", "--json")
            own = wrong.options if "--peer-timeout" in wrong.options else (*wrong.options, *TIMEOUT)
            done = self.start(*where, *own).finish(within + SLACK)
            self.assertTrue(liar.hit.is_set(), done)
        finally:
            liar.close()
        return done

    def is_told(self, server: Server, nth: int, wrong: Wrong, within: float = 0) -> None:
        """Both ends end, and tell the same story."""
        done = self.meet(server, wrong, within)
        peer = server.session(nth)[0]
        self.assertIn(server.end_of_session(peer), ("exit status 1", "exit status 5"))
        document = self.document(done.out)  # of what was finished before, if anything was
        error = document["run"]["failure"] if "run" in document else document["error"]
        self.assertIn(error["code"], (1, 5))
        self.assertEqual(error["code"], done.status)
        self.assertIn(wrong.said, error["message"] + error["cause"])
        self.assertEqual(error["phase"], wrong.phase or error["phase"])
        self.assertNotEqual(error["hint"], "", error)
        self.assertLess(len(error["message"] + error["cause"]), 1000)
        if "the peer " in error["message"] and error["code"] == 5:
            self.assertIn("127.0.0.1", error["host"], error)

    def each_is_told(self, lies: list[Wrong]) -> None:
        server = self.serve()
        for nth, wrong in enumerate(lies):
            with self.subTest(moment=wrong.moment, said=wrong.said):
                self.is_told(server, nth + 1, wrong)
        self.run_well(server.address, "libfabric:tcp")

    def test_greetings(self) -> None:
        self.each_is_told(GREETINGS)

    def test_facts(self) -> None:
        self.each_is_told(FACTS)

    def test_agreements(self) -> None:
        self.each_is_told(AGREEMENTS)

    def test_order(self) -> None:
        self.each_is_told(ORDERS)

    def test_counts(self) -> None:
        self.each_is_told(COUNTS)

    def test_senders_that_do_not_stop(self) -> None:
        self.each_is_told(ENDLESS)

    def test_announcements(self) -> None:
        self.each_is_told(ANNOUNCEMENTS)


def heartbeats(message: Message) -> Iterator[bytes]:
    """It lives and does not go on."""
    while True:
        yield frame({"type": "heartbeat"})
        time.sleep(0.3)


def drip(message: Message) -> Iterator[bytes]:
    """A frame whose bytes come one by one, and never the last."""
    yield (60000).to_bytes(4, "big")
    while True:
        yield b" "
        time.sleep(0.3)


def silence(message: Message) -> Iterator[bytes]:
    while True:
        yield b""
        time.sleep(0.3)


class Stall(NamedTuple):
    """A message that never comes, how long that is borne, and what is said then."""

    moment: Moment
    lie: Lie
    within: float
    said: str


NO_ANSWER = "no answer in"
LOST = "lost the peer"
AT_DOOR = 5.0

# Of the responder.
STALLED_ANSWERS = [
    Stall(Moment("hello_reply"), heartbeats, TO_SET_UP, NO_ANSWER),
    Stall(Moment("opened"), heartbeats, TO_SET_UP, NO_ANSWER),
    Stall(Moment("ready", 2), heartbeats, TO_ANSWER, NO_ANSWER),
    Stall(Moment("block_result"), heartbeats, TO_ANSWER, NO_ANSWER),
    Stall(Moment("case_result"), heartbeats, TO_ANSWER, NO_ANSWER),
    Stall(Moment("closed"), heartbeats, TO_SET_UP, NO_ANSWER),
    Stall(Moment("hello_reply"), drip, TO_SET_UP, NO_ANSWER),
    Stall(Moment("block_result"), drip, TO_ANSWER, NO_ANSWER),
    Stall(Moment("plan_accepted"), silence, SILENCE, "no sign of life"),
    Stall(Moment("case_result"), silence, SILENCE, "no sign of life"),
    *(Stall(Moment(message), hang_up, 0, LOST) for message in FROM_RESPONDER),
]
# Of the initiator.
STALLED_REQUESTS = [
    Stall(Moment("hello"), heartbeats, AT_DOOR, NO_ANSWER),
    Stall(Moment("open"), heartbeats, TO_SET_UP, NO_ANSWER),
    Stall(Moment("start_case"), heartbeats, TO_SET_UP, NO_ANSWER),
    Stall(Moment("end_case"), heartbeats, TO_SET_UP, NO_ANSWER),
    Stall(Moment("finish"), heartbeats, TO_SET_UP, NO_ANSWER),
    Stall(Moment("hello"), drip, AT_DOOR, NO_ANSWER),
    Stall(Moment("start_case"), drip, TO_SET_UP, NO_ANSWER),
    Stall(Moment("open"), silence, SILENCE, "no sign of life"),
    Stall(Moment("close_repeat"), silence, SILENCE, "no sign of life"),
    *(Stall(Moment(message), hang_up, 0, LOST) for message in FROM_INITIATOR),
]


@needs_libfabric
class StalledPeer(TestCase):
    """Each in a session of its own, some at once: they wait most of the time."""

    def play(self, stall: Stall, towards: str) -> None:
        server = self.serve()
        liar = Liar(("127.0.0.1", server.port), stall.moment, stall.lie)
        self.addCleanup(liar.close)
        where = ("run", f"127.0.0.1:{liar.port}", *TCP, *PINGPONG, "--no-save")
        run = self.start(*where, *TIMEOUT)
        if not liar.hit.wait(60):
            raise AssertionError(f"the moment never came: {run.describe()}")
        struck = time.monotonic()
        if towards == "initiator":
            done = run.finish(stall.within + SLACK)
            self.assertEqual(done.status, 5, done)
            self.assertIn(stall.said, done.err)
            self.assertIn("127.0.0.1", done.err)
        else:
            peer = server.session()[0]
            how = server.end_of_session(peer, stall.within + SLACK)
            self.assertEqual(how, "exit status 5", server.describe())
            self.assertIn(stall.said, server.err.text())
        self.assertGreaterEqual(time.monotonic() - struck, 0.8 * stall.within)
        self.run_well(server.address, "libfabric:tcp")

    def each(self, stalls: list[Stall], towards: str) -> None:
        problems: list[str] = []
        turns = threading.Semaphore(6)

        def play(stall: Stall) -> None:
            with turns:
                try:
                    self.play(stall, towards)
                except Exception as problem:
                    what = getattr(stall.lie, "__name__", "")
                    problems.append(f"{stall.moment.type}, {what}: {problem}")

        threads = [threading.Thread(target=play, args=(stall,)) for stall in stalls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [], "\n\n".join(problems))

    def test_a_responder_that_does_not_go_on(self) -> None:
        self.each(STALLED_ANSWERS, "initiator")

    def test_an_initiator_that_does_not_go_on(self) -> None:
        self.each(STALLED_REQUESTS, "responder")


if __name__ == "__main__":
    main()
