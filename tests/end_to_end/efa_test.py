"""Over libfabric's own efa provider, on soft EFA devices (tests/soft_efa): two hosts a and b, whose devices count
what went through them, and strike where a test asks for it."""

import json
import os
import re
import signal
import sys
import time
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
)
from support import Done, Process, main, resume

# Below, at and above the provider's switches: eager, medium (8 KiB), long (64 KiB), read (1 MiB).
EVERY_SIZE = ("--sizes", "0,1,4K,8K,9K,64K,65K,1M,1025K,8M")


class Devices(EfaCase):
    def rows(self, host: Host) -> Any:
        done = self.run_pairbench("devices", "--json", environment=host.environment)
        self.assertEqual(done.status, 0, done)
        rows = json.loads(done.out)["devices"]
        return [row for row in rows if row["transport"].startswith(f"{EFA}/")]

    def test_domains_are_listed_as_on_an_instance(self) -> None:
        rows = self.rows(self.host("a", DEVICES=4))
        names = [f"{EFA}/rdmap0s{i}-rdm" for i in range(4)]
        self.assertEqual([row["transport"] for row in rows], names)
        self.assertTrue(all(row["usable"] for row in rows))
        speeds = {row["capabilities"]["link_bits_per_second"] for row in rows}
        self.assertEqual(speeds, {100_000_000_000})

    def test_hosts_and_devices_have_gids_of_their_own(self) -> None:
        gids = [row["address"] for name in "ab" for row in self.rows(self.host(name, DEVICES=2))]
        self.assertEqual(len(set(gids)), 4, gids)
        self.assertTrue(all(gid.startswith("fe80::") for gid in gids), gids)


class Hello(EfaCase):
    def receiver(self, host: Host) -> tuple[Process, str]:
        receiver = self.start("hello", "-t", EFA, "--count", "1", **host.environment)
        address = receiver.line(r"^address ([0-9a-f]+)$")[1]
        self.assertEqual(len(address), 64)
        return receiver, address

    def say(self, host: Host, address: str) -> Done:
        return self.run_pairbench(
            "hello", "-t", EFA, address, "hello", environment=host.environment
        )

    def test_only_the_address_is_pasted(self) -> None:
        a, b = self.host("a"), self.host("b")
        receiver, address = self.receiver(b)
        sent = self.say(a, address)
        self.assertEqual((sent.status, sent.err), (0, ""), sent)
        self.assertIn("5 bytes: hello", receiver.finish().out)
        self.assertGreater(b.counted("messages_received"), 0)

    def test_nobody_is_there_any_more(self) -> None:
        receiver, address = self.receiver(self.host("b"))
        receiver.kill()
        said = self.say(self.host("a"), address)
        self.assertEqual(said.status, 5, said)
        self.assertIn("provider error 9: the peer's queue pair is gone", said.err)

    def test_a_peer_that_hears_nothing(self) -> None:
        a = self.host("a", TIMEOUT_MS=TIMEOUT_MS)
        _, address = self.receiver(self.host("b", SCRIPT="receive:1+:drop"))
        said = self.say(a, address)
        self.assertEqual(said.status, 5, said)
        self.assertIn(SECURITY_GROUP, said.err)
        self.assertGreater(a.counted("requests_sent"), 0)

    def test_a_peer_that_is_never_ready(self) -> None:
        _, address = self.receiver(self.host("b", SCRIPT="receive:1+:status:10"))
        said = self.say(self.host("a"), address)
        self.assertEqual(said.status, 5, said)
        self.assertIn(NOT_READY, said.err)
        self.assertLess(said.seconds, 10 + SLACK)

    def test_a_signal_ends_it(self) -> None:
        a = self.host("a")
        _, address = self.receiver(self.host("b", SCRIPT="receive:1+:status:10"))
        saying = self.start("hello", "-t", EFA, address, "hello", **a.environment)
        deadline = time.monotonic() + 10
        while a.counted("requests_sent") == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        saying.signal(signal.SIGTERM)
        self.assertEqual(saying.finish(SLACK).status, 128 + signal.SIGTERM)


class LockedMemory(EfaCase):
    """What a device registers counts against a limit, of which an ordinary user has little."""

    def test_too_little(self) -> None:
        below = ("prlimit", f"--memlock={64 << 10}", "--")
        host = self.host("a", MEMLOCK=1)
        command = ("local", "-t", EFA, "--sizes", "256K", *LITTLE, "--no-save")
        done = self.run_pairbench(*command, below=below, environment=host.environment)
        self.assertEqual((done.status, done.out), (1, ""), done)
        for words in ("ulimit -l", str(64 << 10), "  cause:  ", "Cannot allocate memory"):
            self.assertIn(words, done.err)


