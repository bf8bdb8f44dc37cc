"""results/validate finds the faults that a document can have, and names where they are."""

import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[2] / "results"
PRODUCED = Path(os.environ["PAIRBENCH_PRODUCED"])


def validate(*arguments: str) -> tuple[int, str]:
    command = [sys.executable, str(RESULTS / "validate"), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=60)
    return done.returncode, done.stdout


class Validate(unittest.TestCase):
    def setUp(self) -> None:
        self.good: dict[str, Any] = json.loads((PRODUCED / "two_hosts.json").read_text())

    def verdict_on(self, text: str, *options: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "r.json"
            path.write_text(text)
            status, said = validate(str(path), *options)
            return status, said.replace(str(path), "r.json")

    def expect_fault(self, text: str, fault: str, *options: str) -> None:
        status, said = self.verdict_on(text, *options)
        self.assertEqual(status, 1)
        self.assertIn(fault, said)

    def changed(self, *path: Any, to: Any) -> str:
        document = copy.deepcopy(self.good)
        place: Any = document
        for step in path[:-1]:
            place = place[step]
        if to is None:
            del place[path[-1]]
        else:
            place[path[-1]] = to
        return json.dumps(document)

    def test_good_documents_pass_in_silence(self) -> None:
        self.assertEqual(validate("--strict", str(PRODUCED)), (0, ""))

    def test_a_missing_member(self) -> None:
        text = self.changed("cases", 1, "repeats", 2, "elapsed_ns", to=None)
        self.expect_fault(
            text, "r.json: $.cases[1].repeats[2]: 'elapsed_ns' is a required property"
        )

    def test_a_wrong_type(self) -> None:
        text = self.changed("cases", 0, "size_bytes", to="8")
        self.expect_fault(text, "r.json: $.cases[0].size_bytes: '8' is not of type 'integer'")

    def test_a_negative_time(self) -> None:
        text = self.changed("cases", 0, "summary", "rtt_ns", "p50", "value", to=-1)
        self.expect_fault(text, "$.cases[0].summary.rtt_ns.p50.value: -1 is less than the minimum")

    def test_another_version(self) -> None:
        self.expect_fault(self.changed("schema_version", to=2), "$.schema_version: 1 was expected")

    def test_a_failed_case_without_a_reason(self) -> None:
        document = copy.deepcopy(self.good)
        document["cases"][0].update(status="failed", reason=None)
        self.expect_fault(json.dumps(document), "$.cases[0].reason: None is not of type 'string'")

    def test_an_unknown_member_is_a_fault_only_when_strict(self) -> None:
        text = self.changed("cases", 0, "new", to=1)
        self.assertEqual(self.verdict_on(text), (0, ""))
        self.expect_fault(text, "'new' was unexpected", "--strict")

    def test_what_is_no_json(self) -> None:
        self.expect_fault('{"schema_version": NaN}', "r.json: NaN is no JSON")
        self.expect_fault('{"a": 1, "a": 2}', "r.json: an object has a member twice")
        self.expect_fault("{", "r.json: Expecting property name")

    def test_a_missing_file(self) -> None:
        status, said = validate("/nonexistent/r.json")
        self.assertEqual(status, 1)
        self.assertIn("No such file", said)

    def test_every_member_of_the_schema_is_described(self) -> None:
        described = (RESULTS / "README.md").read_text()

        def members(schema: Any) -> set[str]:
            if isinstance(schema, list):
                return set().union(*map(members, schema))
            if not isinstance(schema, dict):
                return set()
            properties = schema.get("properties", {})
            return set(properties).union(*map(members, schema.values()))

        schema = json.loads((RESULTS / "schema.json").read_text())
        names = members(schema["$defs"])
        self.assertGreater(len(names), 100)
        self.assertEqual([name for name in sorted(names) if f"`{name}`" not in described], [])


if __name__ == "__main__":
    unittest.main()
