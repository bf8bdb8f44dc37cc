"""Two hosts with two cables between them and a decoy: an interface with an address on both, and no cable."""

import time
from typing import Any

from control import Moment, Tap
from support import Done, Server, main, needs
from two_hosts_test import AMOUNT, PAYLOAD, TCP, TwoHosts

PEER_TIMEOUT = 3.0
SLACK = 8.0
ENDLESS = (
    "--test",
    "pingpong",
    "--sizes",
    "8",
    "--duration",
    "60s",
    "--warmup",
    "100",
    "--repeats",
    "1",
)


class SeveralNics(TwoHosts):
    def setUp(self) -> None:
        super().setUp()
        self.ip(
            "A",
            "link",
            "add",
            "pair1",
            "type",
            "veth",
            "peer",
            "name",
            "pair1",
            "netns",
            f"{self.prefix}-b",
        )
        for number, host in ((1, "A"), (2, "B")):
            # Its cable leads back to its own host.
            self.ip(host, "link", "add", "decoy0", "type", "veth", "peer", "name", "decoy1")
            self.ip(host, "link", "set", "decoy1", "up")
            for device, subnet in (("pair1", 78), ("decoy0", 79)):
                self.ip(host, "address", "add", f"10.{subnet}.0.{number}/24", "dev", device)
                self.ip(host, "link", "set", device, "up")
        self.await_carrier("pair1")

    def ip(self, host: str, *words: str) -> None:
        self.pair("exec", host, "--", "ip", *words)

    def server(self) -> Server:
        return self.serve(bind="", below=self.on("A"))

    def run_to(self, subnet: int, server: Server, *options: str) -> Done:
        return self.run_pairbench(
            "run", f"10.{subnet}.0.1:{server.port}", *options, below=self.on("B")
        )

    def measured(self, subnet: int, device: str, *options: str) -> Any:
        """A run by way of that control address must move its data over `device`, and say so."""
        before = {cable: self.arrived(cable) for cable in ("pair0", "pair1")}
        done = self.run_to(subnet, self.server(), *options, *AMOUNT, "--no-save", "--json")
        self.assertEqual(done.status, 0, done)
        for cable, bytes_before in before.items():
            moved = self.arrived(cable) - bytes_before
            self.assertEqual(moved > PAYLOAD, cable == device, cable)
        document = self.document(done.out)
        self.assert_counts_equal(document)
        [transport] = document["transports"]
        for end in ("initiator", "responder"):
            self.assertIn(f"/{device}", transport[end]["opened"])
        return document


@needs("libfabric:tcp")
class Choice(SeveralNics):
    def test_data_go_where_the_control_connection_goes(self) -> None:
        self.measured(77, "pair0", *TCP)
        self.measured(78, "pair1", *TCP)

    def test_data_go_over_the_link_that_was_asked_for(self) -> None:
        self.measured(77, "pair1", "-t", "libfabric:tcp/pair1")
        self.measured(78, "pair0", "-t", "libfabric:tcp/pair0")

    def test_both_links_in_one_run(self) -> None:
        """Each transport over its own."""
        before = {cable: self.arrived(cable) for cable in ("pair0", "pair1")}
        both = ("-t", "a=libfabric:tcp/pair0", "-t", "b=libfabric:tcp/pair1")
        done = self.run_to(77, self.server(), *both, *AMOUNT, "--no-save", "--json")
        self.assertEqual(done.status, 0, done)
        for cable, bytes_before in before.items():
            self.assertGreater(self.arrived(cable) - bytes_before, PAYLOAD, cable)
        opened = [t["initiator"]["opened"] for t in self.document(done.out)["transports"]]
        self.assertIn("pair0", opened[0])
        self.assertIn("pair1", opened[1])


@needs("libfabric:tcp")
class BlockedData(SeveralNics):
    """The control connection lives on: only the data do not move."""

    def assert_blames_the_data_path(self, done: Done, phase: str, device: str) -> None:
        self.assertEqual(done.status, 5, done)
        self.assertIn(phase, done.err)
        self.assertIn(device, done.err)
        self.assertIn("the control connection works", done.err)

    def test_a_decoy_that_reaches_nobody(self) -> None:
        start = time.monotonic()
        done = self.run_to(
            77,
            self.server(),
            "-t",
            "libfabric:tcp/decoy0",
            *AMOUNT,
            "--peer-timeout",
            f"{PEER_TIMEOUT:g}s",
        )
        self.assertLess(time.monotonic() - start, PEER_TIMEOUT + SLACK)
        self.assert_blames_the_data_path(done, "first message", "decoy0")

    def test_a_link_that_goes_down_while_it_is_measured(self) -> None:
        server = self.server()

        def fall() -> None:
            self.fallen = time.monotonic()
            self.ip("A", "link", "set", "pair1", "down")

        moment = Moment("block", 2, {"warmup": False}, 0.3)
        tap = self.make_on("A", lambda: Tap(("10.77.0.1", server.port), moment, fall))
        self.addCleanup(tap.close)
        command = ("run", f"10.77.0.1:{tap.port}", "-t", "libfabric:tcp/pair1", *ENDLESS)
        run = self.start(*command, "--peer-timeout", f"{PEER_TIMEOUT:g}s", below=self.on("B"))
        self.assertTrue(tap.hit.wait(60), run.describe())
        done = run.finish(PEER_TIMEOUT + SLACK)
        self.assert_blames_the_data_path(done, "measure", "pair1")
        self.ip("A", "link", "set", "pair1", "up")
        self.await_carrier("pair1")
        self.measured(78, "pair1", *TCP)


if __name__ == "__main__":
    main()