class Measured(EfaCase):
    def test_local(self) -> None:
        a = self.host("a")
        document = self.measured(a, "local", "-t", EFA, "--preset", "smoke")
        [transport] = document["transports"]
        self.assertEqual(transport["opened"], f"{EFA}/rdmap0s0-rdm")
        self.assert_carried(document, a)

    def two_hosts(self, *options: str, a: Host, b: Host) -> Any:
        server = self.server_on(b)
        document = self.measured(a, "run", server.address, "-t", EFA, *options)
        self.assert_carried(document, a, b)
        return document

    def test_every_workload_and_size_checked(self) -> None:
        a, b = self.host("a"), self.host("b")
        how = ("--check", *EVERY_TEST, *EVERY_SIZE, *LITTLE)
        document = self.two_hosts(*how, a=a, b=b)
        self.assertEqual(len(document["cases"]), 30)
        self.assertGreater(a.counted("reads_served"), 0)
        self.assertGreater(b.counted("reads_served"), 0)

    def test_every_workload_and_size_without_reads(self) -> None:
        a, b = self.host("a", RDMA="none"), self.host("b", RDMA="none")
        document = self.two_hosts("--check", *EVERY_TEST, *EVERY_SIZE, *LITTLE, a=a, b=b)
        self.assertEqual(len(document["cases"]), 30)
        self.assertEqual(a.counted("reads_served") + b.counted("reads_served"), 0)

    def test_one_of_several_devices_is_named(self) -> None:
        a, b = self.host("a", DEVICES=3), self.host("b", DEVICES=2)
        server = self.server_on(b)
        named = f"{EFA}/rdmap0s2-rdm,rdmap0s1-rdm"
        document = self.measured(a, "run", server.address, "-t", named, *LITTLE, "--sizes", "64")
        [transport] = document["transports"]
        self.assertEqual(transport["initiator"]["opened"], f"{EFA}/rdmap0s2-rdm")
        self.assertEqual(transport["responder"]["opened"], f"{EFA}/rdmap0s1-rdm")
        self.assert_carried(document, a, b)

    def test_a_device_that_is_not_there(self) -> None:
        environment = self.host("a", DEVICES=2).environment
        where = f"{EFA}/rdmap0s5-rdm"
        done = self.run_pairbench("local", "-t", where, "--json", environment=environment)
        error = self.assert_error_document(done, 4)
        self.assertIn("rdmap0s5-rdm", error["message"])
        self.assertIn("rdmap0s0-rdm, rdmap0s1-rdm", error["hint"])

    def test_reordered_and_not_ready(self) -> None:
        faults = {"REORDER": 30, "RNR": 10}
        a, b = self.host("a", **faults), self.host("b", **faults)
        self.two_hosts("--check", *EVERY_TEST, *EVERY_SIZE, *LITTLE, a=a, b=b)
        for host in (a, b):
            self.assertGreater(host.counted("delayed"), 100)
            self.assertGreater(host.counted("not_ready"), 50)

    def test_send_queues_that_fill(self) -> None:
        narrow = {"SEND_QUEUE": 32, "HOLD_US": 1000}
        a, b = self.host("a", **narrow), self.host("b", **narrow)
        how = ("--test", "stream", "--sizes", "64,128K", "--iters", "200", "--repeats", "1")
        document = self.two_hosts(*how, a=a, b=b)
        ends = [case["repeats"][0]["initiator"] for case in document["cases"]]
        self.assertGreater(sum(end["busy_posts"] for end in ends), 0)

    def test_shared_memory_is_a_choice(self) -> None:
        """Ends on one host: through the device unless the user lets the provider take its shortcut."""
        for choice, by_device in ((None, True), ("1", False)):
            host = self.host(f"shm{choice}")
            if choice:
                host.environment["FI_EFA_ENABLE_SHM_TRANSFER"] = choice
            how = ("local", "-t", EFA, "--sizes", "64", "--iters", "500", "--repeats", "1")
            document = self.measured(host, *how)
            [transport] = document["transports"]
            self.assertEqual(host.counted("messages_received") >= 1000, by_device, choice)
            for end in ("initiator", "responder"):
                self.assertEqual(transport[end]["details"]["efa_shm_transfer"], choice or "0")

    def test_the_handshake_is_the_first_message(self) -> None:
        """Sends that are held back at the start are in no sample."""
        slow = ",".join(f"send:{n}:delay:200000" for n in (1, 2))
        a, b = self.host("a", SCRIPT=slow), self.host("b")
        document = self.two_hosts("--test", "pingpong", "--sizes", "8", *LITTLE, a=a, b=b)
        [case] = document["cases"]
        self.assertGreater(case["repeats"][0]["first_message_ns"], 100e6)
        self.assertLess(case["summary"]["rtt_ns"]["max"]["value"], 100e6)


