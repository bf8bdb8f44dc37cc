"""`serve` and `run` on two hosts: two network namespaces joined by a cable."""

import ctypes
import os
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Callable, Optional, TypeVar

from control import Moment, Tap
from support import PATIENCE, ROOT, Server, TestCase, main, needs

NETNS_PAIR = str(ROOT / "scripts" / "netns-pair")
TCP = ("-t", "libfabric:tcp")
AMOUNT = ("--iters", "200", "--warmup", "10", "--repeats", "1", "--sizes", "8,64K")
PAYLOAD = 2 * 200 * (64 << 10)  # of the large cases, a ping-pong's way there and a stream
CLONE_NEWNET = 0x40000000

Made = TypeVar("Made")


def why_no_namespaces() -> str:
    if os.geteuid() != 0 or not shutil.which("ip"):
        return "network namespaces need root and iproute2"
    unshare = subprocess.run(
        ["unshare", "--net", "true"], stderr=subprocess.DEVNULL, timeout=PATIENCE
    )
    return "" if unshare.returncode == 0 else "no network namespaces here"


class TwoHosts(TestCase):
    LINK: tuple[str, ...] = ()

    def setUp(self) -> None:
        super().setUp()
        if reason := why_no_namespaces():
            self.skipTest(reason)
        self.prefix = f"pbe2e{os.getpid()}"
        self.pair("up", *self.LINK)
        self.addCleanup(self.pair, "down")

    def pair(self, *words: str) -> str:
        command = [NETNS_PAIR, "--prefix", self.prefix, *words]
        return subprocess.run(
            command, stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=True
        ).stdout

    def on(self, host: str) -> tuple[str, ...]:
        """What a command on host A or B stands below."""
        return ("ip", "netns", "exec", f"{self.prefix}-{host.lower()}")

    def arrived(self, device: str = "pair0") -> int:
        """Bytes that came out of the cable at A."""
        path = f"/sys/class/net/{device}/statistics/rx_bytes"
        return int(self.pair("exec", "A", "--", "cat", path))

    def await_carrier(self, device: str = "pair0") -> None:
        deadline = time.monotonic() + PATIENCE
        for host in ("A", "B"):
            while " UP " not in self.pair("exec", host, "--", "ip", "-br", "link", "show", device):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)

    def make_on(self, host: str, make: Callable[[], Made]) -> Made:
        """Makes something in a host's network namespace, which is a thread's own and its threads'."""
        made: list[Made] = []

        def enter_and_make() -> None:
            with open(f"/run/netns/{self.prefix}-{host.lower()}") as namespace:
                if ctypes.CDLL(None).setns(namespace.fileno(), CLONE_NEWNET) == 0:
                    made.append(make())

        thread = threading.Thread(target=enter_and_make)
        thread.start()
        thread.join(PATIENCE)
        return made[0]


@needs("libfabric:tcp")
class OverTheCable(TwoHosts):
    def measure_to(self, host: str, server: Server) -> Any:
        before = self.arrived()
        command = ("run", f"{host}:{server.port}", *TCP, *AMOUNT, "--out", "r.json")
        done = self.run_pairbench(*command, below=self.on("B"))
        self.assertEqual(done.status, 0, done)
        self.assertGreater(self.arrived() - before, PAYLOAD)
        rows = [line for line in done.out.splitlines() if not line.startswith("#")]
        self.assertEqual(len(rows), 4, done.out)
        document = self.document((self.folder / "r.json").read_text())
        self.assertTrue(document["run"]["complete"])
        self.assert_counts_equal(document)
        self.assertEqual(document["run"]["control_address"], f"{host}:{server.port}")
        [transport] = document["transports"]
        for end in ("initiator", "responder"):
            self.assertIn("pair0", transport[end]["opened"])
        # One machine, whatever its namespaces: the figures are no network's.
        self.assertTrue(transport["one_host"])
        self.assertIn("one host", done.out)
        server.line("^run from .*: done$")
        return document

    def test_ipv4(self) -> None:
        self.measure_to("10.77.0.1", self.serve(bind="10.77.0.1", below=self.on("A")))

    def test_ipv6(self) -> None:
        self.measure_to("[fd77::1]", self.serve(bind="fd77::1", below=self.on("A")))

    def test_a_server_on_all_addresses(self) -> None:
        server = self.serve(bind="", below=self.on("A"))
        server.line("^on the other host: pairbench run ")
        server.line("^warning: anyone who reaches this port")
        for host in ("10.77.0.1", "[fd77::1]"):
            self.measure_to(host, server)
            (self.folder / "r.json").unlink()

    def test_hello(self) -> None:
        receiver = self.start("hello", *TCP, "--count", "1", below=self.on("A"))
        printed = receiver.line(r"^ *pairbench (hello -t .*) \"hello\"$")[1]
        sent = self.run_pairbench(*printed.split(), "over the cable", below=self.on("B"))
        self.assertEqual(sent.status, 0, sent)
        self.assertIn("14 bytes: over the cable", receiver.finish().out)

    def test_loopback_never_stands_for_the_network(self) -> None:
        server = self.serve(bind="10.77.0.1", below=self.on("A"))
        command = ("run", f"10.77.0.1:{server.port}", *TCP, *AMOUNT)
        done = self.run_pairbench(*command, below=(*self.on("B"), "env", "FI_TCP_IFACE=lo"))
        self.assertEqual(done.status, 4, done)
        self.assertIn("10.77.0.2", done.err)
        self.assertIn("FI_TCP_IFACE", done.err)

    def test_no_device_of_that_name_on_the_other_host(self) -> None:
        server = self.serve(bind="10.77.0.1", below=self.on("A"))
        command = ("run", f"10.77.0.1:{server.port}", "-t", "libfabric:tcp/pair0,nosuch0", *AMOUNT)
        done = self.run_pairbench(*command, below=self.on("B"))
        self.assertEqual(done.status, 4, done)
        self.assertIn("nosuch0", done.err)
        self.assertIn("pair0", done.err)


