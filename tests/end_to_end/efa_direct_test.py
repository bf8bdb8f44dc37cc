"""Over fabric efa-direct, which libfabric has from 2.1 on: messages of a packet at most, in any order."""

from typing import Any

from efa_case import (
    EFA,
    EVERY_TEST,
    LITTLE,
    NOT_READY,
    SECURITY_GROUP,
    SLACK,
    TIMEOUT_MS,
    EfaCase,
    Host,
    lacks_efa_direct,
)
from support import Done, main

DIRECT = f"{EFA}-direct"


class Direct(EfaCase):
    def setUp(self) -> None:
        super().setUp()
        once = ("local", "-t", DIRECT, "--test", "pingpong", "--sizes", "1", *LITTLE, "--no-save")
        tried = self.run_pairbench(*once, environment=self.host("try").environment)
        if reason := lacks_efa_direct(tried.err):
            self.skipTest(reason)
        self.assertEqual(tried.status, 0, tried)

    def two_hosts(self, *options: str, **settings: object) -> tuple[Any, Host, Host]:
        a, b = self.host("a", **settings), self.host("b", **settings)
        server = self.server_on(b)
        how = ("run", server.address, "-t", DIRECT, *options, "--no-save", "--json")
        done = self.run_pairbench(*how, within=120, environment=a.environment)
        self.assertEqual(done.status, 0, done)
        document = self.document(done.out)
        self.assert_counts_equal(document)
        self.assert_carried(document, a, b)
        return document, a, b

    def test_every_workload_up_to_a_packet(self) -> None:
        sizes = ("--sizes", "0,1,64,4K,8K")
        document, a, b = self.two_hosts("--check", *EVERY_TEST, *sizes, *LITTLE)
        self.assertEqual({case["status"] for case in document["cases"]}, {"ok"})
        self.assertEqual(len(document["cases"]), 15)
        [transport] = document["transports"]
        for end in ("initiator", "responder"):
            self.assertEqual(transport[end]["opened"], f"{DIRECT}/rdmap0s0-rdm")
            self.assertEqual(transport[end]["fabric"], "efa-direct")
        self.assertEqual(a.counted("handshakes") + b.counted("handshakes"), 0)

    def test_larger_messages_are_skipped_with_the_reason(self) -> None:
        document, _, _ = self.two_hosts("--test", "pingpong", "--sizes", "64,9K,1M", *LITTLE)
        cases = {case["size_bytes"]: case for case in document["cases"]}
        self.assertEqual(cases.pop(64)["status"], "ok")
        for case in cases.values():
            self.assertEqual(case["status"], "skipped")
            self.assertIn("above the transport's largest message", case["reason"])

    def test_reordered_and_not_ready(self) -> None:
        how = ("--check", *EVERY_TEST, "--sizes", "1,4K,8K", "--iters", "200", "--repeats", "1")
        _, a, b = self.two_hosts(*how, REORDER=30, RNR=10)
        self.assertGreater(a.counted("delayed") + b.counted("delayed"), 100)
        self.assertGreater(a.counted("not_ready") + b.counted("not_ready"), 50)

    def test_send_queues_that_fill(self) -> None:
        how = ("--test", "stream", "--sizes", "64,8K", "--iters", "200", "--repeats", "1")
        self.two_hosts(*how, SEND_QUEUE=32, HOLD_US=1000)

    def fails(self, script: str) -> Done:
        a, b = self.host("a", TIMEOUT_MS=TIMEOUT_MS), self.host("b", SCRIPT=script)
        server = self.server_on(b)
        how = ("-t", DIRECT, "--test", "pingpong", "--sizes", "8", "--iters", "20000")
        command = ("run", server.address, *how, "--no-save", "--peer-timeout", "3s")
        done = self.run_pairbench(*command, environment=a.environment)
        self.assertEqual(done.status, 5, done)
        self.assertGreater(b.counted("scripted"), 0)
        return done

    def test_the_queue_pair_goes(self) -> None:
        done = self.fails("receive:1000+:status:9")
        self.assertIn("provider error 9: the peer's queue pair is gone", done.err)
        self.assertLess(done.seconds, SLACK)

    def test_a_receiver_that_is_never_ready_again(self) -> None:
        done = self.fails("receive:1000+:status:10")
        self.assertIn(NOT_READY, done.err)
        self.assertLess(done.seconds, 3 + SLACK)

    def test_the_peer_goes_deaf(self) -> None:
        done = self.fails("receive:1000+:drop")
        self.assertIn("provider error 13: the peer does not respond", done.err)
        self.assertIn(SECURITY_GROUP, done.err)
        self.assertLess(done.seconds, TIMEOUT_MS / 1000 + SLACK)


if __name__ == "__main__":
    main()