# Two cases of 2000 messages, with the probe of a ping-pong 2768 each way, and the event in the second one's midst.
TWO_CASES = ("--sizes", "8,64", "--iters", "2000", "--warmup", "10", "--repeats", "1")
SECOND_PINGPONG = 4200
SECOND_STREAM = 3000
PATIENCE = ("--peer-timeout", "3s")


class Faults(EfaCase):
    def fails(self, test: str, a: Host, b: Host, *options: str) -> Done:
        """A run of two cases whose second one fails: status 5, the first is saved, the server serves on."""
        server = self.server_on(b)
        command = ("run", server.address, "-t", EFA, "--test", test, *TWO_CASES, *options)
        done = self.run_pairbench(*command, "--out", f"{test}.json", environment=a.environment)
        self.assertEqual(done.status, 5, done)
        document = self.document((self.folder / f"{test}.json").read_text())
        self.assertFalse(document["run"]["complete"])
        statuses = sorted(case["status"] for case in document["cases"])
        self.assertEqual(statuses[1], "ok", done)
        self.assertIn(statuses[0], ("failed", "not_run"))
        for host in (a, b):
            self.assertGreater(host.counted("messages_received"), 0)
        self.assertGreater(a.counted("scripted") + b.counted("scripted"), 0)
        return done

    def test_the_responders_queue_pair_goes(self) -> None:
        a, b = self.host("a"), self.host("b", SCRIPT=f"receive:{SECOND_PINGPONG}+:status:9")
        done = self.fails("pingpong", a, b)
        self.assertIn("provider error 9: the peer's queue pair is gone", done.err)
        self.assertLess(done.seconds, SLACK)

    def test_the_initiators_queue_pair_goes(self) -> None:
        a, b = self.host("a", SCRIPT=f"receive:{SECOND_PINGPONG}+:status:9"), self.host("b")
        done = self.fails("pingpong", a, b)
        self.assertIn("provider error 9: the peer's queue pair is gone", done.err)
        self.assertLess(done.seconds, SLACK)

    def test_the_responder_goes_deaf(self) -> None:
        for test, event in (("pingpong", SECOND_PINGPONG), ("stream", SECOND_STREAM)):
            with self.subTest(test=test):
                a = self.host(f"a-{test}", TIMEOUT_MS=TIMEOUT_MS)
                b = self.host(f"b-{test}", SCRIPT=f"receive:{event}+:drop")
                done = self.fails(test, a, b)
                self.assertIn("provider error 13: the peer does not respond", done.err)
                self.assertIn(SECURITY_GROUP, done.err)
                self.assertLess(done.seconds, TIMEOUT_MS / 1000 + SLACK)

    def test_the_initiator_goes_deaf(self) -> None:
        a = self.host("a", SCRIPT=f"receive:{SECOND_PINGPONG}+:drop")
        b = self.host("b", TIMEOUT_MS=TIMEOUT_MS)
        done = self.fails("pingpong", a, b)
        self.assertIn("provider error 13: the peer does not respond", done.err)
        self.assertIn(SECURITY_GROUP, done.err)

    def test_a_send_that_fails_is_found_on_the_sending_side(self) -> None:
        """Also in a stream, where the receiver just sees nothing any more."""
        a, b = self.host("a", SCRIPT=f"send:{SECOND_STREAM}:status:13"), self.host("b")
        done = self.fails("stream", a, b)
        self.assertIn("provider error 13", done.err)
        self.assertLess(done.seconds, SLACK)

    def test_a_receiver_that_is_never_ready_again(self) -> None:
        """libfabric repeats such sends for ever: data do not move, and the device is asked why."""
        for test, event in (("pingpong", SECOND_PINGPONG), ("stream", SECOND_STREAM)):
            with self.subTest(test=test):
                a = self.host(f"a-{test}")
                b = self.host(f"b-{test}", SCRIPT=f"receive:{event}+:status:10")
                self.assert_not_ready(self.fails(test, a, b, *PATIENCE))
                self.assertGreater(b.counted("not_ready"), 10)

    def test_an_initiator_that_is_never_ready_again(self) -> None:
        a, b = self.host("a", SCRIPT=f"receive:{SECOND_PINGPONG}+:status:10"), self.host("b")
        self.assert_not_ready(self.fails("pingpong", a, b, *PATIENCE))

    def test_devices_that_are_patient_keep_nobody_waiting(self) -> None:
        """Neither do the closes of endpoints whose sends have no answer yet."""
        deaf = {"SCRIPT": f"receive:{SECOND_PINGPONG}+:drop", "TIMEOUT_MS": 60_000}
        done = self.fails("pingpong", self.host("a", **deaf), self.host("b", **deaf), *PATIENCE)
        self.assertIn("no data arrived and no send completed in 3s", done.err)
        self.assertLess(done.seconds, 3 * 3 + SLACK)

    def test_a_device_that_answers_while_data_are_lost(self) -> None:
        a, b = self.host("a"), self.host("b", SCRIPT=f"send:{SECOND_PINGPONG}:delay:60000000")
        done = self.fails("pingpong", a, b, *PATIENCE)
        self.assertRegex(done.err, r"a message to \S+ \(\S+\) arrived at its device")
        self.assertNotIn(SECURITY_GROUP, done.err)

    def assert_not_ready(self, done: Done) -> None:
        self.assertIn("no data arrived and no send completed in 3s", done.err)
        self.assertRegex(done.err, rf"a message to \S+ \(\S+\) met {re.escape(NOT_READY)}")
        self.assertIn("look at the peer's process", done.err)
        self.assertLess(done.seconds, 3 + SLACK)


