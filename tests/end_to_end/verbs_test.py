"""`verbs` on real RC queue pairs: two virtual machines with Soft-RoCE, booted once for all tests of this file."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, NamedTuple, Optional

from support import PAIRBENCH, ROOT, SKIPPED, TestCase, faults_in

SOFT_ROCE = str(ROOT / "scripts" / "soft-roce")
CONFORMANCE = os.environ.get(
    "CONFORMANCE", str(ROOT / "build/release/tests/conformance/conformance_test")
)
NEEDED = ("qemu-system-x86_64", "cpio", "kmod", "ibv_rc_pingpong")
SMALL = ("--iters", "100", "--warmup", "5", "--repeats", "1", "--sizes", "64")


def missing_programs() -> list[str]:
    found = subprocess.run(
        [
            "bash",
            "-c",
            'for name; do command -v "$name" >/dev/null || echo "$name"; done',
            "",
            *NEEDED,
        ],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return found.stdout.split()


class Done(NamedTuple):
    status: int
    out: str
    err: str


class Machines:
    """hostA and hostB. What runs in one of them is started by `start`, and ended with `run`'s deadline."""

    def __init__(self, folder: str) -> None:
        self.state = str(Path(folder) / "state.json")
        command = [SOFT_ROCE, "start", "--yes", "--hosts", "2", "--state", self.state]
        subprocess.run(command, cwd=ROOT, check=True, timeout=600, stdout=sys.stderr)

    def start(self, host: str, *command: str, within: int = 60) -> "subprocess.Popen[str]":
        words = [SOFT_ROCE, "exec", "--state", self.state, "--timeout", str(within), host, "--"]
        pipe = subprocess.PIPE
        return subprocess.Popen([*words, *command], cwd=ROOT, stdout=pipe, stderr=pipe, text=True)

    def run(self, host: str, *command: str, within: int = 60) -> Done:
        process = self.start(host, *command, within=within)
        out, err = process.communicate(timeout=within + 30)
        return Done(process.returncode, out, err)

    def qemu(self, host: str) -> int:
        guests = json.loads(Path(self.state).read_text())["guests"]
        return int(next(guest["pid"] for guest in guests if guest["name"] == f"host{host}"))

    def stop(self) -> None:
        subprocess.run(
            [SOFT_ROCE, "stop", "--state", self.state], cwd=ROOT, timeout=60, check=False
        )


class TwoMachines(unittest.TestCase):
    """A server on hostA, and what runs on hostB."""

    machines: Machines
    folder: "tempfile.TemporaryDirectory[str]"
    server: Optional["subprocess.Popen[str]"] = None

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(prefix="pairbench-")
        cls.machines = Machines(cls.folder.name)
        cls.server = cls.machines.start("A", PAIRBENCH, "serve", "-q", within=6000)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.machines.stop()
        if cls.server:
            cls.server.kill()
            cls.server.communicate()
        cls.folder.cleanup()

    def document(self, done: Done) -> Any:
        self.assertEqual(done.status, 0, done)
        path = Path(self.folder.name) / "r.json"
        path.write_text(done.out)
        self.assertEqual(list(faults_in(path)), [])
        return json.loads(done.out)

    def measure(self, *options: str, transport: str = "verbs", within: int = 60) -> Any:
        """A run from hostB to the server on hostA."""
        command = ("run", "10.0.0.1", "-t", transport, *options, "--connect-retry", "10s")
        return self.document(
            self.machines.run("B", PAIRBENCH, *command, "--json", "--no-save", within=within)
        )

    def median(self, *options: str) -> float:
        [case] = self.measure("--test", "pingpong", *options)["cases"]
        return float(case["summary"]["rtt_ns"]["p50"]["value"])

    def assert_counts_equal(self, document: Any) -> None:
        for case in document["cases"]:
            for repeat in case["repeats"]:
                here, there = repeat["initiator"], repeat["responder"]
                for what in ("messages", "bytes"):
                    self.assertEqual(here[f"{what}_sent"], there[f"{what}_received"])
                    self.assertEqual(there[f"{what}_sent"], here[f"{what}_received"])


