#!/usr/bin/python3
"""Tests of scripts/compare-peers, with programs that print what a test wants; at the end one small
run with the real ones.

    compare_peers_test.py [PAIRBENCH]
"""

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # the checkout stays clean
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
from compare_peers import peers, processes, rounds  # noqa: E402

PAIRBENCH: list[str] = []  # from the command line

HEAD = f"""#!{sys.executable}
import json, os, socket, sys, time
words = sys.argv[1:]
folder = os.path.dirname(__file__)
def said(option): return words[words.index(option) + 1]
def log(line):
    with open(os.path.join(folder, "log"), "a") as file: file.write(line + chr(10))
"""

FAKE_PAIRBENCH = """
looks = json.loads(os.environ.get("LOOKS", "[100]"))  # what the in-process median is, by call
def one(number): return {"value": number, "low": None, "high": None}
if said("-t") == "inproc":
    path = os.path.join(folder, "looks")
    with open(path, "a") as file: file.write("x")
    rtt = {"p50": one(looks[(os.path.getsize(path) - 1) % len(looks)])}
else:
    log("pairbench " + said("--test") + (" yields" if "yield" in words else ""))
    rtt = {"p50": one(2000), "mean": one(4000), "batch_mean": json.loads(os.environ["BATCH"])}
summary = {"rtt_ns": rtt, "delivered_bytes_per_second": one(1e9)}
print(json.dumps({"cases": [{"status": "ok", "reason": None, "summary": summary}]}))
"""

FAKE_FLOOR = """
log("floor " + " ".join(words))
print(json.dumps({"p50_ns": 1000, "bytes_per_second": 2e9}))
"""

FAKE_PINGPONG = """
if "-B" in words:
    with socket.create_server(("", int(said("-B")))) as server: server.accept()
else:
    log("fi_pingpong")
    socket.create_connection((words[-1], int(said("-P"))))
print("bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec")
print("8       1k      =1k      15k         0.09s      0.18       1.00       0.02")
"""

# As perftest and rdma-core print them.
FAKE_VERBS = """
preload = os.path.basename(os.environ.get("LD_PRELOAD", ""))
log(os.path.basename(__file__) + " " + " ".join(words) + " " + preload)
if words[-1] != "127.0.0.1":
    with socket.create_server(("", int(said("-p")))) as server: server.accept()
else:
    socket.create_connection((words[-1], int(said("-p"))))
print(" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    99% percentile[usec]")
print(" 8       1000          1.10           9.00         2.50               2.60           3.10")
print("1000 iters in 0.01 seconds = 4.00 usec/iter")
print(" #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]")
print(" 8          1000             500.00             400.00             0.1")
"""

FAILS = 'print("first\\nno such provider", file=sys.stderr)\nsys.exit(3)\n'
ENDS_ITS_PARENT = """
with open(os.path.join(folder, "calls"), "a") as file: file.write("x")
if os.path.getsize(os.path.join(folder, "calls")) == 3:  # a round has two
    os.kill(os.getppid(), 15)
    time.sleep(600)
"""
HANGS = 'log("pid " + str(os.getpid()))\ntime.sleep(600)\n'


class Run:
    """One run of the script in a world where only the given programs exist."""

    def __init__(self, folder: Path, *words: str, **environment: str) -> None:
        result = folder / "result.json"
        base = ["--pairbench", str(folder / "pairbench"), "--json", str(result), "--sizes", "8"]
        cpu = min(os.sched_getaffinity(0))
        base += ["--cpus", f"{cpu},{cpu}"]
        self.process = subprocess.run(
            [sys.executable, str(SCRIPTS / "compare-peers"), *base, *words],
            env={"PATH": str(folder), "BATCH": '{"value": 3000}', **environment},
            capture_output=True,
            text=True,
            timeout=100,
        )
        self.status = self.process.returncode
        self.errors = self.process.stderr
        log = folder / "log"
        self.log = log.read_text().splitlines() if log.exists() else []
        comparisons = json.loads(result.read_text())["comparisons"] if result.exists() else []
        self.of: dict[str, dict[str, Any]] = {
            f"{one['peer']} {one['figure']}": one for one in comparisons
        }

    def ratio(self, name: str) -> float:
        return float(self.of[name]["ratio"]["median"])


