"""Sizes and counts at which numbers of 32 bits end, and documents that are as large."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from bounded_test import Bounded
from support import ROOT, Done, TestCase, main, needs, needs_libfabric

ONE = ("--iters", "1", "--warmup", "0", "--repeats", "1")
# As little memory as a run can do with.
SPARING = ("--window", "1", "--rx-depth", "1", "--test", "pingpong", *ONE)


class Counts(TestCase):
    def test_beyond_32_bits_are_planned_as_they_are(self) -> None:
        for count in (2**32 - 1, 2**32, 2**32 + 10, 2**44):
            with self.subTest(count=count):
                command = ("local", "-t", "inproc", "--sizes", "8", f"--iters={count}", "--plan")
                shown = self.run_pairbench(*command)
                self.assertEqual((shown.status, shown.err), (0, ""), shown)
                self.assertEqual(shown.out.count(f" {count} messages "), 2, shown.out)
                plan = json.loads(self.run_pairbench(*command, "--json").out)
                self.assertEqual([case["iterations"] for case in plan["cases"]], [count] * 2)


class Refusals(TestCase):
    @needs("libfabric:tcp")
    def test_more_than_this_host_has(self) -> None:
        for transport in ("inproc", "libfabric:tcp"):
            with self.subTest(transport=transport):
                done = self.run_pairbench("local", "-t", transport, "--sizes", "1024G", *SPARING)
                self.assertEqual((done.status, done.out), (1, ""), done)
                numbers = r"needs (\d+) MiB of memory, this host has (\d+) MiB"
                found = re.search(numbers, done.err)
                assert found, done
                self.assertGreater(int(found[1]), 1024 << 10)
                self.assertGreater(int(found[1]), int(found[2]))

    @needs("libfabric:tcp")
    def test_more_than_a_server_takes(self) -> None:
        server = self.serve("--max-memory", "64M")
        command = ("run", server.address, "-t", "libfabric:tcp", "--sizes", "1G", *SPARING)
        done = self.run_pairbench(*command, "--no-save")
        self.assertEqual((done.status, done.out), (5, ""), done)
        self.assertIn(f"this server allows {64 << 20}", done.err)


def free_bytes() -> int:
    [line] = [l for l in Path("/proc/meminfo").read_text().splitlines() if "MemAvailable" in l]
    return int(line.split()[1]) << 10


class LongSizes(TestCase):
    def carries(self, transport: str, *sizes: int) -> None:
        """Every byte of messages so large, unless this host has too little memory."""
        needed = 7 * max(sizes)
        if free_bytes() < needed:
            self.skipTest(f"{needed} bytes of free memory are needed")
        lists = ("--sizes", ",".join(map(str, sizes)))
        patient = ("--peer-timeout", "5m")
        command = ("local", "-t", transport, *lists, "--check", *SPARING, *patient)
        document = self.measure(*command, within=1800)
        self.assert_counts_equal(document)
        self.assertEqual([case["size_bytes"] for case in document["cases"]], list(sizes))
        for case in document["cases"]:
            self.assertEqual(case["status"], "ok")
            self.assertGreaterEqual(
                case["repeats"][0]["initiator"]["bytes_sent"], case["size_bytes"]
            )

    def test_around_2_gib_over_inproc(self) -> None:
        self.carries("inproc", 2**31 - 1, 2**31, 2**31 + 1)

    @needs("libfabric:tcp")
    def test_around_2_gib_over_tcp(self) -> None:
        self.carries("libfabric:tcp", 2**31 - 1, 2**31, 2**31 + 1)

    @needs("libfabric:shm")
    def test_around_2_gib_over_shm(self) -> None:
        self.carries("libfabric:shm", 2**31 - 1, 2**31, 2**31 + 1)

    @needs_libfabric
    def test_beyond_4_gib(self) -> None:
        for transport in ("inproc", "libfabric:tcp", "libfabric:shm"):
            self.carries(transport, 2**32 + 1)


def of_size(repeat: dict[str, Any], size: int) -> dict[str, Any]:
    """The same round trips with messages of another size."""
    ends = {}
    for name in ("initiator", "responder"):
        end = repeat[name]
        sent, received = (size * end[f"messages_{way}"] for way in ("sent", "received"))
        ends[name] = {**end, "bytes_sent": sent, "bytes_received": received}
    return {**repeat, **ends}


class Large(Bounded):
    """Of 100 MB: a small one whose cases and repeats are multiplied."""

    BYTES = 100_000_000

    def large(self, cases: int) -> str:
        """The name of a file with so many cases, and as many repeats as it takes."""
        amount = ("--iters", "100", "--repeats", "1", "--sizes", "8", "--test", "pingpong")
        document = self.measure("local", "-t", "inproc", *amount)
        [case] = document["cases"]
        [repeat] = case["repeats"]
        repeats = self.BYTES // len(json.dumps(of_size(repeat, 0))) // cases + 1
        document["run"]["repeats"] = repeats
        document["cases"] = [
            {
                **case,
                "size_bytes": size,
                "repeats": [{**of_size(repeat, size), "repeat": nth} for nth in range(repeats)],
            }
            for size in range(cases)
        ]
        document["config"]["sizes"] = list(range(cases))
        file = self.folder / "large.json"
        file.write_text(json.dumps(document))
        self.assertGreater(file.stat().st_size, self.BYTES)
        return file.name


class Documents(Large):
    def bounded(self, *arguments: str) -> Done:
        """It ends soon and takes no more memory than a few documents."""
        done = self.run_pairbench(*arguments)
        self.assertEqual((done.status, done.err), (0, ""))
        self.assert_peak_below(1500)
        return done

    def test_of_many_cases(self) -> None:
        name = self.large(2000)
        shown = self.bounded("show", name)
        rows = [line for line in shown.out.splitlines() if not line.startswith("#")]
        self.assertEqual(len(rows), 2000)
        self.bounded("compare", name, name)

    def test_of_many_repeats(self) -> None:
        name = self.large(2)
        self.bounded("show", name)
        compared = self.bounded("compare", name, name)
        self.assertIn("more than 1000 repeats", compared.out)


class LongValidation(Large):
    def test_of_many_cases_by_the_schema(self) -> None:
        command = [sys.executable, "-B", str(ROOT / "results/validate"), self.large(2000)]
        done = subprocess.run(command, cwd=self.folder, timeout=600)
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    main()
