"""Both ends on one CPU: the run ends, says so, and waits by giving the CPU away."""

import os

from support import ONE_MESSAGE, TestCase, main, needs_libfabric

AMOUNT = ("--iters", "500", "--warmup", "10", "--repeats", "1", "--sizes", "8,4K")


class OneCpu(TestCase):
    def shares_a_cpu(self, *arguments: str) -> None:
        cpu = str(min(os.sched_getaffinity(0)))
        command = ("local", *arguments, *AMOUNT, "--out", "r.json")
        done = self.run_pairbench(*command, below=("taskset", "-c", cpu))
        self.assertEqual(done.status, 0, done)
        document = self.document((self.folder / "r.json").read_text())
        self.assert_counts_equal(document)
        self.assertIn("SHARED_CPU", [warning["code"] for warning in document["warnings"]])
        self.assertIn("share", done.out)
        [adjustment] = document["adjustments"]
        self.assertEqual(adjustment["option"], "--completion")
        self.assertEqual((adjustment["asked"], adjustment["effective"]), ("poll", "yield"))
        for host in document["hosts"].values():
            self.assertEqual(host["cpus_allowed"], cpu)

    def test_inproc(self) -> None:
        self.shares_a_cpu("-t", "inproc")

    @needs_libfabric
    def test_tcp(self) -> None:
        self.shares_a_cpu("-t", "libfabric:tcp")

    @needs_libfabric
    def test_shm(self) -> None:
        self.shares_a_cpu("-t", "libfabric:shm")

    def test_two_cpus_are_taken_by_default(self) -> None:
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("there is one CPU here")
        document = self.measure("local", "-t", "inproc", *ONE_MESSAGE)
        ends = document["cases"][0]["repeats"][0]
        self.assertNotEqual(ends["initiator"]["cpu"], ends["responder"]["cpu"])
        self.assertNotIn("SHARED_CPU", [warning["code"] for warning in document["warnings"]])


if __name__ == "__main__":
    main()
