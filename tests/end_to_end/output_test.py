"""Streams, files, plans and listings."""

import json
import os
import re
import threading

from support import ONE_MESSAGE, Done, TestCase, main, needs_libfabric, why_not

INPROC = ("local", "-t", "inproc")
CONTROL_CHARACTERS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


class Streams(TestCase):
    def test_a_pipe_gets_no_control_characters(self) -> None:
        done = self.run_pairbench(*INPROC, "--preset", "smoke")
        self.assertEqual(CONTROL_CHARACTERS.findall(done.out + done.err), [])
        self.assertIn("about", done.err)

    def test_a_terminal_gets_progress(self) -> None:
        typed = "$0 local -t inproc --preset smoke --no-save"
        done = self.run_pairbench(below=("sh", "-c", f'script -qefc "{typed}" /dev/null'))
        self.assertEqual(done.status, 0, done)
        self.assertIn("\x1b[K", done.out)

    def test_quiet(self) -> None:
        done = self.run_pairbench(*INPROC, *ONE_MESSAGE, "-q")
        self.assertEqual((done.status, done.err), (0, ""))
        self.assertNotEqual(done.out, "")

    def test_a_full_standard_output(self) -> None:
        full = ("sh", "-c", 'exec "$@" > /dev/full', "sh")
        for words in ((*INPROC, *ONE_MESSAGE), (*INPROC, *ONE_MESSAGE, "--json"), ("devices",)):
            with self.subTest(words=words):
                done = self.run_pairbench(*words, below=full)
                self.assertEqual(done.status, 1, done)
                self.assertIn("No space left on device", done.err)


class JsonStream(TestCase):
    def stream(self, *options: str) -> Done:
        return self.run_pairbench(*INPROC, "--json-stream", "--no-save", *options)

    def test_every_repeat_is_a_line_and_the_log_a_document(self) -> None:
        done = self.stream("--sizes", "8,64", "--duration", "2ms", "--repeats", "3")
        self.assertEqual(done.status, 0, done)
        lines = [json.loads(line) for line in done.out.splitlines()]
        self.assertEqual(lines[0]["partial"], 1)
        self.assertEqual(len(lines), 1 + 2 * 2 * 3 + 1)
        self.assertTrue(lines[-1]["complete"])
        log = self.folder / "log"
        log.write_text(done.out)
        document = self.document(self.run_pairbench("show", str(log), "--json").out)
        self.assertTrue(document["run"]["complete"])
        self.assertEqual([len(case["repeats"]) for case in document["cases"]], [3] * 4)

    def test_an_error_is_a_line_too(self) -> None:
        done = self.stream("--sizes", "x")
        self.assertEqual(done.status, 2)
        self.assertEqual(self.document(done.out)["error"]["code"], 2)
        self.assertEqual(self.stream("--json").status, 2)


class Comparing(TestCase):
    def test_two_transports_end_with_the_overall_verdict(self) -> None:
        words = ("local", "-t", "a=inproc", "-t", "b=inproc", "--sizes", "8", "--duration", "2ms")
        done = self.run_pairbench(*words, "--repeats", "6", "--out", "r.json")
        self.assertEqual(done.status, 0, done)
        compared = self.run_pairbench("compare", "r.json").out.splitlines()
        overall = [line for line in compared if line.startswith("# overall")]
        self.assertEqual(len(overall), 2, compared)
        # On a busy machine a case may be of the grade that forbids a verdict.
        told = [line for line in overall if " n/a" not in line]
        said = [line for line in done.out.splitlines() if line in overall]
        self.assertEqual(said, told)
        self.assertEqual("# b against a, interleaved, 6 repeats" in done.out, bool(told))
        one = self.run_pairbench(*words[:3], *words[5:], "--repeats", "6", "--no-save")
        self.assertNotIn("against", one.out)