class OverRoce(TwoMachines):
    def test_1_the_endpoint_keeps_the_contract(self) -> None:
        done = self.machines.run(
            "A", CONFORMANCE, "--gtest_filter=*/verbs", "--gtest_brief=1", within=240
        )
        self.assertEqual(done.status, 0, done)
        self.assertRegex(done.out, r"\[  PASSED  \] 1\d tests")

    def test_1_devices(self) -> None:
        done = self.machines.run("A", PAIRBENCH, "devices", "--json")
        rows = json.loads(done.out)["devices"]
        [row] = [row for row in rows if row["transport"] == "verbs:rxe0/1"]
        self.assertTrue(row["usable"])
        self.assertIn("1 RoCE v2 ::ffff:10.0.0.1", row["address"])

    def test_2_every_workload_and_every_byte(self) -> None:
        tests = ("--test", "pingpong,stream,bistream", "--check", "--sizes", "0,1,64,4K,64K")
        document = self.measure(
            *tests, "--iters", "30", "--warmup", "2", "--repeats", "1", within=120
        )
        self.assertEqual({case["status"] for case in document["cases"]}, {"ok"})
        self.assert_counts_equal(document)
        [transport] = document["transports"]
        self.assertEqual(transport["opened"], "verbs:rxe0/1/1")
        self.assertFalse(transport["one_host"])

    def test_2_unsignalled_sends_and_lazy_refills(self) -> None:
        how = ("--signal-every", "16", "--refill-at", "1", "--rx-depth", "64")
        document = self.measure("--test", "pingpong,stream", *how, *SMALL)
        self.assertEqual({case["signal_interval"] for case in document["cases"]}, {16})
        self.assert_counts_equal(document)

    def test_2_receivers_are_always_ready(self) -> None:
        for depth in ("1", "4", "512"):
            document = self.measure("--test", "stream", "--rx-depth", depth, *SMALL)
            for case in document["cases"]:
                for end in ("initiator", "responder"):
                    nic = case["repeats"][0][end]["nic"]
                    self.assertIsNotNone(nic)
                    self.assertEqual([name for name in nic if "rnr" in name], [])

    def test_2_events(self) -> None:
        document = self.measure("--completion", "event", "--test", "pingpong,stream", *SMALL)
        self.assertEqual({case["status"] for case in document["cases"]}, {"ok"})

    def test_3_against_libfabric_in_one_run(self) -> None:
        document = self.measure(
            "-t", "libfabric:verbs+ofi_rxm", "--test", "pingpong", *SMALL, within=120
        )
        opened = [transport["opened"] for transport in document["transports"]]
        self.assertEqual(opened, ["verbs:rxe0/1/1", "libfabric:verbs+ofi_rxm/rxe0"])

    def test_3_interop_as_client(self) -> None:
        theirs = self.machines.start("A", "ibv_rc_pingpong", "-d", "rxe0", "-g", "1", "-n", "200")
        self.await_port("A", 18515)
        deep = ("-r", "30000")  # as many as it would take itself
        done = self.machines.run(
            "B", PAIRBENCH, "interop", "rc_pingpong", "10.0.0.1", "-n", "200", *deep
        )
        out, err = theirs.communicate(timeout=60)
        self.assertEqual((done.status, theirs.returncode), (0, 0), (done, out, err))
        self.assertRegex(done.out, r"200 iters in [\d.]+ seconds = [\d.]+ usec/iter")
        self.assertRegex(done.out, r"round trip, us: min [\d.]+ p50 [\d.]+")
        self.assertRegex(out, "200 iters in")

    def test_3_interop_as_server(self) -> None:
        ours = self.machines.start("A", PAIRBENCH, "interop", "rc_pingpong", "-n", "200")
        self.await_port("A", 18515)
        theirs = ("ibv_rc_pingpong", "-d", "rxe0", "-g", "1", "-n", "200", "10.0.0.1")
        done = self.machines.run("B", *theirs)
        out, err = ours.communicate(timeout=60)
        self.assertEqual((done.status, ours.returncode), (0, 0), (done, out, err))
        self.assertRegex(out, r"1638400 bytes in [\d.]+ seconds = [\d.]+ Mbit/sec")

    def test_3_interop_with_a_server_that_ends_early(self) -> None:
        theirs = self.machines.start("A", "ibv_rc_pingpong", "-d", "rxe0", "-g", "1", "-n", "10")
        self.await_port("A", 18515)
        done = self.machines.run("B", PAIRBENCH, "interop", "rc_pingpong", "10.0.0.1", "-n", "100")
        theirs.communicate(timeout=60)
        self.assertEqual(done.status, 5, done)
        self.assertIn("10.0.0.1:18515", done.err)
        self.assertIn("another -n or -s", done.err)

    def test_3_interop_refuses_what_the_device_does_not_carry(self) -> None:
        done = self.machines.run("B", PAIRBENCH, "interop", "rc_pingpong", "10.0.0.1", "-s", "5G")
        self.assertEqual(done.status, 1, done)
        self.assertIn("a message of 5368709120 bytes is not possible on verbs:rxe0/1", done.err)

    def await_port(self, host: str, port: int) -> None:
        listens = (
            f"for i in $(seq 100); do ss -ltn | grep -q :{port} && exit 0; sleep 0.1; done; exit 1"
        )
        self.assertEqual(self.machines.run(host, "bash", "-c", listens).status, 0)

    def test_3_gids(self) -> None:
        for index in (1, 2):
            document = self.measure("--test", "pingpong", *SMALL, transport=f"verbs:rxe0/1/{index}")
            self.assertEqual(document["transports"][0]["opened"], f"verbs:rxe0/1/{index}")
        for index, why in ((9, "that row is empty"), (255, "has no GID 255")):
            done = self.machines.run(
                "B", PAIRBENCH, "run", "10.0.0.1", "-t", f"verbs:rxe0/1/{index}", *SMALL
            )
            self.assertEqual(done.status, 4, done)
            self.assertIn(why, done.err)

    def test_3_a_gid_that_no_queue_pair_can_name(self) -> None:
        """The server's own address stands in row 256 of the table or later."""

        def addresses(verb: str) -> None:
            every = f'seq -f "addr {verb} fd00::a:%g/64 dev eth0" 260'
            self.machines.run("A", "bash", "-c", f"{every} | ip -6 -batch -")

        self.addCleanup(addresses, "del")
        addresses("add")
        command = ("run", "fd00::a:260", "-t", "verbs", "--test", "pingpong", "--no-save", *SMALL)
        done = self.machines.run("B", PAIRBENCH, *command)
        self.assertEqual(done.status, 0, done)

    def as_nobody(self, preparation: str) -> Done:
        """A run on B by a user who owns nothing, after root has prepared that."""
        user = "setpriv --reuid 65534 --regid 65534 --clear-groups"
        command = f"{user} {PAIRBENCH} local -t verbs:rxe0 --no-save --sizes 64K --iters 20"
        node = "/dev/infiniband/uverbs0"
        script = f"{preparation.format(node=node)} && {command}; s=$?; chmod 666 {node}; exit $s"
        return self.machines.run("B", "bash", "-c", script)

    def test_4_a_device_node_that_may_not_be_opened(self) -> None:
        done = self.as_nobody("chmod 600 {node}")
        self.assertEqual(done.status, 4, done)
        self.assertIn("look at the rights on /dev/infiniband/uverbs", done.err)

    def test_4_too_little_memory_may_be_locked(self) -> None:
        done = self.as_nobody("chmod 666 {node} && ulimit -l 16")
        self.assertEqual(done.status, 1, done)
        self.assertIn("ulimit -l", done.err)

    def test_4_a_port_that_is_down(self) -> None:
        def link(state: str) -> str:
            return f"ip link set eth0 {state}"

        look = f"{PAIRBENCH} devices; {PAIRBENCH} local -t verbs:rxe0"
        # The control line of the machine does not go over eth0; its address returns with the link.
        script = f"{link('down')}; {look}; status=$?; {link('up')}; exit $status"
        done = self.machines.run("B", "bash", "-c", script)
        self.assertEqual(done.status, 4, done)
        self.assertRegex(done.out, r"verbs:rxe0/1 +the port is down")
        self.assertIn("the port is down", done.err)

    def shape(self, *netem: str) -> None:
        for host in ("A", "B"):
            self.machines.run(host, "tc", "qdisc", "del", "dev", "eth0", "root")
            if netem:
                command = ("tc", "qdisc", "add", "dev", "eth0", "root", "netem", *netem)
                self.assertEqual(self.machines.run(host, *command).status, 0)

    def lateness(self, host: str) -> float:
        """How much longer than 10 ms a sleep of 10 ms takes there, in ms."""
        sleep = "t = time.monotonic(); time.sleep(0.01); late.append(time.monotonic() - t - 0.01)"
        script = (
            f"import time\nlate = []\nfor _ in range(50): {sleep}\nprint(sorted(late)[25] * 1000)"
        )
        done = self.machines.run(host, "/usr/bin/python3", "-c", script)
        self.assertEqual(done.status, 0, done)
        return float(done.out)

    def test_5_a_delay_is_what_is_measured(self) -> None:
        # A spinning process would keep its machine's one processor from the timers' work.
        few = ("--sizes", "64", "--iters", "50", "--warmup", "3", "--repeats", "1")
        amount = (*few, "--completion", "event")
        near = min(self.median(*amount) for _ in range(3))
        self.shape("delay", "10ms")
        self.addCleanup(self.shape)
        # Both delays are timers of emulated machines, which are late. A busy host only adds, so that
        # the least is the nearest to the truth.
        late = float("inf")
        added: list[float] = []
        while len(added) < 8 and (not added or min(added) - late > 21):
            late = min(late, sum(self.lateness(host) for host in ("A", "B")))
            added.append((self.median(*amount) - near) / 1e6)
        self.assertAlmostEqual(min(added) - late, 20, delta=1, msg=f"{added} ms, {late} ms late")

    def out_of_sequence(self, document: Any) -> int:
        """Packets that did not follow the one before. (A slow machine lets retry timers expire, so
        that data is sent again without any loss.)"""
        [case] = document["cases"]
        counters = [case["repeats"][0][end]["nic"] for end in ("initiator", "responder")]
        return sum(n for nic in counters for name, n in nic.items() if "seq" in name)

    def test_5_loss_is_seen_and_loses_nothing(self) -> None:
        amount = ("--test", "stream", "--sizes", "4K", "--iters", "500", "--repeats", "1")
        calm = self.out_of_sequence(self.measure(*amount, within=120))
        self.shape("loss", "1%")
        self.addCleanup(self.shape)
        document = self.measure(*amount, within=120)
        self.assert_counts_equal(document)
        self.assertGreater(self.out_of_sequence(document), calm)
        self.assertIn("NET_RETRANS", document["cases"][0]["quality"]["flags"])

    def long_run(self) -> "subprocess.Popen[str]":
        long = ("--test", "pingpong", "--sizes", "64", "--duration", "60s", "--repeats", "1")
        run = self.machines.start(
            "B",
            PAIRBENCH,
            "run",
            "10.0.0.1",
            "-t",
            "verbs",
            *long,
            "--peer-timeout",
            "3s",
            within=120,
        )
        time.sleep(5)
        return run

    def assert_peer_lost(self, run: "subprocess.Popen[str]") -> None:
        began = time.monotonic()
        _, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 5, err)
        self.assertLess(time.monotonic() - began, 20)
        self.assertRegex(err, r"(?m)^error: .*\(measure\)")

    def test_6_the_peers_process_is_killed(self) -> None:
        run = self.long_run()
        self.assertEqual(self.machines.run("A", "pkill", "-KILL", "-f", "exe worker").status, 0)
        self.assert_peer_lost(run)
        self.measure("--test", "pingpong", *SMALL)

    def test_7_the_peers_host_is_stopped(self) -> None:
        run = self.long_run()
        os.kill(self.machines.qemu("A"), signal.SIGSTOP)
        try:
            self.assert_peer_lost(run)
        finally:
            os.kill(self.machines.qemu("A"), signal.SIGCONT)
        self.measure("--test", "pingpong", *SMALL)

    def test_8_the_peers_host_is_killed(self) -> None:
        run = self.long_run()
        os.kill(self.machines.qemu("A"), signal.SIGKILL)
        self.assert_peer_lost(run)


