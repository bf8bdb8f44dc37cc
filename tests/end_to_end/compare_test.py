"""pairbench compare: one document, two, and what is none."""

import json
import subprocess
import unittest
from pathlib import Path
from typing import Any

from support import Done, TestCase, main

COMPARE_PY = Path("/usr/share/benchmark/compare.py")
SMALL = ("--sizes", "8,64", "--duration", "2ms", "--warmup", "10", "-q")


def slow_down(rtt: dict[str, Any], factor: float) -> None:
    for name in ("min", "p50", "p90", "p99", "p99_9", "max", "mean"):
        for bound, number in (rtt[name] or {}).items():
            rtt[name][bound] = number and number * factor


class Compare(TestCase):
    def measure_into(self, name: str, *options: str, repeats: int = 9) -> Path:
        path = self.folder / name
        words = ("local", *options, *SMALL, "--repeats", str(repeats), "--out", str(path))
        done = self.run_pairbench(*words)
        self.assertEqual(done.status, 0, done)
        return path

    def compare(self, *words: str | Path) -> Done:
        return self.run_pairbench("compare", *map(str, words))

    def without_grade_c(self, path: Path) -> dict[str, Any]:
        """Reading the clock may take over 5 % of an inproc round trip: not what is tested here."""
        document: dict[str, Any] = json.loads(path.read_text())
        for case in document["cases"]:
            case["quality"] = {"grade": "B", "flags": ["ONE_HOST"]}
        return document

    def slowed(self, source: Path, factor: float) -> Path:
        document = self.without_grade_c(source)
        source.write_text(json.dumps(document))
        for case in document["cases"]:
            for part in [case["summary"], *case["repeats"]]:
                if case["test"] == "pingpong":
                    slow_down(part["rtt_ns"], factor)
        path = source.with_name("slowed.json")
        path.write_text(json.dumps(document))
        return path

    def test_one_document(self) -> None:
        path = self.measure_into("r.json", "-t", "a=inproc", "-t", "b=inproc")
        path.write_text(json.dumps(self.without_grade_c(path)))
        done = self.compare(path)
        self.assertEqual(done.status, 0, done)
        self.assertIn("# b against a, interleaved, 9 repeats", done.out)
        rows = [line.split() for line in done.out.splitlines() if not line.startswith("#")]
        self.assertEqual([row[0] for row in rows], ["8", "64", "8", "64"])
        self.assertLessEqual(max(map(len, done.out.splitlines())), 100)
        self.assertIn("# a against b", self.compare(path, "--baseline", "b").out)
        self.assertEqual(self.compare(path, "--baseline", "c").status, 2)

    def test_json(self) -> None:
        path = self.measure_into("r.json", "-t", "a=inproc", "-t", "b=inproc")
        done = self.compare(path, "--json", "--fail-over", "5%")
        document = self.document(done.out)
        self.assertEqual(document["kind"], "comparison")
        self.assertEqual(document["fail_over"]["exit_status"], done.status)
        [comparison] = document["comparisons"]
        self.assertEqual([f["test"] for f in comparison["families"]], ["pingpong", "stream"])
        one = self.document(self.compare(path, "--json", "--metric", "p90").out)
        self.assertEqual(one["comparisons"][0]["families"][0]["metric"], "p90")

    def test_a_document_against_itself_shows_nothing(self) -> None:
        path = self.measure_into("r.json", "-t", "inproc")
        done = self.compare(path, path)
        self.assertEqual(done.status, 0, done)
        for word in ("faster", "slower", "FASTER", "SLOWER", "differs"):
            self.assertNotIn(word, done.out)
        self.assertIn("both files hold the same run", " ".join(done.out.split()).replace("# ", ""))

    def test_a_regression_exits_3(self) -> None:
        path = self.measure_into("r.json", "-t", "inproc")
        slow = self.slowed(path, 2)
        done = self.compare(path, slow)
        self.assertEqual(done.status, 0, done)
        self.assertIn("slower", done.out)
        done = self.compare(path, slow, "--fail-over", "5%")
        self.assertEqual(done.status, 3, done)
        self.assertIn("REGRESSION beyond 5%", done.out)
        self.assertNotEqual(self.compare(slow, path, "--fail-over", "5%").status, 3)
        self.assertNotEqual(self.compare(path, slow, "--fail-over", "200%").status, 3)

    def test_too_few_repeats_are_undecidable(self) -> None:
        path = self.measure_into("r.json", "-t", "a=inproc", "-t", "b=inproc", repeats=1)
        path.write_text(json.dumps(self.without_grade_c(path)))
        self.assertEqual(self.compare(path).status, 0)
        done = self.compare(path, "--fail-over", "5%")
        self.assertEqual(done.status, 6, done)
        self.assertIn("1 of 7 repeats needed", done.out)

    def test_usage(self) -> None:
        path = self.measure_into("r.json", "-t", "inproc")
        mistakes: list[tuple[str | Path, ...]] = [
            (path,),
            (path, path, "--strict"),
            (path, path, "--fail-over", "much"),
            (path, path, "--fail-over", "-5%"),
            (path, path, "--metric", "p98"),
            (path, path, path),
            (),
        ]
        for words in mistakes:
            with self.subTest(words=words):
                self.assertEqual(self.compare(*words).status, 2)

    def test_what_is_no_document_is_told_in_one_line(self) -> None:
        good = self.measure_into("r.json", "-t", "inproc")
        text = good.read_text()
        newer = json.dumps({**json.loads(text), "schema_version": 2})
        texts = {"empty": "", "truncated": text[: len(text) // 2], "newer": newer, "list": "[]"}
        for name, content in texts.items():
            with self.subTest(name=name):
                bad = self.folder / f"{name}.json"
                bad.write_text(content)
                done = self.compare(good, bad)
                self.assertEqual((done.status, done.out), (1, ""), done)
                self.assertIn(str(bad), done.err)
                self.assertEqual(
                    self.document(self.compare(good, bad, "--json").out)["error"]["code"], 1
                )
        self.assertEqual(self.compare(good, self.folder / "absent.json").status, 1)

    @unittest.skipUnless(COMPARE_PY.exists(), "libbenchmark-tools is not installed")
    def test_google_benchmarks_own_comparison_reads_it(self) -> None:
        files = []
        for name in ("a", "b"):
            result = self.measure_into(f"{name}.json", "-t", "inproc", repeats=3)
            file = self.folder / f"{name}.gbench"
            file.write_text(self.run_pairbench("show", str(result), "--format", "gbench").out)
            files.append(str(file))
        words = ["/usr/bin/python3", str(COMPARE_PY), "--no-color", "benchmarks", *files]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("inproc/pingpong/8", done.stdout)
        self.assertIn("OVERALL_GEOMEAN", done.stdout)


if __name__ == "__main__":
    main()