class Fakes(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.fake("pairbench", FAKE_PAIRBENCH)
        self.fake("bare_libfabric", FAKE_FLOOR)
        self.fake("fi_pingpong", FAKE_PINGPONG)

    def fake(self, name: str, body: str) -> None:
        (self.folder / name).write_text(HEAD + body)
        (self.folder / name).chmod(0o755)

    def run_script(self, *words: str, **environment: str) -> Run:
        return Run(self.folder, *words, **environment)

    def test_like_is_compared_with_like(self) -> None:
        run = self.run_script("--rounds", "2")
        self.assertEqual(run.status, 0, run.errors)
        self.assertEqual(run.ratio("fi_pingpong mean RTT"), 1.5)  # 3000 ns; 1 us is half of theirs
        self.assertEqual(run.ratio("floor p50 RTT"), 2.0)
        self.assertEqual(run.ratio("floor stream"), 0.5)
        self.assertRegex(run.process.stdout, r"shm +8 mean_RTT +fi_pingpong +3 +2 us +1.500 ")
        self.assertIn("# fi_pingpong, mean RTT: twice its usec/xfer", run.process.stdout)

    def test_without_a_mean_of_batches_the_mean_of_samples_serves(self) -> None:
        run = self.run_script("--rounds", "1", BATCH="null")
        self.assertEqual(run.ratio("fi_pingpong mean RTT"), 2.0)

    def test_rounds_of_an_unsteady_machine_are_dropped(self) -> None:
        run = self.run_script("--rounds", "3", LOOKS="[100, 109, 100, 111, 100, 100]")
        for comparison in run.of.values():
            self.assertEqual(len(comparison["dropped_rounds"]), 1)
            self.assertEqual(len(comparison["rounds"]), 2)
        self.assertIn("rounds are dropped", run.process.stdout)
        self.assertIn(" 2/3", run.process.stdout)

    def test_how_much_drift_is_too_much_can_be_said(self) -> None:
        run = self.run_script("--rounds", "1", "--drift", "150", LOOKS="[100, 200]")
        self.assertEqual(len(run.of["floor stream"]["rounds"]), 1)

    def test_nothing_is_said_when_all_rounds_are_dropped(self) -> None:
        run = self.run_script("--rounds", "1", LOOKS="[100, 200]")
        self.assertEqual(run.status, 0)
        self.assertIsNone(run.of["floor stream"]["ratio"])
        self.assertRegex(run.process.stdout, r"floor +n/a +n/a Gb/s +n/a +n/a +n/a +0/1")

    def test_who_comes_first_changes_from_round_to_round(self) -> None:
        log = self.run_script("--rounds", "2").log
        ours, theirs = "pairbench pingpong", "fi_pingpong"
        self.assertEqual([log[0], log[1]], [ours, theirs])
        self.assertEqual([log[6], log[7]], [theirs, ours])

    def test_provider_and_domain_reach_the_peers_in_their_own_writing(self) -> None:
        log = self.run_script("--rounds", "1", "-p", "tcp+ofi_rxm/lo", "--cpus", "0,1").log
        self.assertIn("floor tcp;ofi_rxm/lo 8 100000 --cpus 0,1", log)

    def test_verbs_is_compared_with_what_is_over_verbs(self) -> None:
        for program in ("ib_send_lat", "ibv_rc_pingpong", "ib_send_bw"):
            self.fake(program, FAKE_VERBS)
        run = self.run_script("--rounds", "1", "-p", "verbs:rxe0/1/2")
        self.assertEqual(run.status, 0, run.errors)
        self.assertAlmostEqual(run.ratio("ib_send_lat p50 RTT"), 2000 / 5000)
        self.assertAlmostEqual(run.ratio("ibv_rc_pingpong mean RTT"), 3000 / 4000)
        self.assertAlmostEqual(run.ratio("ib_send_bw stream"), 1e9 / (400 * 2**20))
        self.assertEqual([line for line in run.log if "floor" in line or "fi_" in line], [])
        [latency] = [line for line in run.log if line.startswith("ib_send_lat") and "127" in line]
        self.assertIn("-d rxe0 -i 1 -x 2", latency)
        self.assertNotIn("yield", latency)

    def test_who_yields_is_compared_with_who_yields_alone(self) -> None:
        log = self.run_script("--rounds", "1", "--yield", "--cpus", "0,1").log
        self.assertEqual(log[0], "pairbench pingpong yields")
        self.assertIn("floor shm 8 100000 --cpus 0,1 --completion yield", log)
        self.assertNotIn("fi_pingpong", log)

    def test_a_program_over_verbs_yields_by_what_is_preloaded(self) -> None:
        self.fake("ib_send_lat", FAKE_VERBS)
        words = ("--rounds", "1", "-p", "verbs:rxe0/1/2", "--yield")
        self.assertIn("libyielding_verbs.so is missing", self.run_script(*words).errors)
        (self.folder / "micro").mkdir()
        library = self.folder / "micro" / "libyielding_verbs.so"
        library.write_bytes(b"")
        log = self.run_script(*words).log
        [client] = [line for line in log if line.startswith("ib_send_lat") and "127" in line]
        self.assertTrue(client.endswith(library.name), client)

    def test_a_peer_that_fails_is_named_and_the_others_go_on(self) -> None:
        self.fake("bare_libfabric", FAILS)
        run = self.run_script("--rounds", "1")
        self.assertEqual(run.status, 1)
        sentence = "bare_libfabric failed: exit code 3; its last line of stderr: no such provider"
        self.assertIn(sentence, run.errors)
        self.assertIn(sentence, run.of["floor stream"]["failure"])
        self.assertEqual(run.ratio("fi_pingpong mean RTT"), 1.5)

    def test_a_server_that_fails_is_named_before_its_client_starts(self) -> None:
        self.fake("fi_pingpong", FAILS)
        self.assertIn("fi_pingpong failed: exit code 3", self.run_script("--rounds", "1").errors)

    def test_a_peer_that_hangs_is_ended(self) -> None:
        self.fake("bare_libfabric", HANGS)
        run = self.run_script("--rounds", "1", "--deadline", "1")
        self.assertEqual(run.status, 1)
        self.assertIn("bare_libfabric had not ended after 1 s", run.errors)
        for line in run.log:
            if line.startswith("pid "):
                self.assertRaises(ProcessLookupError, os.kill, int(line.split()[1]), 0)

    def test_only_what_is_asked_for_is_measured(self) -> None:
        for only, expected in (
            (["floor"], {"floor p50 RTT", "floor stream"}),
            (["stream"], {"floor stream"}),
            (["mean_RTT", "p50_RTT"], {"fi_pingpong mean RTT", "floor p50 RTT"}),
            (["floor", "p50_RTT"], {"floor p50 RTT"}),
        ):
            words = [word for name in only for word in ("--only", name)]
            run = self.run_script("--rounds", "1", *words)
            self.assertEqual(run.status, 0, run.errors)
            self.assertEqual(set(run.of), expected)

    def test_nothing_is_left_of_what_is_asked_for(self) -> None:
        run = self.run_script("--rounds", "1", "--only", "ib_send_lat")
        self.assertEqual(run.status, 1)
        self.assertIn("--only leaves none", run.errors)

    def test_rounds_before_its_end_are_not_lost(self) -> None:
        self.fake("bare_libfabric", ENDS_ITS_PARENT + FAKE_FLOOR)
        run = self.run_script("--rounds", "5")
        self.assertEqual(run.status, 128 + signal.SIGTERM)
        self.assertEqual(len(run.of["floor p50 RTT"]["rounds"]), 1)
        self.assertRegex(run.process.stdout, r"p50_RTT +floor +2 +1 us +2.000 .* 1/1\n")

    def test_what_is_no_table_is_a_failure(self) -> None:
        self.fake("bare_libfabric", "print('nonsense')\n")
        run = self.run_script("--rounds", "1")
        self.assertEqual(run.status, 1)
        self.assertIn("bare_libfabric printed no p50_ns: 'nonsense'", run.errors)

    def test_a_cpu_that_is_not_there_is_named(self) -> None:
        run = self.run_script("--rounds", "1", "--cpus", "0,9999")
        self.assertIn("fi_pingpong cannot be run on CPU 9999", run.errors)

    def test_pairbench_failing_ends_it(self) -> None:
        self.fake("pairbench", FAILS)
        run = self.run_script("--rounds", "1")
        self.assertEqual(run.status, 1)
        self.assertIn("error: pairbench failed: exit code 3", run.errors)

    def test_who_is_missing_is_named_with_the_package(self) -> None:
        (self.folder / "fi_pingpong").unlink()
        run = self.run_script("--rounds", "1")
        self.assertEqual(run.status, 0)
        self.assertIn("not here: fi_pingpong; it comes with libfabric-bin", run.errors)

    def test_wrong_words_are_a_matter_of_usage(self) -> None:
        for words in (["--sizes", "4.5K"], ["--rounds", "0"], ["--cpus", "1"], ["--nonsense"]):
            self.assertEqual(self.run_script(*words).status, 2, words)


class Pieces(unittest.TestCase):
    def test_the_interval_is_that_of_order_statistics(self) -> None:
        ranks = {count: rounds.interval_rank(count) for count in (1, 5, 6, 8, 9, 12)}
        self.assertEqual(ranks, {1: 1, 5: 1, 6: 1, 8: 1, 9: 2, 12: 3})
        self.assertAlmostEqual(rounds.coverage(9), 0.961, places=3)
        self.assertAlmostEqual(rounds.coverage(5), 0.9375)

    def test_a_table_without_the_column_is_a_failure(self) -> None:
        self.assertEqual(peers.column("a b\n1 2\n", "b"), 2)
        self.assertRaises(processes.Failure, peers.column, "a b\n", "b")
        self.assertRaises(processes.Failure, peers.column, "a b\n1\n", "b")


class Real(unittest.TestCase):
    def test_a_small_run_ends_well(self) -> None:
        if not PAIRBENCH or not shutil.which("fi_pingpong"):
            self.skipTest("no pairbench given, or no fi_pingpong here")
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU only")
        measures = [PAIRBENCH[0], "local", "-t", "libfabric:shm", "--test", "pingpong", "--plan"]
        if subprocess.run(measures, capture_output=True).returncode != 0:
            self.skipTest("pairbench has no libfabric:shm here")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "result.json"
            words = ["--pairbench", PAIRBENCH[0], "--sizes", "8", "--rounds", "1"]
            process = subprocess.run(
                [SCRIPTS / "compare-peers", *words, "--iters", "500", "--json", path],
                capture_output=True,
                text=True,
            )
            self.assertEqual(process.returncode, 0, process.stderr)
            for one in json.loads(path.read_text())["comparisons"]:
                self.assertEqual(len(one["rounds"]) + len(one["dropped_rounds"]), 1, one)
                for pair in one["rounds"]:
                    self.assertTrue(math.isfinite(pair["ours"] / pair["theirs"]) and pair["ours"])


if __name__ == "__main__":
    PAIRBENCH = sys.argv[1:2]
    unittest.main(argv=sys.argv[:1])
