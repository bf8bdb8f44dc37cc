"""Iterations and windows that do not fit each other: what was asked is what is sent and received."""

from typing import Any

from support import TestCase, main, needs_libfabric

ITERATIONS = (1, 2, 7, 63, 64, 65, 1000, 10007)
TRANSPORTS = ("libfabric:tcp", "libfabric:shm")
BOTH = tuple(word for transport in TRANSPORTS for word in ("-t", transport))


@needs_libfabric
class Counts(TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.server = self.serve("-q")

    def counted(self, iterations: int, *options: str, warmup: int = 0) -> Any:
        amount = ("--iters", str(iterations), "--warmup", str(warmup), "--repeats", "1")
        command = ("run", self.server.address, *BOTH, "--sizes", "32")
        document = self.measure(*command, *amount, *options)
        self.assertTrue(document["run"]["complete"])
        self.assertEqual({case["status"] for case in document["cases"]}, {"ok"})
        self.assert_counts_equal(document)
        return document

    def assert_sent(self, end: Any, messages: int) -> None:
        self.assertEqual((end["messages_sent"], end["bytes_sent"]), (messages, 32 * messages))

    def probed(self, repeat: Any) -> int:
        """Round trips beside the samples, to see what the stamps cost and where the time goes."""
        probe, split = repeat["rtt_ns"]["probe"], repeat["rtt_ns"]["split"]
        stamped = int(2 * probe["chunk"] * probe["pairs"]) if probe else 0
        return stamped + (int(split["round_trips"]) if split else 0)

    def assert_window_on_record(self, document: Any, window: int) -> None:
        """A window that could not be had is smaller, and named among the adjustments."""
        transports = {transport["label"]: transport for transport in document["transports"]}
        for case in document["cases"]:
            adjustments = transports[case["transport"]]["adjustments"]
            adjusted = {a["option"]: a for a in adjustments}.get("--window")
            effective = case["window"]
            if effective == window:
                self.assertIsNone(adjusted)
            else:
                assert adjusted
                self.assertLess(effective, window)
                self.assertEqual(adjusted["asked"], str(window))
                self.assertEqual(adjusted["effective"], str(effective))
                self.assertNotEqual(adjusted["reason"], "")

    def streams(self, window: int) -> None:
        for iterations in ITERATIONS:
            with self.subTest(iterations=iterations):
                options = ("--test", "stream,bistream", "--window", str(window))
                document = self.counted(iterations, *options)
                self.assert_window_on_record(document, window)
                for case in document["cases"]:
                    [repeat] = case["repeats"]
                    self.assert_sent(repeat["initiator"], iterations)
                    back = iterations if case["test"] == "bistream" else 0
                    self.assert_sent(repeat["responder"], back)
                    self.assertEqual(repeat["messages"], iterations + back)

    def test_streams_with_a_window_of_1(self) -> None:
        self.streams(1)

    def test_streams_with_a_window_of_2(self) -> None:
        self.streams(2)

    def test_streams_with_a_window_of_3(self) -> None:
        self.streams(3)

    def test_streams_with_a_window_of_64(self) -> None:
        self.streams(64)

    def test_streams_with_a_window_of_100(self) -> None:
        self.streams(100)

    def test_streams_with_a_window_of_2048(self) -> None:
        self.streams(2048)

    def test_ping_pongs(self) -> None:
        for iterations in ITERATIONS:
            with self.subTest(iterations=iterations):
                document = self.counted(iterations, "--test", "pingpong")
                for case in document["cases"]:
                    [repeat] = case["repeats"]
                    self.assertEqual(repeat["rtt_ns"]["count"], iterations)
                    sent = iterations + self.probed(repeat)
                    self.assert_sent(repeat["initiator"], sent)
                    self.assert_sent(repeat["responder"], sent)

    def test_a_warm_up_is_not_counted(self) -> None:
        for case in self.counted(7, "--test", "pingpong", warmup=5)["cases"]:
            [repeat] = case["repeats"]
            self.assertEqual(repeat["messages"], 7)
            self.assertGreaterEqual(repeat["warmup_messages"], 5)
            self.assert_sent(repeat["initiator"], 7 + repeat["warmup_messages"])

    def test_refills_and_depths_of_every_kind(self) -> None:
        for depth, refill in ((1, 0), (2, 0), (3, 1), (64, 0), (65, 40)):
            with self.subTest(depth=depth, refill=refill):
                depths = ("--rx-depth", str(depth), "--refill-at", str(refill))
                self.counted(1000, "--test", "pingpong,stream,bistream", *depths)


if __name__ == "__main__":
    main()