@needs("libfabric:tcp")
class ALimitedLink(TwoHosts):
    LIMIT = 400e6 / 8  # bytes a second
    LINK = ("--rate", "400mbit")

    def bandwidth(self, server: Server, *options: str) -> Optional[float]:
        """Held against the limit: strictly where the receiver kept its CPU, else loosely, since stamps come late
        then. None where it did not in three streams.
        """
        command = ("run", server.address, *TCP, "--test", "stream", "--repeats", "1", *options)
        for _ in range(3):
            done = self.run_pairbench(*command, "--no-save", "--json", below=self.on("B"))
            self.assertEqual(done.status, 0, done)
            [case] = self.document(done.out)["cases"]
            kept = case["repeats"][0]["responder"]["involuntary_context_switches"] == 0
            reported = float(case["summary"]["delivered_bytes_per_second"]["value"])
            if kept:
                break
        self.assertLessEqual(reported, self.LIMIT * (1 if kept else 1.1))
        self.assertGreater(reported, self.LIMIT * (0.8 if kept else 0.4))
        return reported if kept else None

    def test_is_what_is_reported(self) -> None:
        """However short the stream, the buffers between the two ends do not count."""
        server = self.serve(bind="10.77.0.1", below=self.on("A"))
        few = self.bandwidth(server, "--sizes", "1M", "--iters", "4")
        many = self.bandwidth(server, "--sizes", "1M", "--iters", "256")
        self.bandwidth(server, "--sizes", "64K", "--duration", "1s")
        if few and many:
            self.assertLess(abs(few / many - 1), 0.1)


@needs("libfabric:tcp")
class LinkDown(TwoHosts):
    """No end of file comes, only silence."""

    def goes_down(self, moment: Moment, phase: str, *options: str, silence: float = 3) -> None:
        server = self.serve(bind="10.77.0.1", below=self.on("A"))

        def fall() -> None:
            self.pair("exec", "A", "--", "ip", "link", "set", "pair0", "down")

        tap = self.make_on("A", lambda: Tap(("10.77.0.1", server.port), moment, fall))
        self.addCleanup(tap.close)
        command = ("run", f"10.77.0.1:{tap.port}", *TCP, *options, "--sizes", "8,64")
        amount = ("--test", "pingpong", "--repeats", "1", "--peer-timeout", "2s", "--out", "r.json")
        run = self.start(*command, *amount, below=self.on("B"))
        self.assertTrue(tap.hit.wait(PATIENCE), run.describe())
        done = run.finish(silence + 8)
        self.assertEqual(done.status, 5, done)
        self.assertRegex(done.err, rf"error: .*\({re.escape(phase)}")
        self.assertIn("10.77.0.1", done.err)
        path = Path(self.folder / "r.json")
        if path.exists():
            self.assertFalse(self.document(path.read_text())["run"]["complete"])
        how = server.end_of_session(server.session()[0], silence + 8)
        self.assertEqual(how, "exit status 5")
        self.pair("exec", "A", "--", "ip", "link", "set", "pair0", "up")
        self.await_carrier()
        # A neighbour that was given up is asked for again only after a moment.
        again = ("run", f"10.77.0.1:{server.port}", *TCP, *AMOUNT, "--no-save")
        done = self.run_pairbench(*again, "--connect-retry", "10s", below=self.on("B"))
        self.assertEqual(done.status, 0, done)

    def test_at_hello(self) -> None:
        self.goes_down(Moment("hello_reply"), "hello", silence=10)

    def test_in_a_warm_up(self) -> None:
        moment = Moment("block", 1, {"warmup": True}, 0.1)
        self.goes_down(moment, "warm-up", "--warmup", "4000000", "--iters", "1")

    def test_in_a_measurement(self) -> None:
        moment = Moment("block", 4, {"warmup": False}, 0.1)
        self.goes_down(moment, "measure", "--warmup", "1", "--iters", "80000")

    def test_between_two_cases(self) -> None:
        self.goes_down(Moment("start_case", 2), "measure", "--warmup", "1", "--iters", "100")

    def test_at_the_result_exchange(self) -> None:
        self.goes_down(Moment("block_result", 8), "results", "--warmup", "1", "--iters", "100")


if __name__ == "__main__":
    main()