class PeerLoss(EfaCase):
    def struck(self, number: int) -> tuple[Process, int, Host]:
        """A run of one long block whose responder's process gets a signal in its midst. Both ends
        send: in a ping-pong's responder, stopped before its reply, nothing could fail.
        """
        a, b = self.host("a", TIMEOUT_MS=TIMEOUT_MS), self.host("b")
        server = self.server_on(b)
        command = ("run", server.address, "-t", EFA, "--sizes", "8", "-D", "30", "--no-save")
        how = ("--test", "bistream", "--warmup", "0")
        run = self.start(*command, *how, **a.environment)
        worker = server.session()[1]
        deadline = time.monotonic() + 30
        while a.counted("messages_received") < 1000 and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertGreaterEqual(a.counted("messages_received"), 1000)
        os.kill(worker, number)
        return run, worker, a

    def test_the_responder_is_killed(self) -> None:
        run, _, _ = self.struck(signal.SIGKILL)
        killed = time.monotonic()
        done = run.finish()
        self.assertEqual(done.status, 5, done)
        self.assertLess(time.monotonic() - killed, SLACK)

    def test_the_responder_is_stopped(self) -> None:
        run, worker, _ = self.struck(signal.SIGSTOP)
        stopped = time.monotonic()
        try:
            done = run.finish()
        finally:
            resume(worker)
        self.assertEqual(done.status, 5, done)
        # A device that has received all that was sent leaves nothing to fail: silence is left (where
        # something does fail, test_the_responder_goes_deaf asks for 13).
        cause = (
            "provider error 13: the peer does not respond|lost the peer: no sign of life for 10s"
        )
        self.assertRegex(done.err, cause)
        self.assertLess(time.monotonic() - stopped, 10 + SLACK)


class LongMany(EfaCase):
    def test_two_hundred_runs_with_faults_end_with_exact_counts(self) -> None:
        received = 0
        for seed in range(200):
            faults = {"REORDER": 30, "RNR": 10, "SEED": seed}
            a, b = self.host(f"a{seed}", **faults), self.host(f"b{seed}", **faults)
            server = self.server_on(b)
            how = ("--check", *EVERY_TEST, "--sizes", "8,4K,32K,256K", *LITTLE)
            document = self.measured(a, "run", server.address, "-t", EFA, *how)
            self.assert_carried(document, a, b)
            received += a.counted("messages_received") + b.counted("messages_received")
            server.kill()
        print(f"{received} messages over EFA", file=sys.stderr)


if __name__ == "__main__":
    main()
