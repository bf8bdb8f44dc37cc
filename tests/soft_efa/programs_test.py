#!/usr/bin/python3
"""The device below libfabric's own programs, which know nothing of it: fi_info and fi_pingpong."""

import os
import re
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from soft_efa import ROOT, Host, library

PATIENCE = 100
# Across the provider's protocols: eager, medium, long, read.
SIZES = (0, 1, 4096, 8192, 65536, 131072, 1048576, 8388608)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def is_listening(port: int) -> bool:
    """As /proc/net/tcp tells: a connection would be taken for the client's."""
    return (
        re.search(rf":{port:04X} 00000000:0000 0A", Path("/proc/net/tcp").read_text()) is not None
    )


class SoftEfa(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="soft-efa-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.pairs = 0

    def run_program(self, host: Host, *command: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command,
            env={**os.environ, **host.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )

    def serve(self, host: Host, *command: str) -> "subprocess.Popen[bytes]":
        server = subprocess.Popen(
            command, env={**os.environ, **host.environment}, stdout=subprocess.DEVNULL
        )
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server

    def ping_pong(self, size: int, mode: str = "tagged", **settings: object) -> tuple[Host, Host]:
        """Tagged messages are carried by fabric efa; others, from libfabric 2.1 on, by efa-direct."""
        self.pairs += 1
        a, b = (Host(self.folder, f"{name}{self.pairs}", **settings) for name in "ab")
        self.addCleanup(a.sweep)
        self.addCleanup(b.sweep)
        port = free_port()
        how = (
            "fi_pingpong",
            "-p",
            "efa",
            "-e",
            "rdm",
            "-m",
            mode,
            "-c",
            "-I",
            "10",
            "-S",
            str(size),
        )
        server = self.serve(b, *how, "-B", str(port))
        deadline = time.monotonic() + PATIENCE
        while not is_listening(port) and time.monotonic() < deadline:
            time.sleep(0.01)
        client = self.run_program(a, *how, "-P", str(port), "127.0.0.1")
        self.assertEqual((client.returncode, server.wait(PATIENCE)), (0, 0), client.stdout)
        for host in (a, b):
            self.assertGreaterEqual(host.counted("messages_received"), 10)
            self.assertEqual(host.counted("overruns"), 0)
        return a, b

    def test_devices_are_listed(self) -> None:
        shown = self.run_program(
            Host(self.folder, "a", DEVICES=3), "fi_info", "-p", "efa", "-t", "FI_EP_RDM"
        )
        domains = re.findall(r"fabric: efa\n +domain: (\S+)", shown.stdout)
        self.assertEqual(domains, [f"rdmap0s{i}-rdm" for i in range(3)], shown.stdout)

    def test_wrong_settings_are_refused(self) -> None:
        shown = self.run_program(Host(self.folder, "a", REORDRE=3), "fi_info", "-p", "efa")
        self.assertNotEqual(shown.returncode, 0)
        self.assertIn("SOFT_EFA_REORDRE: there is no such variable", shown.stdout)

    def test_every_size(self) -> None:
        for size in SIZES:
            with self.subTest(size=size):
                a, b = self.ping_pong(size)
                reads = size >= 1 << 20
                self.assertEqual(a.counted("reads_served") > 0, reads)
                self.assertEqual(b.counted("reads_served") > 0, reads)

    def test_messages_up_to_a_packet(self) -> None:
        for size in (0, 1, 64, 4096):
            with self.subTest(size=size):
                self.ping_pong(size, "msg")
                self.ping_pong(size, "msg", REORDER=30, RNR=10)

    def test_every_size_without_reads(self) -> None:
        for size in SIZES:
            with self.subTest(size=size):
                a, _ = self.ping_pong(size, RDMA="none")
                self.assertEqual(a.counted("reads_served"), 0)

    def test_every_size_reordered_and_not_ready(self) -> None:
        for size in SIZES:
            with self.subTest(size=size):
                self.ping_pong(size, REORDER=30, RNR=10)


class Script(unittest.TestCase):
    """scripts/soft-efa, with the library of this build."""

    def run_script(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(ROOT / "scripts/soft-efa"), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
        )

    def test_runs_a_command_on_devices(self) -> None:
        build = str(Path(library()).parents[2])
        options = ("--build", build, "--devices", "2", "--set", "RDMA=none")
        done = self.run_script(*options, "--", "fi_info", "-p", "efa", "-t", "FI_EP_RDM")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("domain: rdmap0s1-rdm", done.stdout)
        self.assertIn("soft-efa: no device was used", done.stderr)

    def test_the_status_is_the_commands(self) -> None:
        build = str(Path(library()).parents[2])
        done = self.run_script("--build", build, "--", "sh", "-c", "exit 7")
        self.assertEqual(done.returncode, 7, done)

    def test_what_it_does_not_take(self) -> None:
        for words in (("--devices",), ("--nonsense", "1", "--", "true"), ("true",), ("--",)):
            done = self.run_script(*words)
            self.assertEqual(done.returncode, 1, done)
            self.assertRegex(done.stderr, "^error: ")

    def test_a_build_without_it(self) -> None:
        done = self.run_script("--build", "/nowhere", "--", "true")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("is not built", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
