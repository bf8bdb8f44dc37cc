#!/usr/bin/python3
"""Tests of scripts/ctest_summary, with files as ctest and GoogleTest write them."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the checkout stays clean
SUMMARY = Path(__file__).resolve().parents[2] / "scripts" / "ctest_summary"

PASSED = '<testcase name="{}" status="run" time="1"><system-out>fine</system-out></testcase>'
FAILED = '<testcase name="{}" status="fail" time="1"><failure/><system-out>broken</system-out></testcase>'
SKIPPED = (
    '<testcase name="{}" status="notrun" time="1"><skipped message="SKIP_RETURN_CODE=77"/>'
    "<system-out>no device</system-out></testcase>"
)

# Of one program with several tests.
MANY = """<testsuites><testsuite name="Ring">
  <testcase name="IsEmpty" classname="Ring" status="run" result="completed"/>
  <testcase name="Wraps" classname="Ring" status="run" result="{}">{}</testcase>
</testsuite></testsuites>"""
WELL = MANY.format("completed", "")
NONE = "<testsuites/>"
DISABLED = MANY.replace('status="run" result="{}"', 'status="notrun" result="{}"').format(
    "suppressed", ""
)
ONE_FAILED = MANY.format("completed", '<failure message="ring_test.cc:7&#x0A;1 is not 2"/>')
ONE_SKIPPED = MANY.format("skipped", '<skipped message="ring_test.cc:7&#x0A;no memory&#x0A;"/>')


class Summary(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.build = Path(temporary.name) / "asan"
        (self.build / "gtest").mkdir(parents=True)

    def summary(self, *cases: str, **parts: str) -> tuple[int, list[str]]:
        """Of these cases of ctest, and the parts that GoogleTest wrote of some of them."""
        file = self.build / "ctest.xml"
        file.write_text(f"<testsuite>{''.join(cases)}</testsuite>")
        for name, text in parts.items():
            (self.build / "gtest" / f"base.{name}.xml").write_text(text)
        done = subprocess.run(
            [sys.executable, str(SUMMARY), str(file)], capture_output=True, text=True, timeout=30
        )
        return done.returncode, done.stdout.splitlines()

    def test_each_is_counted_once(self) -> None:
        status, lines = self.summary(PASSED.format("one"), SKIPPED.format("two"))
        self.assertEqual(status, 0)
        self.assertIn("skipped: no device (asan): two", lines)
        self.assertEqual(lines[-1], "1 passed, 0 failed, 1 skipped")

    def test_a_failure_is_told_with_its_output(self) -> None:
        status, lines = self.summary(PASSED.format("one"), FAILED.format("two"))
        self.assertEqual(status, 1)
        self.assertEqual(lines[-3:], ["failed: two (asan)", "  | broken", "1 passed, 1 failed"])

    def test_none_at_all_is_no_success(self) -> None:
        self.assertEqual(self.summary()[0], 1)
        self.assertEqual(self.summary(SKIPPED.format("one"))[0], 1)

    def test_a_part_counts_as_its_tests(self) -> None:
        status, lines = self.summary(PASSED.format("base.part_0"), part_0=WELL)
        self.assertEqual((status, lines[-1]), (0, "2 passed, 0 failed"))

    def test_what_is_skipped_within_a_part_is_told(self) -> None:
        _, lines = self.summary(PASSED.format("base.part_0"), part_0=ONE_SKIPPED)
        self.assertEqual(lines[0], "skipped: no memory (asan): base.Ring.Wraps")
        self.assertEqual(lines[-1], "1 passed, 0 failed, 1 skipped")

    def test_what_fails_within_a_part_is_told(self) -> None:
        status, lines = self.summary(FAILED.format("base.part_0"), part_0=ONE_FAILED)
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))
        self.assertIn("failed: base.Ring.Wraps (asan)", lines)
        self.assertIn("  | 1 is not 2", lines)

    def test_a_part_that_ends_early_failed(self) -> None:
        crashed = FAILED.replace("broken", "[ RUN      ] Ring.Wraps&#x0A;SEGV")
        status, lines = self.summary(crashed.format("base.part_0"))
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed"))
        self.assertIn("  | the last test to begin: Ring.Wraps", lines)

    def test_a_part_without_any_test_is_no_success(self) -> None:
        status, lines = self.summary(PASSED.format("base.part_0"), part_0=NONE)
        self.assertEqual((status, lines[-1]), (1, "0 passed, 0 failed"))

    def test_what_is_disabled_within_a_part_counts_as_skipped(self) -> None:
        _, lines = self.summary(PASSED.format("base.part_0"), part_0=DISABLED)
        self.assertEqual(lines[-1], "1 passed, 0 failed, 1 skipped")

    def test_a_part_that_fails_after_its_tests_failed(self) -> None:
        status, lines = self.summary(FAILED.format("base.part_0"), part_0=WELL)
        self.assertEqual((status, lines[-1]), (1, "2 passed, 1 failed"))


if __name__ == "__main__":
    unittest.main()
