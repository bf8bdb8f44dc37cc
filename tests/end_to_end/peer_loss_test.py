"""One end is killed or stopped, or the link goes down: the other ends in time, names the peer and the phase,
keeps what was finished, and the server serves on.

A tap on the control connection finds the moment, so that the fault always meets the same phase.
"""

import os
import signal
import socket
import threading
import time
from typing import Callable, NamedTuple, Optional

from control import Moment, Tap
from support import Done, Process, TestCase, alive, main, needs_libfabric, resume

PEER_TIMEOUT = 2.0
# Silence is noticed after the peer timeout, three heartbeats at least; before the plan is agreed after ten
# seconds. A closed connection is noticed at once. The slack is for a busy machine.
SILENCE = max(PEER_TIMEOUT, 3.0)
SILENCE_AT_HELLO = 10.0
SLACK = 6.0
IN_ITS_MIDST = 0.1  # seconds after a long block was announced


class Fault(NamedTuple):
    """When something happens, and the phase that the initiator's error then names."""

    moment: Moment
    phase: str
    finished: bool  # whether the first of two cases has ended
    options: tuple[str, ...] = ("--warmup", "1", "--iters", "{long}")


WARM_UP = {"warmup": True}
MEASURED = {"warmup": False}
SHORT = ("--warmup", "1", "--iters", "1000")
FAULTS = {
    "at hello": Fault(Moment("hello"), "hello", False),
    "in a warm-up": Fault(
        Moment("block", 1, WARM_UP, IN_ITS_MIDST),
        "warm-up",
        False,
        ("--warmup", "4000000", "--iters", "1"),
    ),
    # A ping-pong's case has three blocks besides its warm-up: its samples, what the stamps cost, where the time goes.
    "in a measurement": Fault(Moment("block", 4, MEASURED, IN_ITS_MIDST), "measure", True),
    "between two cases": Fault(Moment("start_case", 2), "measure", True, SHORT),
    "at the result exchange": Fault(Moment("block_result", 8), "results", True, SHORT),
}
# Some tenths of a second on an idle machine.
LONG = {"libfabric:tcp": "40000", "libfabric:shm": "300000"}


class Scene:
    """A server, a run of two cases through a tap, and a fault that strikes one of them."""

    def __init__(
        self, case: TestCase, fault: Fault, transport: str, name: str, test: str = "pingpong"
    ) -> None:
        self.case = case
        self.fault = fault
        self.struck_at = 0.0
        self.server = case.serve()
        self.tap = Tap(("127.0.0.1", self.server.port), fault.moment, self.strike)
        case.addCleanup(self.tap.close)
        self.out = f"{name.replace(' ', '-')}.json"
        self.act: Callable[[], None] = lambda: None
        options = [option.format(long=LONG[transport]) for option in fault.options]
        self.command = ["run", f"127.0.0.1:{self.tap.port}", "-t", transport, *options]
        self.command += ["--repeats", "1", "--sizes", "8,64", "--test", test, "--out", self.out]
        self.command += ["--completion", "yield", "--peer-timeout", f"{PEER_TIMEOUT:g}s"]
        self.transport = transport
        self.run: Optional[Process] = None

    def start(self) -> Process:
        self.run = self.case.start(*self.command)
        return self.run

    def strike(self) -> None:
        self.struck_at = time.monotonic()
        self.act()

    def await_strike(self) -> None:
        if not self.tap.hit.wait(60):
            raise AssertionError(f"the moment never came: {self.run and self.run.describe()}")

    def initiator_ends(self, within: float) -> None:
        """As the survivor: exit status 5, the peer and the phase named, finished cases kept."""
        assert self.run
        done = self.run.finish(within + SLACK)
        self.case.assertEqual(done.status, 5, done)
        self.case.assertLess(time.monotonic() - self.struck_at, within + SLACK)
        self.names_peer_and_phase(done)
        self.kept_what_was_finished(done)

    def names_peer_and_phase(self, done: Done) -> None:
        first_line = done.err[done.err.index("error: ") :].splitlines()[0]
        peer = "127.0.0.1" if self.fault.phase == "hello" else socket.gethostname()
        self.case.assertIn(peer, done.err)
        self.case.assertIn(f"({self.fault.phase}", first_line)

    def kept_what_was_finished(self, done: Done) -> None:
        if not self.fault.finished:
            self.case.assertIn("saved:  nothing was finished", done.err)
            self.case.assertFalse((self.case.folder / self.out).exists())
            return
        document = self.case.document((self.case.folder / self.out).read_text())
        self.case.assertFalse(document["run"]["complete"])
        statuses = sorted(case["status"] for case in document["cases"])
        self.case.assertEqual(statuses[1], "ok")
        self.case.assertIn(statuses[0], ("failed", "not_run"))

    def responder_ends(self, peer: str, within: float) -> None:
        """As the survivor: the session's process ends, with the status that says why."""
        how = self.server.end_of_session(peer, within + SLACK)
        self.case.assertEqual(how, "exit status 5", self.server.describe())

    def leftovers_of_a_killed_run(self) -> None:
        """What was finished is in the partial file, which `show` makes a document of."""
        partial = self.case.folder / f"{self.out}.partial"
        if not self.fault.finished:
            return
        shown = self.case.run_pairbench("show", partial.name, "--json")
        document = self.case.document(shown.out)
        self.case.assertFalse(document["run"]["complete"])
        self.case.assertEqual(sum(case["status"] == "ok" for case in document["cases"]), 1)


