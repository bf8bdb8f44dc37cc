"""Usage errors and failures before a run: exit status, a message that names option and value, nobody contacted."""

import socket

from support import ONE_MESSAGE, TestCase, main, needs, needs_libfabric

# What is wrong, the option that the message names, and the value.
Wrong = tuple[list[str], str, str]


def wrong(option: str, *values: str) -> list[Wrong]:
    return [([f"{option}={value}"], option, value) for value in values]


SIZES = wrong(
    "--sizes",
    *("64kB", "1.5M", "0x10", "1e3", "-5", "", " 8", "8x", "8,,16", "8-16", "18446744073709551616"),
    *("9223372036854775808", "16384P", "1:2", "8:4:x2", "1:8:x1", "1:8:+0", "8,"),
)
AMOUNTS = [
    *wrong("--iters", "0", "-1", "1.5", "abc", "--json", "17592186044417"),
    *wrong("--duration", "0", "-1", "abc", "1d", "99999999999999999999", "0.0000000001", "169h"),
    *wrong("--warmup", "-1", "x"),
    *wrong("--repeats", "0", "-1", "x", "1001"),
    (["--iters=1", "--duration=1"], "--iters", "--duration"),
    (["-n", "0"], "--iters", "0"),
    (["-D", "0"], "--duration", "0"),
    (["-s", "64kB"], "--sizes", "64kB"),
]
CHOICES = [
    *wrong("--test", "nosuch", ""),
    *wrong("--preset", "nosuch"),
    *wrong("--completion", "nosuch"),
    *wrong("--clock", "nosuch"),
    *wrong("--progress", "nosuch"),
    *wrong("--inline", "nosuch", "-1"),
    *wrong("--cpu", "x", "-1", "0,1,2", "4096"),
    *wrong("--window", "0", "-1", "x", "16777217"),
    *wrong("--rx-depth", "0", "x", "16777217"),
    *wrong("--refill-at", "-1"),
    *wrong("--signal-every", "0"),
    *wrong("--seed", "-1"),
    *wrong("--peer-timeout", "0", "x", "25h"),
    *wrong("--connect-retry", "-1", "x"),
    (["--nosuch"], "--nosuch", "--nosuch"),
    (["-a"], "-a", "--sizes 1:8M:x2"),
    (["--out", "r.json", "--no-save"], "--out", "--no-save"),
]
TRANSPORTS = [
    (["-t", name], "-t", name)
    for name in ("", "nosuch", "libfabric:", "inproc:x", "verbs:a/b", "verbs-srd:x", "=inproc")
]
PORTS = wrong("--port", "0", "-1", "65536", "99999", "http")
TCP = ["-t", "libfabric:tcp"]