class Files(TestCase):
    def save(self, place: str, *options: str) -> tuple[int, str]:
        nowhere = {"TMPDIR": str(self.folder / "none")}
        done = self.run_pairbench(
            *INPROC, *ONE_MESSAGE, "--out", place, *options, environment=nowhere
        )
        return done.status, done.err

    def test_nothing_is_overwritten_unasked(self) -> None:
        self.assertEqual(self.save("r.json")[0], 0)
        first = (self.folder / "r.json").read_text()
        status, said = self.save("r.json")
        self.assertEqual(status, 1)
        self.assertIn("r.json exists", said)
        self.assertIn("--force", said)
        self.assertEqual((self.folder / "r.json").read_text(), first)
        self.assertEqual(self.save("r.json", "--force")[0], 0)
        second = self.document((self.folder / "r.json").read_text())
        self.assertNotEqual(second["run"]["id"], json.loads(first)["run"]["id"])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["r.json"])

    def test_two_at_once(self) -> None:
        """One of them gets the place; what is there is one document."""
        runs = [self.start(*INPROC, "--preset", "smoke", "--out", "r.json") for _ in range(2)]
        statuses = sorted(run.finish().status for run in runs)
        self.assertIn(statuses, ([0, 1], [0, 0]))
        self.document((self.folder / "r.json").read_text())

    def test_a_link_is_followed(self) -> None:
        (self.folder / "link.json").symlink_to("r.json")
        status, said = self.save("link.json")
        self.assertEqual(status, 1)
        self.assertIn("leads nowhere", said)
        (self.folder / "r.json").write_text("")
        self.assertEqual(self.save("link.json", "--force")[0], 0)
        self.assertTrue((self.folder / "link.json").is_symlink())
        self.document((self.folder / "r.json").read_text())

    def test_a_fifo(self) -> None:
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        self.assertEqual(self.save("fifo")[0], 1)
        texts: list[str] = []
        reader = threading.Thread(target=lambda: texts.append(fifo.read_text()), daemon=True)
        reader.start()
        while self.save("fifo")[0] != 0:
            self.assertTrue(reader.is_alive())
        reader.join(20)
        self.document(texts[0])

    def test_standard_output(self) -> None:
        done = self.run_pairbench(*INPROC, *ONE_MESSAGE, "--out", "/dev/stdout", "-q")
        self.assertEqual(done.status, 0)
        self.document(done.out[: done.out.rindex("\n}") + 2])

    def test_a_full_device(self) -> None:
        status, said = self.save("/dev/full")
        self.assertEqual(status, 1)
        self.assertIn("No space left on device", said)

    def test_a_file_size_limit(self) -> None:
        limited = ("prlimit", "--fsize=200", "--")
        command = (*INPROC, *ONE_MESSAGE, "--out", "r.json")
        done = self.run_pairbench(*command, below=limited)
        self.assertEqual(done.status, 1, done)
        self.assertIn("File too large", done.err)
        self.assertFalse((self.folder / "r.json").exists())

    def test_a_default_place_that_cannot_be_written(self) -> None:
        elsewhere = ("sh", "-c", 'cd /proc; exec "$@"', "sh")
        done = self.run_pairbench(*INPROC, *ONE_MESSAGE, below=elsewhere)
        self.assertEqual(done.status, 0, done)
        self.assertIn("warning: cannot write", done.err)


class Plans(TestCase):
    def test_it_opens_nothing(self) -> None:
        """No host of this name, no such provider: --plan does not look for them."""
        command = ("run", "nosuch.invalid", "-t", "libfabric:nosuch", "-t", "verbs", "--plan")
        done = self.run_pairbench(*command)
        self.assertEqual((done.status, done.err), (0, ""), done)
        for word in ("24 cases x 9 repeats, about", "MiB of memory", "libfabric:nosuch", "1M"):
            self.assertIn(word, done.out)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_json(self) -> None:
        done = self.run_pairbench(*INPROC, "--plan", "--json", "--sizes", "8", "--test", "stream")
        plan = json.loads(done.out)
        self.assertEqual([case["size_bytes"] for case in plan["cases"]], [8])

    def test_presets(self) -> None:
        for preset, extent in (
            ("smoke", "6 cases x 1 repeat,"),
            ("quick", "12 cases x 9 repeats,"),
            ("full", "69 cases x 12 repeats,"),
        ):
            with self.subTest(preset=preset):
                done = self.run_pairbench(*INPROC, "--plan", "--preset", preset)
                self.assertIn(extent, done.out)
        done = self.run_pairbench(*INPROC, "--plan", "--preset", "full", "--repeats", "2")
        self.assertIn("69 cases x 2 repeats,", done.out)


class Devices(TestCase):
    def test_table(self) -> None:
        done = self.run_pairbench("devices")
        self.assertEqual((done.status, done.err), (0, ""))
        self.assertRegex(done.out, r"(?m)^inproc +- +up")
        if why_not("libfabric:tcp"):
            self.assertIn("built without libfabric", done.out)
        else:
            self.assertRegex(done.out, r"(?m)^libfabric:tcp/\S+ ")
            self.assertIn("pairbench run OTHER -t libfabric:", done.out)

    def test_all_shows_limits(self) -> None:
        done = self.run_pairbench("devices", "--all")
        self.assertEqual(done.status, 0)
        self.assertIn("depths", done.out)

    def test_json(self) -> None:
        document = json.loads(self.run_pairbench("devices", "--json").out)
        rows = {row["transport"]: row for row in document["devices"]}
        self.assertTrue(rows["inproc"]["usable"])
        for row in document["devices"]:
            self.assertTrue(row["usable"] or row["note"], row)

    @needs_libfabric
    def test_what_is_listed_can_be_measured(self) -> None:
        document = json.loads(self.run_pairbench("devices", "--json").out)
        names = [row["transport"] for row in document["devices"] if row["usable"]]
        for name in names:
            if re.match(r"libfabric:(tcp/lo|shm)|inproc", name):
                with self.subTest(transport=name):
                    self.measure("local", "-t", name, *ONE_MESSAGE)

    def test_help_and_version(self) -> None:
        for words in (["--help"], ["run", "--help"], ["serve", "--help"], ["--version"]):
            done = self.run_pairbench(*words)
            self.assertEqual((done.status, done.err), (0, ""))
            self.assertIn("pairbench", done.out)


if __name__ == "__main__":
    main()
