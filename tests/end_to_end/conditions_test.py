"""Hosts on which a transport cannot be measured: each cause is a sentence, with the remedy, the host and the status."""

import json
import platform
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from barred import NUMBERS
from support import (
    ONE_MESSAGE,
    Done,
    TestCase,
    main,
    mounting,
    needs,
    needs_libfabric,
    needs_mounts,
)

LITTLE = (*ONE_MESSAGE, "--no-save")
# The other host is this one, and its name stands before what failed there.
THERE = f"error: {platform.node()}: "
BARRED = (sys.executable, "-B", str(Path(__file__).with_name("barred.py")))

needs_barring = unittest.skipIf(
    platform.machine() not in NUMBERS, "system calls have other numbers"
)


class Conditions(TestCase):
    def assert_no_device(self, done: Done, *said: str) -> None:
        """Status 4, each of the words, and something to try."""
        self.assertEqual((done.status, done.out), (4, ""), done)
        for words in (*said, "  cause:  ", "  try:    "):
            self.assertIn(words, done.err)


@needs("libfabric:shm")
class SharedMemory(Conditions):
    def local(self, *sizes: str, **environment: str) -> Done:
        amount = ("--iters", "2", "--warmup", "0", "--repeats", "1", "--test", "pingpong")
        command = ("local", "-t", "libfabric:shm", *amount, "--sizes", *sizes, "--no-save")
        return self.run_pairbench(*command, below=BARRED, environment=environment)

    @needs_mounts
    def test_too_little(self) -> None:
        small = mounting("size=1M", "/dev/shm")
        done = self.run_pairbench("local", "-t", "libfabric:shm", *LITTLE, below=small)
        self.assert_no_device(done, "too little shared memory", "has 1048576 bytes", "size=256m")
        devices = self.run_pairbench("devices", below=small)
        self.assertEqual(devices.status, 0)
        self.assertRegex(devices.out, "libfabric:shm .*1048576 bytes free")

    @needs_mounts
    def test_too_little_on_the_other_host(self) -> None:
        server = self.serve(below=mounting("size=1M", "/dev/shm"))
        done = self.run_pairbench("run", server.address, "-t", "libfabric:shm", *LITTLE)
        self.assert_no_device(done, THERE, "1048576 bytes")

    @needs_barring
    def test_no_right_to_read_the_peers_memory(self) -> None:
        """Small messages need none; the document says that there is none."""
        done = self.local("1K", "--json")
        self.assertEqual(done.status, 0, done)
        [transport] = self.document(done.out)["transports"]
        for end in ("initiator", "responder"):
            attach = transport[end]["details"]["cross_memory_attach"]
            self.assertEqual(attach, "barred (Operation not permitted)")

    @needs_barring
    def test_large_messages_without_that_right(self) -> None:
        """Provider versions differ: it ends well or says why. The remedy that is named helps."""
        done = self.local("64K")
        if done.status != 0:
            self.assertEqual(done.status, 5, done)
            self.assertIn("ptrace", done.err)
            self.assertIn("FI_SHM_DISABLE_CMA=1", done.err)
        copied = self.local("64K", "--check", FI_SHM_DISABLE_CMA="1")
        self.assertEqual(copied.status, 0, copied)


@needs_libfabric
class WrongLibrary(Conditions):
    @unittest.skipIf(shutil.which("cc") is None, "no C compiler")
    def test_too_old(self) -> None:
        source = "unsigned fi_version(void) { return 1u << 16 | 5; }"
        library = self.folder / "libold.so"
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)],
            input=source.encode(),
            check=True,
            timeout=60,
        )
        old = {"LD_PRELOAD": str(library)}
        done = self.run_pairbench("local", "-t", "libfabric:tcp", *LITTLE, environment=old)
        said = ("libfabric 1.5 is too old", "1.17 or later", str(library), "LD_LIBRARY_PATH")
        self.assert_no_device(done, *said)
        devices = self.run_pairbench("devices", "--json", environment=old)
        self.assertEqual(devices.status, 0, devices)
        [row] = [r for r in json.loads(devices.out)["devices"] if r["transport"] == "libfabric"]
        self.assertIn("1.5 is too old", row["note"])
        self.measure("local", "-t", "inproc", *ONE_MESSAGE)


@needs_libfabric
class HiddenProviders(Conditions):
    def test_the_variable_is_the_cause(self) -> None:
        for value in ("^tcp", "shm", "^shm,tcp", "^ofi_rxm"):
            with self.subTest(FI_PROVIDER=value):
                hiding = {"FI_PROVIDER": value}
                provider = "tcp+ofi_rxm" if value == "^ofi_rxm" else "tcp"
                command = ("local", "-t", f"libfabric:{provider}", *LITTLE)
                done = self.run_pairbench(*command, environment=hiding)
                self.assert_no_device(done, f"cause:  FI_PROVIDER={value} hides", "unset it")

    def test_it_is_listed(self) -> None:
        devices = self.run_pairbench("devices", environment={"FI_PROVIDER": "shm"})
        self.assertRegex(devices.out, "(?m)^libfabric:tcp +hidden by FI_PROVIDER=shm$")

    def test_the_variable_is_not_the_cause(self) -> None:
        hiding = {"FI_PROVIDER": "^tcp"}
        done = self.run_pairbench("local", "-t", "libfabric:nosuch", *LITTLE, environment=hiding)
        self.assert_no_device(done, "lists no provider nosuch", "(-61)", "(FI_PROVIDER=^tcp)")
        self.assertNotIn("hides", done.err)
        self.measure("local", "-t", "libfabric:shm", *ONE_MESSAGE)

    def test_on_the_other_host(self) -> None:
        server = self.serve(environment={"FI_PROVIDER": "^tcp"})
        done = self.run_pairbench("run", server.address, "-t", "libfabric:tcp", *LITTLE)
        self.assert_no_device(done, THERE, "FI_PROVIDER=^tcp hides")


class NoAdapter(Conditions):
    @unittest.skipIf(any(Path("/sys/class").glob("infiniband/*")), "an RDMA device is here")
    def test_verbs(self) -> None:
        for name in ("verbs", "verbs:nosuch0"):
            with self.subTest(transport=name):
                done = self.run_pairbench("local", "-t", name, *LITTLE)
                if "built without libibverbs" in done.err:
                    self.assertEqual(done.status, 4, done)
                    continue
                self.assert_no_device(done, name, "/sys/class/infiniband is empty", "soft-roce")


if __name__ == "__main__":
    main()