class Usage(TestCase):
    """Each command line is given twice, with and without --json, to a run whose server is a trap."""

    def setUp(self) -> None:
        super().setUp()
        self.trap = socket.create_server(("127.0.0.1", 0))
        self.trap.setblocking(False)
        self.addCleanup(self.trap.close)
        self.host = f"127.0.0.1:{self.trap.getsockname()[1]}"

    def refused(
        self, arguments: list[str], option: str, value: str, knows_json: bool = True
    ) -> None:
        with self.subTest(arguments=arguments):
            plain = self.run_pairbench(*arguments)
            self.assertEqual((plain.status, plain.out), (2, ""), plain)
            self.assertRegex(plain.err, "^error: ")
            self.assertIn(option, plain.err)
            self.assertIn(value, plain.err)
            error = self.assert_error_document(self.run_pairbench(*arguments, "--json"), 2)
            self.assertEqual(error["phase"], "usage")
            if knows_json:
                self.assertIn(error["message"], plain.err)
            with self.assertRaises(BlockingIOError):
                self.trap.accept()
            self.assertEqual(list(self.folder.iterdir()), [])

    def refused_by_run_and_local(self, *cases: Wrong) -> None:
        for words, option, value in cases:
            self.refused(["run", self.host, *TCP, *words], option, value)
        for words, option, value in cases[:3]:
            self.refused(["local", "-t", "inproc", *words], option, value)

    def test_sizes(self) -> None:
        self.refused_by_run_and_local(*SIZES)

    def test_amounts(self) -> None:
        self.refused_by_run_and_local(*AMOUNTS)
        self.refused(["local", "-t", "inproc", "--iters"], "--iters", "", knows_json=False)

    def test_choices_and_limits(self) -> None:
        self.refused_by_run_and_local(*CHOICES)

    def test_transports(self) -> None:
        for words, option, value in TRANSPORTS:
            self.refused(["run", self.host, *words], option, value)
        self.refused(["run", self.host, "-t", "inproc"], "-t", "'inproc'")
        self.refused(["run", self.host], "-t", "transport")
        self.refused(["local", "-t", "inproc", "-t", "inproc"], "-t", "'inproc'")

    def test_hosts_and_ports(self) -> None:
        for words, option, value in PORTS:
            self.refused(["run", "127.0.0.1", *TCP, *words], option, value)
        for host in ("", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:http", "[::1", "a:"):
            self.refused(["run", host, *TCP], "HOST", host)
        self.refused(["run", *TCP], "HOST", "required")

    def test_the_other_commands(self) -> None:
        for words, option, value in PORTS[1:] + wrong("--max-memory", "x", "-1", "1.5G"):
            self.refused(["serve", *words], option, value)
        self.refused(["show"], "FILE", "required")
        self.refused(["show", "r.json", "--format", "nosuch"], "--format", "nosuch")
        self.refused(["devices", "--nosuch"], "--nosuch", "--nosuch")
        self.refused(["hello"], "--transport", "required")
        self.refused(["nosuch"], "nosuch", "nosuch", knows_json=False)
        self.refused([], "command", "--help", knows_json=False)

    @needs("libfabric:tcp")
    def test_hello(self) -> None:
        for words, option, value in (
            (["-t", "inproc"], "-t", "libfabric"),
            ([*TCP, "--count", "0"], "--count", "'0'"),
            ([*TCP, "nohex"], "address", "'nohex'"),
        ):
            self.refused(["hello", *words], option, value, knows_json=False)

    def test_interop(self) -> None:
        for words, option, value in (
            *wrong("--mtu", "1000", "255", "8192", "x"),
            *wrong("--size", "0", "x"),
            *wrong("--iters", "0"),
        ):
            self.refused(["interop", "rc_pingpong", *words], option, value, knows_json=False)

    def test_what_looks_odd_and_is_right(self) -> None:
        for sizes in ("64k", "64K", "64KiB", "0", "8,8", "0:8:x2", "9223372036854775807"):
            self.accepted(f"--sizes={sizes}")
        for words in (["--warmup=0", "--iters=1"], ["--duration=0.000001"], ["--iters=3000000000"]):
            self.accepted(*words)

    def accepted(self, *words: str) -> None:
        with self.subTest(arguments=words):
            done = self.run_pairbench("local", "-t", "inproc", "--plan", *words)
            self.assertEqual((done.status, done.err), (0, ""), done)

    def test_sizes_are_bytes_in_the_document(self) -> None:
        amount = ("--iters", "1", "--warmup", "0", "--repeats", "1", "--test", "pingpong")
        document = self.measure("local", "-t", "inproc", "--sizes", "64k,1KiB,0", *amount)
        self.assertEqual(document["config"]["sizes"], [0, 1024, 65536])

    def test_a_duration_too_short_for_anything(self) -> None:
        """Figures that one message cannot give are null, not zero."""
        amount = ("--duration", "0.000001", "--warmup", "0", "--repeats", "1", "--sizes", "8")
        document = self.measure("local", "-t", "inproc", *amount)
        for case in document["cases"]:
            self.assertEqual(case["status"], "ok")
            for figure in ("delivered_bytes_per_second", "messages_per_second"):
                value = case["summary"][figure]
                self.assertTrue(value is None or value["value"] > 0, value)


class Failures(TestCase):
    """Exit statuses of failures are the same with and without --json."""

    def fails(self, status: int, arguments: list[str], *said: str, within: float = 60) -> None:
        with self.subTest(arguments=arguments):
            plain = self.run_pairbench(*arguments, within=within)
            self.assertEqual((plain.status, plain.out), (status, ""), plain)
            for text in said:
                self.assertIn(text, plain.err)
            self.assert_error_document(self.run_pairbench(*arguments, "--json"), status)

    def closed_port(self) -> int:
        with socket.create_server(("127.0.0.1", 0)) as server:
            return int(server.getsockname()[1])

    @needs("libfabric:tcp")
    def test_nobody_listens(self) -> None:
        host = f"127.0.0.1:{self.closed_port()}"
        self.fails(5, ["run", host, *TCP], host, "Connection refused", "pairbench serve")

    @needs("libfabric:tcp")
    def test_an_unknown_host(self) -> None:
        self.fails(5, ["run", "nosuch.invalid", *TCP], "cannot resolve", "nosuch.invalid")

    @needs_libfabric
    def test_an_unknown_provider(self) -> None:
        server = self.serve()
        run = ["run", server.address, "-t", "libfabric:tpc"]
        self.fails(4, run, "provider tpc", "tcp")

    def test_a_port_in_use(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = str(other.getsockname()[1])
            done = self.run_pairbench("serve", "--bind", "127.0.0.1", "--port", port)
        self.assertEqual((done.status, done.out), (1, ""))
        self.assertIn(port, done.err)

    def test_an_address_that_is_not_ours(self) -> None:
        for bind, status in (("198.51.100.1", 1), ("nosuch.invalid", 2)):
            done = self.run_pairbench("serve", "--bind", bind, "--port", "0")
            self.assertEqual((done.status, done.out), (status, ""))
            self.assertIn(bind, done.err)

    def test_a_place_that_cannot_be_written(self) -> None:
        for place in ("/nonexistent/r.json", str(self.folder), "/proc/r.json"):
            self.fails(1, ["local", "-t", "inproc", *ONE_MESSAGE, "--out", place], place)

    def test_files_that_cannot_be_read(self) -> None:
        (self.folder / "bad.json").write_text("{")
        (self.folder / "other.json").write_text('{"schema_version": 2}')
        for name in ("missing.json", "bad.json", "other.json", "."):
            self.fails(1, ["show", name], name)


if __name__ == "__main__":
    main()
