"""`serve` among strangers, busy, with many clients, and with peers of other versions."""

import os
import socket
import threading
import time
from pathlib import Path
from typing import Any

import control
from control import Moment, Tap
from support import ONE_MESSAGE, Server, TestCase, main, needs, needs_libfabric

TCP = ("-t", "libfabric:tcp")
FOREVER = ("--preset", "smoke", "--repeats", "1000", "--no-save")


def gone(connection: socket.socket, within: float) -> bool:
    """Whether the other end hangs up."""
    connection.settimeout(within)
    try:
        while connection.recv(4096):
            pass
    except ConnectionError:
        pass
    except TimeoutError:
        return False
    return True


@needs_libfabric
class Strangers(TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.server = self.serve()

    def connect(self) -> socket.socket:
        connection = control.connect(self.server.port)
        self.addCleanup(connection.close)
        return connection

    def serves_on(self) -> None:
        self.assertTrue(self.server.is_running())
        self.run_well(self.server.address, "libfabric:tcp")

    def test_a_hundred_that_leave_at_once(self) -> None:
        for _ in range(100):
            self.connect().close()
        self.serves_on()
        self.server.line("turned away .* it left without a knock")

    def test_one_that_says_nothing(self) -> None:
        silent = self.connect()
        self.serves_on()
        self.assertTrue(gone(silent, 20))
        self.server.line("turned away .* it did not knock within 5s")

    def test_a_browser(self) -> None:
        browser = self.connect()
        browser.sendall(b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n")
        self.assertTrue(gone(browser, 20))
        self.server.line("turned away .* it is no pairbench")
        self.serves_on()

    def test_noise(self) -> None:
        noise = self.connect()
        try:
            noise.sendall(os.urandom(1 << 20))
        except ConnectionError:
            pass
        self.assertTrue(gone(noise, 20))
        self.serves_on()

    def test_noise_behind_a_knock(self) -> None:
        for nonsense in (
            b"\xff" * 8,
            control.frame({}),
            b"\x00\x00\x00\x02[]",
            b"\x00\x00\x00\x00",
        ):
            with self.subTest(nonsense=nonsense):
                stranger = self.connect()
                stranger.sendall(control.knock() + nonsense)
                self.assertTrue(gone(stranger, 20))
        self.serves_on()

    def hello(self) -> control.Message:
        """A greeting as a real initiator sends it."""
        seen: list[control.Message] = []
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(60)
            run = self.start("run", f"127.0.0.1:{listener.getsockname()[1]}", *TCP, *ONE_MESSAGE)
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(60)
                control.receive(connection, control.KNOCK_SIZE)
                seen.append(control.receive_message(connection))
            self.assertEqual(run.finish().status, 5)
        self.assertEqual(seen[0]["type"], "hello")
        return seen[0]

    def test_a_slow_one_that_keeps_to_the_protocol(self) -> None:
        greeting = control.frame(self.hello())
        slow = self.connect()
        for byte in control.knock():
            slow.sendall(bytes([byte]))
            time.sleep(0.05)
        for byte in greeting:
            slow.sendall(bytes([byte]))
        self.assertEqual(control.receive_message(slow)["type"], "hello_reply")
        slow.close()
        self.serves_on()

    def test_unknown_fields_are_ignored(self) -> None:
        later = self.connect()
        later.sendall(control.knock() + control.frame({**self.hello(), "a_later_field": [1]}))
        self.assertEqual(control.receive_message(later)["type"], "hello_reply")
        later.close()
        self.serves_on()

    def test_half_a_greeting(self) -> None:
        greeting = control.frame(self.hello())
        stranger = self.connect()
        stranger.sendall(control.knock() + greeting[: len(greeting) // 2])
        stranger.close()
        self.serves_on()
        self.server.line(r"ended \(exit status 5\)")

    def test_other_versions(self) -> None:
        for knock, version in (
            (control.knock(control.VERSION + 1), control.VERSION + 1),
            (control.knock(control.VERSION - 1), control.VERSION - 1),
            (control.knock(control.VERSION, order="<"), control.VERSION << 8),
        ):
            with self.subTest(version=version):
                other = self.connect()
                other.sendall(knock)
                failure = control.receive_message(other)["failure"]
                said = f"initiator {version}, responder {control.VERSION}"
                self.assertIn(said, failure["message"])
                self.assertTrue(gone(other, 20))
                self.server.line(said)
        self.serves_on()


@needs("libfabric:tcp")
class OtherServers(TestCase):
    """What `run` makes of them."""

    def meet(self, answer: bytes, *options: str) -> Any:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(60)
            self.host = f"127.0.0.1:{listener.getsockname()[1]}"
            run = self.start("run", self.host, *TCP, *ONE_MESSAGE, "--json", "--no-save", *options)
            connection, _ = listener.accept()
            with connection:
                connection.sendall(answer)
                if not answer:
                    connection.shutdown(socket.SHUT_WR)
                done = run.finish(30)
        return self.assert_error_document(done, 5)

    def test_another_version(self) -> None:
        """What a server says to one that is newer is what `run` gets here, and shows."""
        with control.connect(self.serve().port) as newer:
            newer.sendall(control.knock(control.VERSION + 1))
            answer = control.receive_message(newer)
        error = self.meet(control.frame(answer))
        self.assertEqual(error["message"], answer["failure"]["message"])
        self.assertEqual(error["phase"], "hello")
        self.assertIn(self.host, error["host"])

    def test_a_web_server(self) -> None:
        error = self.meet(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        self.assertIn("does not speak this protocol", error["message"])

    def test_one_that_hangs_up(self) -> None:
        error = self.meet(b"")
        self.assertIn("lost the peer", error["message"])
        self.assertIn(error["phase"], ("connect", "hello"))

    def test_one_that_says_nothing(self) -> None:
        """The peer timeout is the limit from the first moment."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            host = f"127.0.0.1:{listener.getsockname()[1]}"
            done = self.run_pairbench("run", host, *TCP, *ONE_MESSAGE, "--json", within=25)
        error = self.assert_error_document(done, 5)
        self.assertIn("no sign of life", error["message"])


@needs_libfabric
class Sessions(TestCase):
    def test_a_second_client_is_told_that_the_server_is_busy(self) -> None:
        server = self.serve()
        entered, leave = threading.Event(), threading.Event()

        def hold() -> None:
            entered.set()
            leave.wait(60)

        tap = Tap(("127.0.0.1", server.port), Moment("open"), hold)
        self.addCleanup(tap.close)
        first = self.start("run", f"127.0.0.1:{tap.port}", *TCP, "--preset", "smoke", "--no-save")
        self.assertTrue(entered.wait(60), first.describe())
        second = self.run_pairbench("run", server.address, *TCP, *ONE_MESSAGE, within=20)
        self.assertEqual(second.status, 5, second)
        self.assertIn("the server is busy", second.err)
        self.assertIn("127.0.0.1", second.err)
        leave.set()
        self.assertEqual(first.finish().status, 0)
        self.run_well(server.address, "libfabric:tcp")

    def test_twenty_clients_leave_nothing_behind(self) -> None:
        server = self.serve("-q")

        def held() -> tuple[int, list[str], set[str]]:
            descriptors = len(os.listdir(f"/proc/{server.pid}/fd"))
            children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
            return descriptors, children, set(os.listdir("/dev/shm"))

        self.run_well(server.address, "libfabric:tcp")
        descriptors, children, files = held()
        self.assertEqual(children, [])
        for n in range(20):
            transport = ("libfabric:tcp", "libfabric:shm")[n % 2]
            if n == 7:
                with control.connect(server.port) as stranger:
                    stranger.sendall(control.knock(99))
            elif n == 11:
                victim = self.start("run", server.address, *TCP, *FOREVER)
                peer = server.session(2 + n - 1)[0]
                victim.kill()
                server.end_of_session(peer)
            else:
                self.run_well(server.address, transport)
        deadline = time.monotonic() + 20
        while held()[:2] != (descriptors, []) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(held()[:2], (descriptors, []))
        mine = {name for name in held()[2] - files if "pairbench" in name or "fi_" in name}
        self.assertEqual(mine, set())

    def test_once_ends_with_the_session(self) -> None:
        server = self.serve("--once")
        self.run_well(server.address, "libfabric:tcp")
        self.assertEqual(server.finish().status, 0)

    def test_a_run_that_needs_too_much_memory_is_refused(self) -> None:
        """By its greeting, where any such run needs too much, or else by its plan."""
        for allowed, size, phase in (("1M", "1", "hello"), ("200M", "64M", "plan")):
            with self.subTest(phase=phase):
                server = self.serve("--max-memory", allowed)
                amount = ("--iters", "1", "--warmup", "0", "--repeats", "1", "--sizes", size)
                run = ("run", server.address, *TCP, *amount, "--no-save", "--json")
                error = self.assert_error_document(self.run_pairbench(*run), 5)
                self.assertEqual(error["phase"], phase)
                self.assertIn(str(int(allowed[:-1]) << 20), error["message"])
                self.assertIn("--max-memory", error["hint"])

    def test_a_server_without_memory_says_so_at_the_client(self) -> None:
        """What fails there is told here in the server's own words, and the next run finds it well."""
        server = self.serve(below=("prlimit", f"--as={600 << 20}"))
        huge = ("--iters", "1", "--warmup", "0", "--repeats", "1", "--sizes", "256M")
        run = ("run", server.address, *TCP, *huge, "--no-save", "--json")
        error = self.assert_error_document(self.run_pairbench(*run), 1)
        self.assertIn("cannot allocate", error["message"])
        self.assertEqual(error["phase"], "open")
        self.assertNotEqual(error["host"], "")
        self.run_well(server.address, "libfabric:tcp")


@needs_libfabric
class Order(TestCase):
    """The client may come first."""

    def free_port(self) -> int:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            return int(listener.getsockname()[1])

    def test_a_retry_finds_the_server_that_comes_later(self) -> None:
        port = self.free_port()
        command = ("run", f"127.0.0.1:{port}", *TCP, *ONE_MESSAGE, "--no-save")
        run = self.start(*command, "--connect-retry", "1m")
        run.line("about")
        self.serve(port=port)
        self.assertEqual(run.finish().status, 0)

    def test_a_retry_ends(self) -> None:
        command = ("run", f"127.0.0.1:{self.free_port()}", *TCP, *ONE_MESSAGE)
        done = self.run_pairbench(*command, "--connect-retry", "1s", within=20)
        self.assertEqual(done.status, 5)
        self.assertGreaterEqual(done.seconds, 1)


class Names(TestCase):
    """Names that have several addresses, in a mount namespace with an /etc/hosts of its own."""

    def setUp(self) -> None:
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("another /etc/hosts needs root")
        hosts = "127.0.0.1 localhost\n::1 two\n127.0.0.1 two\n::1 six\n"
        (self.folder / "hosts").write_text(hosts)
        self.below = ("unshare", "-m", "sh", "-c", 'mount --bind hosts /etc/hosts; exec "$@"', "sh")

    def reaches(self, name: str, server: Server, address: str) -> None:
        host = f"{name}:{server.port}"
        done = self.run_pairbench(
            *("run", host, *TCP, *ONE_MESSAGE, "--no-save", "--json"), below=self.below
        )
        self.assertEqual(done.status, 0, done)
        document = self.document(done.out)
        self.assertEqual(document["run"]["control_address"], f"{address}:{server.port}")

    @needs("libfabric:tcp")
    def test_every_address_is_tried(self) -> None:
        server = self.serve()
        self.reaches("two", server, "127.0.0.1")
        self.reaches("localhost", server, "127.0.0.1")

    @needs("libfabric:tcp")
    def test_ipv6_alone(self) -> None:
        server = self.serve(bind="::1")
        self.reaches("two", server, "[::1]")
        self.reaches("six", server, "[::1]")
        self.reaches("[::1]", server, "[::1]")

    @needs("libfabric:tcp")
    def test_an_error_lists_them_all(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        done = self.run_pairbench("run", f"two:{port}", *TCP, *ONE_MESSAGE, below=self.below)
        self.assertEqual(done.status, 5)
        self.assertIn(f"[::1]:{port}", done.err)
        self.assertIn(f"127.0.0.1:{port}", done.err)


if __name__ == "__main__":
    main()
