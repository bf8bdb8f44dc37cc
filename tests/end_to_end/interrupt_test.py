"""INT, TERM and HUP: the run ends in good order with its finished cases, and the server serves on."""

import fcntl
import os
import select
import signal
import socket

from control import Moment, Tap
from support import Process, Server, TestCase, main, needs, needs_libfabric

ENDS_WITHIN = 15.0
ENDLESS = ("--preset", "smoke", "--repeats", "1000")
TCP = ("-t", "libfabric:tcp")


class Interrupted(TestCase):
    def interrupt(self, number: int, *options: str) -> tuple[Process, Server]:
        """A run that gets the signal in its third repeat."""
        server = self.serve()
        tap = Tap(("127.0.0.1", server.port), Moment("open", 3), lambda: run.signal(number))
        self.addCleanup(tap.close)
        run = self.start("run", f"127.0.0.1:{tap.port}", *TCP, *ENDLESS, *options)
        self.assertTrue(tap.hit.wait(60), run.describe())
        return run, server


@needs_libfabric
class DuringARun(Interrupted):
    def ends_in_good_order(self, number: int) -> None:
        run, server = self.interrupt(number, "--out", "r.json")
        done = run.finish(ENDS_WITHIN)
        self.assertEqual(done.status, 128 + number, done)
        self.assertIn("interrupted", done.err)
        self.assertIn("saved:  r.json (6 of 6 cases have results)", done.err)
        document = self.document((self.folder / "r.json").read_text())
        self.assertFalse(document["run"]["complete"])
        for case in document["cases"]:
            self.assertEqual((case["status"], len(case["repeats"])), ("ok", 2))
        self.assertEqual(self.run_pairbench("show", "r.json").status, 0)
        server.end_of_session(server.session()[0], ENDS_WITHIN)
        self.run_well(server.address, "libfabric:tcp")

    def test_int(self) -> None:
        self.ends_in_good_order(signal.SIGINT)

    def test_term(self) -> None:
        self.ends_in_good_order(signal.SIGTERM)

    def test_hup(self) -> None:
        self.ends_in_good_order(signal.SIGHUP)

    def test_json_holds_what_was_finished_and_why_it_ended(self) -> None:
        run, _ = self.interrupt(signal.SIGINT, "--out", "r.json", "--json")
        done = run.finish(ENDS_WITHIN)
        self.assertEqual(done.status, 130, done)
        failure = self.document(done.out)["run"]["failure"]
        self.assertEqual((failure["code"], failure["message"]), (130, "interrupted"))

    def test_an_old_result_stays_when_nothing_was_finished(self) -> None:
        server = self.serve()
        old = self.measure("local", "-t", "inproc", "--preset", "smoke", "--iters", "1")
        (self.folder / "r.json").write_text(repr(old))
        moment = Moment("block", 1, {"warmup": True}, 0.1)
        tap = Tap(("127.0.0.1", server.port), moment, lambda: run.signal(signal.SIGINT))
        self.addCleanup(tap.close)
        command = ("run", f"127.0.0.1:{tap.port}", *TCP, "--warmup", "4000000", "--iters", "1")
        run = self.start(*command, "--out", "r.json", "--force")
        done = run.finish(60)
        self.assertEqual(done.status, 130, done)
        self.assertIn("nothing was finished", done.err)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["r.json"])
        self.assertEqual((self.folder / "r.json").read_text(), repr(old))

    def test_the_second_kills(self) -> None:
        """While the first is still being obeyed: the document goes into a pipe that is not read."""
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
        run, server = self.interrupt(signal.SIGINT, "--out", "fifo")
        self.assertEqual(select.select([reader], [], [], 60)[0], [reader], run.describe())
        run.signal(signal.SIGINT)
        done = run.finish(ENDS_WITHIN)
        self.assertEqual(done.status, -signal.SIGINT, done)
        server.end_of_session(server.session()[0], ENDS_WITHIN)


class WithoutAPeer(TestCase):
    @needs("libfabric:tcp")
    def test_before_the_connection_is_made(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            port = nobody.getsockname()[1]
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                run = self.start("run", f"127.0.0.1:{port}", *TCP, "--connect-retry", "10m")
                run.line("cases? x .* repeat")
                run.signal(number)
                done = run.finish(ENDS_WITHIN)
                self.assertEqual(done.status, 128 + number, done)
                self.assertIn("interrupted", done.err)

    @needs("libfabric:tcp")
    def test_before_the_greeting_is_answered(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            run = self.start("run", f"127.0.0.1:{silent.getsockname()[1]}", *TCP)
            silent.settimeout(60)
            connection, _ = silent.accept()
            with connection:
                connection.recv(1)
                run.signal(signal.SIGINT)
                done = run.finish(ENDS_WITHIN)
        self.assertEqual(done.status, 130, done)

    def test_where_no_real_time_signal_can_be_queued_a_run_ends(self) -> None:
        limited = ("bash", "-c", 'ulimit -i 0 && exec "$@"', "bash")
        one = ("--sizes", "8", "--iters", "1", "--warmup", "0", "--repeats", "1", "--no-save", "-q")
        done = self.run_pairbench("local", "-t", "inproc", *one, below=limited, within=ENDS_WITHIN)
        self.assertEqual(done.status, 0, done)

    def test_local_over_inproc(self) -> None:
        shown = ("--progress", "always")
        run = self.start("local", "-t", "inproc", *ENDLESS, *shown, "--out", "r.json")
        run.line("done, about")
        run.signal(signal.SIGINT)
        done = run.finish(ENDS_WITHIN)
        self.assertEqual(done.status, 130, done)
        document = self.document((self.folder / "r.json").read_text())
        self.assertFalse(document["run"]["complete"])

    def test_a_waiting_server(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                server = self.serve()
                server.signal(number)
                self.assertEqual(server.finish(ENDS_WITHIN).status, 128 + number)


@needs_libfabric
class TheServer(TestCase):
    def test_is_stopped_in_a_session(self) -> None:
        """The initiator is told, and keeps what was finished."""
        server = self.serve()
        moment = Moment("open", 3)
        tap = Tap(("127.0.0.1", server.port), moment, lambda: server.signal(signal.SIGTERM))
        self.addCleanup(tap.close)
        run = self.start("run", f"127.0.0.1:{tap.port}", *TCP, *ENDLESS, "--out", "r.json")
        done = run.finish()
        self.assertEqual(done.status, 5, done)
        self.assertIn("interrupted", done.err)
        self.assertEqual(server.finish(ENDS_WITHIN).status, 128 + signal.SIGTERM)
        self.assertFalse(self.document((self.folder / "r.json").read_text())["run"]["complete"])


if __name__ == "__main__":
    main()
