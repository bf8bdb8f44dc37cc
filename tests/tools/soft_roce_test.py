#!/usr/bin/python3
"""Tests of scripts/soft-roce: two machines for most of them, started once."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, NamedTuple

SOFT_ROCE = str(Path(__file__).resolve().parents[2] / "scripts" / "soft-roce")
NEEDED = ("qemu-system-x86_64", "cpio", "modprobe", "rdma", "ibv_devinfo", "ibv_rc_pingpong")
SBIN = ":/usr/sbin:/sbin"

BOOT = 240.0  # a busy host emulates slowly, and the kernel may have to be fetched
PATIENCE = 60.0
SKIPPED = 77
PINGPONG = ("ibv_rc_pingpong", "-d", "rxe0", "-g", "1", "-s", "64", "-n", "50")
PING = ("/run/soft-roce/bin/busybox", "ping", "-c", "5")


class Done(NamedTuple):
    status: int
    out: str
    err: str


class Process:
    """The script with some words, in a folder."""

    def __init__(self, folder: Path, *words: str) -> None:
        self._popen = subprocess.Popen(
            [SOFT_ROCE, *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.pid = self._popen.pid

    def signal(self, number: int) -> None:
        self._popen.send_signal(number)

    def finish(self, within: float = PATIENCE) -> Done:
        try:
            out, err = self._popen.communicate(timeout=within)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"still running after {within} s: {self._popen.args!r}") from None
        return Done(self._popen.returncode, out, err)

    def kill(self) -> None:
        if self._popen.poll() is None:
            self._popen.kill()
            self._popen.communicate(timeout=10)


def missing() -> list[str]:
    path = os.environ.get("PATH", "") + SBIN
    return [program for program in NEEDED if not shutil.which(program, path=path)]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition: Any, within: float = PATIENCE) -> Any:
    end = time.monotonic() + within
    while not (result := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {within} s")
        time.sleep(0.05)
    return result


def children(pid: int) -> list[int]:
    listing = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in listing.read_text().split()] if listing.exists() else []


def machines_of(pid: int) -> list[int]:
    """The QEMUs that a process has started."""
    found = []
    for child in children(pid):
        try:
            if Path(f"/proc/{child}/comm").read_text().startswith("qemu"):
                found.append(child)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


class TestCase(unittest.TestCase):
    folder: Path

    def begin(self, *words: str) -> Process:
        process = Process(self.folder, *words)
        self.addCleanup(process.kill)
        return process


class StartedMachines(TestCase):
    """`start`, `exec`, `stop` with two machines."""

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="pairbench-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        options = ("--hosts", "2", "--link", "delay=20ms", "--timeout", "400")
        started = Process(cls.folder, "start", "--state", "state", *options).finish(BOOT)
        assert started.status == 0, started
        cls.addClassCleanup(cls.stop)

    @classmethod
    def stop(cls) -> None:
        """The state says who the machines are, and nothing is left of them."""
        state = json.loads((cls.folder / "state").read_text())
        guests = state["guests"]
        assert [guest["name"] for guest in guests] == ["hostA", "hostB"], state
        assert all(alive(guest["pid"]) for guest in guests), state
        stopped = Process(cls.folder, "stop", "--state", "state").finish()
        assert stopped == Done(0, "", ""), stopped
        assert not any(alive(pid) for pid in (state["keeper"], *[guest["pid"] for guest in guests]))
        assert not any(Path(guest["folder"]).parent.exists() for guest in guests)
        assert not (cls.folder / "state").exists()

    def execute(self, host: str, *words: str) -> Done:
        return self.begin("exec", "--state", "state", host, "--", *words).finish()

    def test_status_and_both_streams_come_out(self) -> None:
        done = self.execute("A", "sh", "-c", "echo one; echo two >&2; hostname; exit 7")
        self.assertEqual(done, Done(7, "one\nhostA\n", "two\n"))

    def test_a_file_arrives_in_the_working_folder_only(self) -> None:
        outside = Path(SOFT_ROCE).with_name("written-by-a-guest")
        done = self.execute("B", "sh", "-c", f"hostname > here; echo no > {outside}")
        self.assertNotEqual(done.status, 0)
        self.assertEqual((self.folder / "here").read_text(), "hostB\n")
        self.assertFalse(outside.exists())

    def test_a_later_folder_below_is_seen(self) -> None:
        later = self.folder / "later"
        later.mkdir()
        process = Process(later, "exec", "--state", str(self.folder / "state"), "pwd")
        self.assertEqual(process.finish(), Done(0, f"{later}\n", ""))

    def test_the_environment_is_an_allow_list(self) -> None:
        os.environ.update(FI_TEST_ONE="a b'c", OTHER_TEST="x")
        done = self.execute("A", "sh", "-c", 'echo "$FI_TEST_ONE,$OTHER_TEST"')
        self.assertEqual(done.out, "a b'c,\n")

    def test_the_device_is_active(self) -> None:
        for host, last in ("A", 1), ("B", 2):
            done = self.execute(host, "ibv_devinfo", "-v", "-d", "rxe0")
            self.assertRegex(done.out, r"state:\s+PORT_ACTIVE")
            self.assertRegex(done.out, r"active_mtu:\s+1024")
            self.assertRegex(done.out, rf"GID\[ *1\]:\s+::ffff:10\.0\.0\.{last}, RoCE v2")
            self.assertRegex(done.out, rf"GID\[ *\d\]:\s+fd00::{last}, RoCE v2")

    def test_memory_may_be_locked(self) -> None:
        self.assertEqual(self.execute("A", "bash", "-c", "ulimit -l").out, "unlimited\n")

    def pingpong(self, server_host: str, client_host: str) -> None:
        server = self.begin("exec", "--state", "state", server_host, "--", *PINGPONG)
        listening = "until grep -q ':4853 .* 0A ' /proc/net/tcp; do sleep 0.1; done"
        waited = self.execute(server_host, "timeout", "30", "sh", "-c", listening)
        self.assertEqual(waited.status, 0, waited)
        client = self.execute(client_host, *PINGPONG, "hostA")
        served = server.finish()
        self.assertEqual((served.status, client.status), (0, 0), (served, client))
        self.assertIn("50 iters", client.out)
        self.assertIn("50 iters", served.out)

    def test_two_processes_of_a_machine_talk(self) -> None:
        self.pingpong("A", "A")

    def test_two_machines_talk(self) -> None:
        self.pingpong("A", "B")

    def test_the_delay_is_there_both_ways(self) -> None:
        for address in ("hostB", "fd00::2"):
            done = self.execute("A", *PING, address)
            fastest = re.search(r"min/avg/max = ([0-9.]+)/", done.out)
            assert fastest, done
            self.assertGreaterEqual(float(fastest[1]), 40.0)

    def test_an_interrupt_is_passed_on(self) -> None:
        caught = "trap 'echo caught; exit 5' INT; echo ready > ready; while :; do sleep 0.1; done"
        process = self.begin("exec", "--state", "state", "A", "--", "bash", "-c", caught)
        wait_until((self.folder / "ready").exists)
        process.signal(signal.SIGINT)
        self.assertEqual(process.finish(), Done(5, "caught\n", ""))

    def test_time_is_limited(self) -> None:
        process = self.begin("exec", "--state", "state", "--timeout", "1", "--", "sleep", "600")
        self.assertEqual(process.finish().status, 124)

    def test_there_is_no_third_machine(self) -> None:
        done = self.begin("exec", "--state", "nowhere", "--", "true").finish()
        self.assertEqual(done.status, 125)
        self.assertIn("no machine runs", done.err)

    def test_a_device_without_a_machine(self) -> None:
        """Within one, since its kernel has what that takes."""
        words = f"""ip link add one type veth peer name other && ip link set one up && ip link set other up &&
            {SOFT_ROCE} --native one -- sh -c 'cat /sys/class/infiniband/rxe1/parent; exit 9'
            echo $?; ls /sys/class/infiniband; {SOFT_ROCE} --native nothing -- true; echo $?"""
        done = self.execute("B", "sh", "-c", words)
        self.assertEqual(done.out, "one\n9\nrxe0\n125\n", done)
        self.assertIn("no such interface", done.err)


class OneShot(TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="pairbench-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def test_a_command_on_each_of_two_machines(self) -> None:
        client = ("sh", "-c", "ibv_rc_pingpong -d rxe0 -g 1 -n 10 hostA && echo B-done > b; exit 3")
        server = ("sh", "-c", "echo serving; ibv_rc_pingpong -d rxe0 -g 1 -n 10; exec sleep 600")
        words = ("--hosts", "2", "--timeout", "300", "--", *server, "--and", *client)
        done = self.begin(*words).finish(BOOT)
        self.assertEqual(done.status, 3, done)
        self.assertIn("10 iters", done.out)
        self.assertNotIn("serving", done.out)
        self.assertIn("hostA: serving\n", done.err)
        self.assertEqual((self.folder / "b").read_text(), "B-done\n")

    def ended_by(self, number: int) -> tuple[Done, Path]:
        """Ended while the machine starts; its folder."""
        process = self.begin("--", "true")
        (machine,) = wait_until(lambda: machines_of(process.pid), BOOT)
        words = Path(f"/proc/{machine}/cmdline").read_text().split("\0")
        console = next(word for word in words if word.startswith("file:"))
        process.signal(number)
        done = process.finish()
        wait_until(lambda: not alive(machine), 5)
        return done, Path(console[len("file:") :]).parents[1]

    def test_a_request_to_end_leaves_nothing(self) -> None:
        done, folder = self.ended_by(signal.SIGTERM)
        self.assertEqual(done, Done(128 + signal.SIGTERM, "", ""))
        self.assertFalse(folder.exists())

    def test_being_killed_leaves_no_machine(self) -> None:
        done, folder = self.ended_by(signal.SIGKILL)
        self.assertEqual(done.status, -signal.SIGKILL)
        shutil.rmtree(folder)  # the next run would

    def test_what_is_misused_is_said(self) -> None:
        for words, said in (
            (["--hosts", "3", "--", "true"], "--hosts does not take '3'"),
            (["--link", "colour=red", "--", "true"], "--link does not take 'colour=red'"),
            (["true"], "COMMAND comes after --"),
            (["--hosts", "2", "--", "true"], "two hosts take two commands"),
            (["start"], "start needs --state FILE"),
            (["start", "--state", "none/state"], "none is no folder that can be written to"),
            (["--state", "none/state", "--", "true"], "none is no folder that can be written to"),
        ):
            done = self.begin(*words).finish()
            self.assertEqual((done.status, done.out), (125, ""), done)
            self.assertIn(said, done.err)

    def test_no_machine_in_the_root_folder(self) -> None:
        done = Process(Path("/"), "--", "true").finish(BOOT)
        self.assertEqual(done.status, 125)
        self.assertIn("a folder of your own", done.err)


if __name__ == "__main__":
    if missing():
        print(f"skipped: not installed here: {' '.join(missing())}", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
