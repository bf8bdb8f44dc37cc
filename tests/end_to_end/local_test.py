"""`local`: both ends on this host, and `show` of what it stored."""

import csv
import io
import json

from support import ONE_MESSAGE, TestCase, main, needs_libfabric

ALL = ("-t", "libfabric:tcp", "-t", "libfabric:shm", "-t", "inproc")


class Local(TestCase):
    def test_inproc(self) -> None:
        document = self.measure("local", "-t", "inproc", "--preset", "smoke")
        self.assertTrue(document["run"]["complete"])
        self.assertEqual([case["status"] for case in document["cases"]], ["ok"] * 6)
        self.assert_counts_equal(document)

    @needs_libfabric
    def test_three_transports(self) -> None:
        run = self.run_pairbench("local", *ALL, "--preset", "smoke", "--out", "r.json")
        self.assertEqual(run.status, 0, run)
        document = self.document((self.folder / "r.json").read_text())
        self.assertTrue(document["run"]["complete"])
        self.assertEqual(len(document["cases"]), 3 * 2 * 3)
        self.assertEqual({case["status"] for case in document["cases"]}, {"ok"})
        self.assert_counts_equal(document)
        self.assertIn("ONE_HOST", [warning["code"] for warning in document["warnings"]])
        rows = [line for line in run.out.splitlines() if not line.startswith("#")]
        self.assertEqual(len(rows), len(document["cases"]), run.out)
        self.assertLessEqual(max(map(len, run.out.splitlines())), 100)
        self.assertIn("saved r.json", run.err)
        self.assertFalse((self.folder / "r.json.partial").exists())
        self.assertEqual(self.run_pairbench("show", "r.json").out, run.out)

    def test_every_format_of_show(self) -> None:
        run = self.run_pairbench("local", "-t", "inproc", "--preset", "smoke", "--out", "r.json")
        stored = self.document((self.folder / "r.json").read_text())

        def show(format_name: str) -> str:
            shown = self.run_pairbench("show", "r.json", "--format", format_name)
            self.assertEqual((shown.status, shown.err), (0, ""))
            return shown.out

        self.assertEqual(show("table"), run.out)
        self.assertEqual(self.document(show("json")), stored)
        rows = list(csv.DictReader(io.StringIO(show("csv"))))
        self.assertEqual(len(rows), len(stored["cases"]))
        self.assertEqual({row["transport"] for row in rows}, {"inproc"})
        self.assertIn("\n|", show("md"))
        benchmarks = json.loads(show("gbench"))["benchmarks"]
        self.assertGreaterEqual(len(benchmarks), len(stored["cases"]))

    def test_json_is_one_document(self) -> None:
        run = self.run_pairbench("local", "-t", "inproc", "--preset", "smoke", "--json")
        self.assertEqual(run.status, 0, run)
        printed = self.document(run.out)
        [stored] = self.folder.glob("pairbench-*.json")
        self.assertEqual(self.document(stored.read_text()), printed)

    def test_no_save_leaves_no_file(self) -> None:
        self.measure("local", "-t", "inproc", *ONE_MESSAGE)
        self.assertEqual(list(self.folder.iterdir()), [])

    @needs_libfabric
    def test_checked_payloads(self) -> None:
        sizes = ("--sizes", "0,1,15,16,64K", "--test", "pingpong,stream,bistream")
        amount = ("--iters", "40", "--warmup", "3", "--repeats", "1")
        document = self.measure("local", *ALL, "--check", *sizes, *amount)
        self.assertEqual({case["status"] for case in document["cases"]}, {"ok"})
        self.assert_counts_equal(document)

    def test_an_unknown_provider(self) -> None:
        done = self.run_pairbench("local", "-t", "libfabric:nosuch", "--json")
        error = self.assert_error_document(done, 4)
        self.assertIn("libfabric", error["message"])

    def test_a_device_that_is_not_there(self) -> None:
        done = self.run_pairbench("local", "-t", "libfabric:tcp/nosuch0", "--json")
        self.assert_error_document(done, 4)


if __name__ == "__main__":
    main()