def hang(scene: Scene) -> float:
    """A killed process can hold a lock of libfabric's shm, so that the other end hangs inside of a call;
    a watch ends it after the peer timeout."""
    return PEER_TIMEOUT if scene.transport == "libfabric:shm" else 0


def responder_killed(scene: Scene) -> None:
    scene.act = lambda: os.kill(scene.server.session()[1], signal.SIGKILL)
    scene.start()
    scene.await_strike()
    scene.initiator_ends(hang(scene))


def initiator_killed(scene: Scene) -> None:
    run = scene.start()
    scene.act = lambda: run.signal(signal.SIGKILL)
    scene.await_strike()
    scene.responder_ends(scene.server.session()[0], hang(scene))
    scene.leftovers_of_a_killed_run()


def silence(scene: Scene) -> float:
    return SILENCE_AT_HELLO if scene.fault.phase == "hello" else SILENCE


def responder_stopped(scene: Scene) -> None:
    scene.act = lambda: os.kill(scene.server.session()[1], signal.SIGSTOP)
    scene.start()
    scene.await_strike()
    peer, worker = scene.server.session()
    try:
        scene.initiator_ends(silence(scene))
    finally:
        resume(worker)
    scene.responder_ends(peer, 0)


def initiator_stopped(scene: Scene) -> None:
    run = scene.start()
    scene.act = lambda: run.signal(signal.SIGSTOP)
    scene.await_strike()
    try:
        scene.responder_ends(scene.server.session()[0], silence(scene))
    finally:
        resume(run.pid)
    done = run.finish(SLACK)
    scene.case.assertEqual(done.status, 5, done)
    scene.kept_what_was_finished(done)


class PeerLoss(TestCase):
    def at_every_moment(self, transport: str, what: Callable[[Scene], None]) -> None:
        """All at once: most of them wait most of the time, and yield the two CPUs while they do."""
        problems: list[str] = []

        def play(name: str, fault: Fault, test: str) -> None:
            scene = Scene(self, fault, transport, f"{name} {test}", test)
            try:
                what(scene)
                self.run_well(scene.server.address, transport)
            except Exception as problem:
                problems.append(f"{name}, {test}: {problem}\n{scene.server.describe()}")

        plays = [(name, fault, "pingpong") for name, fault in FAULTS.items()]
        in_a_stream = Moment("block", 2, MEASURED, IN_ITS_MIDST)
        plays.append(("in a measurement", Fault(in_a_stream, "measure", True), "stream"))
        threads = [threading.Thread(target=play, args=arguments) for arguments in plays]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [], "\n\n".join(problems))