class LongOverRoce(TwoMachines):
    def test_two_hundred_runs_end_well(self) -> None:
        one = f"{PAIRBENCH} run 10.0.0.1 -t verbs --iters 1 --warmup 0 --repeats 1 --sizes 1 --no-save -q"
        loop = f"for i in $(seq 200); do {one} >/dev/null || exit 1; done; echo all"
        done = self.machines.run("B", "bash", "-c", loop, within=2400)
        self.assertEqual((done.status, done.out), (0, "all\n"), done)


class LongOnOneMachine(TestCase):
    """With a CPU for each end and no virtual network between them: much faster than two."""

    MESSAGES = 10_000_000

    def test_ten_million_messages_and_none_is_lost(self) -> None:
        machine = (SOFT_ROCE, "--yes", "--timeout", "3000", "--", PAIRBENCH, "local")
        amount = ("--test", "stream", "--sizes", "8", "--iters", str(self.MESSAGES))
        how = (*amount, "--warmup", "10", "--repeats", "1", "--json", "--no-save")
        done = subprocess.run(
            [*machine, "-t", "verbs:rxe0", *how],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=3100,
        )
        self.assertEqual(done.returncode, 0, done)
        document = self.document(done.stdout)
        self.assert_counts_equal(document)
        [repeat] = document["cases"][0]["repeats"]
        ends = (repeat["initiator"], repeat["responder"])
        self.assertEqual(ends[0]["messages_sent"], self.MESSAGES + 10)
        rnr = [name for end in ends for name in end["nic"] if "rnr" in name]
        self.assertEqual(rnr, [])


if __name__ == "__main__":
    if missing := missing_programs():
        print(f"skipped: Soft-RoCE needs {', '.join(missing)}", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
