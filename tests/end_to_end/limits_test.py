"""Limits on a process: what runs into one says which it is and its value, on either host."""

import contextlib
import os
import select
import signal
import subprocess
import unittest

from control import connect, receive_message
from support import ONE_MESSAGE, PAIRBENCH, PATIENCE, Done, TestCase, main, needs, needs_libfabric

LITTLE = (*ONE_MESSAGE, "--no-save")
TCP = ("local", "-t", "libfabric:tcp", *LITTLE)
INPROC = ("local", "-t", "inproc", *LITTLE)
# Open files without which a server does not start.
LEAST = 14
# A user that has no other processes, even of tests that run at the same time.
USER = ("setpriv", f"--reuid={60000 + os.getpid() % 5000}", "--regid=65534", "--clear-groups")


def limited(name: str, value: int) -> tuple[str, ...]:
    return ("prlimit", f"--{name}={value}", "--")


def runs_below(*below: str) -> bool:
    command = [*below, PAIRBENCH, "--version"]
    silent = subprocess.DEVNULL
    done = subprocess.run(command, stdout=silent, stderr=silent, timeout=PATIENCE)
    return done.returncode == 0


needs_user = unittest.skipUnless(
    os.geteuid() == 0 and runs_below(*USER), "needs root, and a build that every user may run"
)


class Limits(TestCase):
    def assert_refused(self, done: Done, limit: str, value: int) -> None:
        self.assertEqual((done.status, done.out), (1, ""), done)
        self.assertIn("  cause:  ", done.err)
        self.assertIn(f"({limit}) {value}", done.err)


class OpenFiles(Limits):
    @needs("libfabric:tcp")
    def test_of_the_initiator(self) -> None:
        """So few that there is no pipe to the local server."""
        self.assert_refused(self.run_pairbench(*TCP, below=limited("nofile", 5)), "ulimit -n", 5)

    @needs("libfabric:tcp")
    def test_of_the_local_server(self) -> None:
        done = self.run_pairbench(*TCP, below=limited("nofile", 8))
        self.assert_refused(done, "ulimit -n", 8)
        self.assertIn("the local server did not start", done.err)

    @needs("libfabric:tcp")
    def test_of_a_provider(self) -> None:
        done = self.run_pairbench(*TCP, below=limited("nofile", 14))
        self.assert_refused(done, "ulimit -n", 14)
        self.assertIn("cannot open libfabric:tcp", done.err)

    def test_of_a_server(self) -> None:
        done = self.run_pairbench("serve", "--port", "0", below=limited("nofile", 5))
        self.assert_refused(done, "ulimit -n", 5)

    def test_the_least_of_a_server(self) -> None:
        done = self.run_pairbench("serve", "--port", "0", below=limited("nofile", LEAST - 1))
        self.assert_refused(done, "ulimit -n", LEAST - 1)
        self.assertIn(f"a server needs {LEAST} open files", done.err)
        self.serve(below=limited("nofile", LEAST))

    def test_of_a_servers_door(self) -> None:
        """Who comes when all are in use is told so, and the server goes on."""
        server = self.serve(below=limited("nofile", LEAST))
        for _ in range(2):
            with contextlib.ExitStack() as crowd:
                guests = [crowd.enter_context(connect(server.port)) for _ in range(LEAST)]
                told, _, _ = select.select(guests, [], [], PATIENCE)
                failure = receive_message(told[0])["failure"]
            self.assertEqual(failure["message"], "the server cannot take another connection")
            self.assertEqual(failure["cause"], "Too many open files")
            self.assertIn(f"(ulimit -n) {LEAST}", failure["hint"])
        server.signal(signal.SIGTERM)
        self.assertEqual(server.finish().status, 143)

    @needs("libfabric:tcp")
    def test_of_a_session(self) -> None:
        """A server that has just enough: its session says what it lacks."""
        server = self.serve(below=limited("nofile", LEAST))
        done = self.run_pairbench("run", server.address, "-t", "libfabric:tcp", *LITTLE)
        self.assertEqual(done.out, "", done)
        self.assertIn(f"(ulimit -n) {LEAST}", done.err)

    def test_enough_for_inproc(self) -> None:
        done = self.run_pairbench(*INPROC, below=limited("nofile", 8))
        self.assertEqual(done.status, 0, done)


@needs_user
class Processes(Limits):
    def limited_user(self, processes: int) -> tuple[str, ...]:
        return (*USER, *limited("nproc", processes))

    def test_of_a_run(self) -> None:
        done = self.run_pairbench(*INPROC, below=self.limited_user(1))
        self.assert_refused(done, "ulimit -u", 1)

    @needs("libfabric:tcp")
    def test_of_the_local_server(self) -> None:
        done = self.run_pairbench(*TCP, below=self.limited_user(2))
        self.assert_refused(done, "ulimit -u", 2)
        self.assertIn("the local server did not start", done.err)

    @needs("libfabric:tcp")
    def test_of_a_server(self) -> None:
        """It cannot make a process for a session: the other host is told so, and it serves on."""
        server = self.serve(below=self.limited_user(1))
        for _ in range(2):
            done = self.run_pairbench("run", server.address, "-t", "libfabric:tcp", *LITTLE)
            self.assertEqual((done.status, done.out), (5, ""), done)
            self.assertIn(f"error: {server.address}: the server cannot start", done.err)
            self.assertIn("(ulimit -u) 1", done.err)


class Memory(Limits):
    def test_messages_beyond_the_address_space(self) -> None:
        few = limited("as", 1_000_000_000)
        if not runs_below(*few):
            self.skipTest("this build takes more address space by itself")
        large = ("--sizes", "1G", "--window", "1", "--rx-depth", "1", "--iters", "1")
        done = self.run_pairbench("local", "-t", "inproc", *large, "--no-save", below=few)
        self.assertEqual((done.status, done.out), (1, ""), done)
        for words in (
            "cannot allocate 1073741824 bytes",
            "1000000000 bytes (ulimit -v)",
            "--sizes",
        ):
            self.assertIn(words, done.err)

    @needs_user
    @needs_libfabric
    def test_little_locked_memory_is_enough_for_what_registers_none(self) -> None:
        command = ("local", "-t", "libfabric:tcp", "-t", "libfabric:shm", "--preset", "smoke")
        below = (*USER, *limited("memlock", 65536))
        done = self.run_pairbench(*command, "--no-save", "--json", below=below)
        self.assertEqual(done.status, 0, done)
        document = self.document(done.out)
        self.assertEqual({case["status"] for case in document["cases"]}, {"ok"})
        for host in document["hosts"].values():
            self.assertEqual(host["memlock_limit_bytes"], 65536)


if __name__ == "__main__":
    main()