@needs_libfabric
class OverTcp(PeerLoss):
    def test_the_responder_is_killed(self) -> None:
        self.at_every_moment("libfabric:tcp", responder_killed)

    def test_the_initiator_is_killed(self) -> None:
        self.at_every_moment("libfabric:tcp", initiator_killed)

    def test_the_responder_is_stopped(self) -> None:
        self.at_every_moment("libfabric:tcp", responder_stopped)

    def test_the_initiator_is_stopped(self) -> None:
        self.at_every_moment("libfabric:tcp", initiator_stopped)


@needs_libfabric
class OverShm(PeerLoss):
    def test_the_responder_is_killed(self) -> None:
        self.at_every_moment("libfabric:shm", responder_killed)

    def test_the_initiator_is_killed(self) -> None:
        self.at_every_moment("libfabric:shm", initiator_killed)

    def test_the_responder_is_stopped(self) -> None:
        self.at_every_moment("libfabric:shm", responder_stopped)

    def test_the_initiator_is_stopped(self) -> None:
        self.at_every_moment("libfabric:shm", initiator_stopped)


@needs_libfabric
class Pauses(TestCase):
    """An end that is stopped for less than the peer timeout: the run goes on, and nothing is lost or counted twice."""

    PAUSE = 1.5
    AMOUNTS = (
        "--warmup",
        "1",
        "--iters",
        "2000",
        "--repeats",
        "1",
        "--sizes",
        "8",
        "--peer-timeout",
        "30s",
    )

    def goes_on(self, moment: Moment, stop_the_run: bool) -> None:
        server = self.serve()
        stopped: list[int] = []

        def stop() -> None:
            stopped.append(run.pid if stop_the_run else server.session()[1])
            os.kill(stopped[0], signal.SIGSTOP)
            threading.Timer(self.PAUSE, resume, stopped).start()

        tap = Tap(("127.0.0.1", server.port), moment, stop)
        self.addCleanup(tap.close)
        where = ("run", f"127.0.0.1:{tap.port}", "-t", "libfabric:tcp", "--completion", "yield")
        run = self.start(*where, *self.AMOUNTS, "--test", "bistream", "--no-save", "--json")
        done = run.finish()
        self.assertEqual(done.status, 0, done)
        self.assertTrue(tap.hit.is_set())
        self.assertGreater(done.seconds, self.PAUSE)
        self.assert_counts_equal(self.document(done.out))

    def test_of_the_responder_in_a_block(self) -> None:
        self.goes_on(Moment("block", 2), stop_the_run=False)

    def test_of_the_initiator_in_a_block(self) -> None:
        self.goes_on(Moment("block", 2), stop_the_run=True)

    def test_of_either_in_set_up(self) -> None:
        self.goes_on(Moment("opened"), stop_the_run=True)
        self.goes_on(Moment("open"), stop_the_run=False)


@needs_libfabric
class Supervision(TestCase):
    def stopped_for_good(self) -> tuple[Scene, int]:
        scene = Scene(self, FAULTS["in a measurement"], "libfabric:tcp", "stopped")
        scene.act = lambda: os.kill(scene.server.session()[1], signal.SIGSTOP)
        scene.start()
        scene.await_strike()
        return scene, scene.server.session()[1]

    def test_a_session_that_hangs_is_killed_and_the_next_run_waits_for_it(self) -> None:
        scene, worker = self.stopped_for_good()
        scene.initiator_ends(SILENCE)
        self.assertTrue(alive(worker))
        self.run_well(scene.server.address, "libfabric:tcp")
        self.assertFalse(alive(worker))

    def test_a_killed_server_takes_its_session_along(self) -> None:
        scene, worker = self.stopped_for_good()
        scene.server.signal(signal.SIGKILL)
        scene.initiator_ends(SILENCE)
        self.assertFalse(alive(worker))


if __name__ == "__main__":
    main()
