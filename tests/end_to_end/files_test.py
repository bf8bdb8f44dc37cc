"""Where a document cannot be written as it should: the old file stays or a valid new one is there, never a torn one."""

import json
import os
import shutil
import signal
import time
from typing import Any

from support import PATIENCE, Done, Process, TestCase, main, mounting, needs_mounts

INPROC = ("local", "-t", "inproc", "--iters", "2", "--warmup", "0")
LITTLE = ("--repeats", "1", "--sizes", "8", "--test", "pingpong")
# Slow enough that its folder can be removed meanwhile.
SLOW = "local -t inproc --sizes 8 --test pingpong --duration 20ms --warmup 0 --completion yield".split()
# More than fits the disk, which takes the first repeats.
MUCH = ("--repeats", "60", "--sizes", "8,64")
CLOSED = ("sh", "-c", 'exec "$@" >&-', "sh")


@needs_mounts
class FullDisk(TestCase):
    """A disk of 64 KiB, seen through the copy of it that is made at the end."""

    def run_there(self, *arguments: str, before: str = "true") -> Done:
        disk = self.folder / "disk"
        disk.mkdir()
        copy = (
            f'{{ cd {disk} && {before} && "$@"; s=$?; cp -r . {self.folder}/kept; exit $s; }} && :'
        )
        below = mounting("size=64K", f"{disk}", copy)
        refuge = {"TMPDIR": str(self.folder / "tmp")}
        return self.run_pairbench(*INPROC, *arguments, below=below, environment=refuge)

    def kept(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "kept").iterdir())

    def shown(self, name: str) -> Any:
        done = self.run_pairbench("show", f"kept/{name}", "--json")
        self.assertEqual(done.status, 0, done)
        return self.document(done.out)

    def test_the_run_goes_on_and_says_so_once(self) -> None:
        done = self.run_there(*MUCH, "--out", "r.json", "--json")
        self.assertEqual(done.status, 1, done)
        self.assertEqual(done.err.count("cannot append to r.json.partial"), 1)
        self.assertEqual(self.kept(), ["r.json.partial"])

    def test_what_was_measured_is_kept_and_printed(self) -> None:
        done = self.run_there(*MUCH, "--out", "r.json")
        self.assertEqual(done.status, 1, done)
        self.assertEqual(done.out.count("\n     64 "), 2)
        self.assertIn("No space left on device", done.err)
        self.assertIn("part of what was measured is in r.json.partial", done.err)
        document = self.shown("r.json.partial")
        self.assertFalse(document["run"]["complete"])
        counts = [len(case["repeats"]) for case in document["cases"]]
        self.assertGreater(min(counts), 0)
        self.assertLess(max(counts), 60)

    def test_all_that_was_measured_is_kept_where_there_is_room(self) -> None:
        refuge = self.folder / "tmp"
        refuge.mkdir()
        done = self.run_there(*MUCH, "--out", "r.json")
        self.assertEqual(done.status, 1, done)
        [kept] = refuge.iterdir()
        self.assertIn(f"what was measured is in {kept}\n", done.err)
        document = self.document(kept.read_text())
        self.assertTrue(document["run"]["complete"])
        self.assertEqual({len(case["repeats"]) for case in document["cases"]}, {60})

    def test_an_old_file_stays(self) -> None:
        old = "printf old >r.json"
        done = self.run_there(*MUCH, "--out", "r.json", "--force", before=old)
        self.assertEqual(done.status, 1, done)
        self.assertEqual((self.folder / "kept/r.json").read_text(), "old")
        self.assertEqual(self.kept(), ["r.json", "r.json.partial"])

    def test_full_from_the_start(self) -> None:
        full = "{ head -c 65536 /dev/zero >filler; true; }"
        done = self.run_there(*LITTLE, "--out", "r.json", before=full)
        self.assertEqual(done.status, 1, done)
        self.assertIn("No space left on device", done.err)
        self.assertEqual(self.kept(), ["filler"])


class Places(TestCase):
    @needs_mounts
    def test_a_read_only_folder(self) -> None:
        (self.folder / "disk").mkdir()
        below = mounting("ro", f"{self.folder}/disk", f"cd {self.folder}/disk &&")
        asked = self.run_pairbench(*INPROC, *LITTLE, "--out", "r.json", below=below)
        self.assertEqual((asked.status, asked.out), (1, ""), asked)
        self.assertIn("Read-only file system", asked.err)
        default = self.run_pairbench(*INPROC, *LITTLE, below=below)
        self.assertEqual(default.status, 0, default)
        self.assertIn("warning: cannot write pairbench-", default.err)

    def test_a_file_size_limit_leaves_the_old_file(self) -> None:
        (self.folder / "r.json").write_text("old")
        limited = ("prlimit", "--fsize=9000", "--")
        command = (*INPROC, *MUCH, "--out", "r.json", "--force")
        done = self.run_pairbench(*command, below=limited)
        self.assertEqual(done.status, 1, done)
        self.assertEqual(done.err.count("cannot append to"), 1)
        self.assertIn("File too large", done.err)
        self.assertEqual((self.folder / "r.json").read_text(), "old")
        partial = self.run_pairbench("show", "r.json.partial", "--json")
        self.assertEqual(partial.status, 0, partial)
        self.assertFalse(self.document(partial.out)["run"]["complete"])


class Reading(TestCase):
    """A result is a file, or standard input for `-`; nothing else is waited for."""

    def refused(self, cause: str, *command: str) -> None:
        done = self.run_pairbench(*command, within=20)
        self.assertEqual((done.status, done.out), (1, ""), done)
        self.assertIn(cause, done.err)

    def test_what_is_no_file_is_refused_by_its_kind(self) -> None:
        os.mkfifo(self.folder / "fifo")
        kinds = {
            "/dev/zero": "character device, not a file",
            "fifo": "pipe that nobody writes to",
            ".": "folder",
        }
        commands: list[tuple[str, ...]] = [("show",), ("compare",)]
        if "built without" not in self.run_pairbench("report", "-o", "r.html", "none.json").err:
            commands.append(("report", "-o", "r.html"))
        for command in commands:
            for name, kind in kinds.items():
                with self.subTest(command=command, name=name):
                    self.refused(f"it is a {kind}", *command, name)

    def test_a_file_of_the_kernels_is_not_waited_for(self) -> None:
        done = self.run_pairbench("show", "/proc/kmsg", within=20)
        self.assertEqual((done.status, done.out), (1, ""), done)

    def test_a_file_that_is_too_large(self) -> None:
        with (self.folder / "large.json").open("wb") as file:
            file.truncate(1 << 31)
        self.refused(
            f"it has {1 << 31} bytes, a result has at most {1 << 30}", "show", "large.json"
        )

    def test_standard_input(self) -> None:
        done = self.run_pairbench(*INPROC, *LITTLE, "--out", "r.json", "-q")
        self.assertEqual(done.status, 0, done)
        piped = ("sh", "-c", 'cat r.json | "$@"', "sh")
        shown = self.run_pairbench("show", "-", below=piped)
        self.assertEqual(shown.out, self.run_pairbench("show", "r.json").out)
        self.assertEqual((shown.status, shown.err), (0, ""))
        self.assertEqual(self.run_pairbench("compare", "r.json", "-", below=piped).status, 0)
        substituted = ("bash", "-c", 'exec "$@" <(cat r.json)', "bash")
        self.assertEqual(self.run_pairbench("show", below=substituted).out, shown.out)
        twice = self.run_pairbench("compare", "-", "-", below=piped)
        self.assertEqual(twice.status, 2, twice)
        self.refused("standard input: the file is empty", "show", "-")


class Contradictions(TestCase):
    def test_end_before_any_verdict(self) -> None:
        words = ("--repeats", "6", "--sizes", "8", "--test", "pingpong", "--out", "r.json", "-q")
        done = self.run_pairbench(*INPROC, *words)
        self.assertEqual(done.status, 0, done)
        document = self.document((self.folder / "r.json").read_text())
        document["cases"].append(document["cases"][0])
        (self.folder / "twice.json").write_text(json.dumps(document))
        for command in (("show", "twice.json"), ("compare", "r.json", "twice.json")):
            refused = self.run_pairbench(*command)
            self.assertEqual((refused.status, refused.out), (1, ""), refused)
            self.assertIn(
                "twice.json: pingpong of 8 bytes over inproc: cases[1]: cases[0] is the same",
                refused.err,
            )


class RemovedFolder(TestCase):
    """The place is gone when the run ends: everything is in the folder of temporary files."""

    def start_there(self, refuge: str, repeats: str) -> Process:
        place = self.folder / "there"
        place.mkdir()
        (self.folder / "tmp").mkdir()
        run = self.start(*SLOW, "--repeats", repeats, "--out", str(place / "r.json"), TMPDIR=refuge)
        partial = place / "r.json.partial"
        deadline = time.monotonic() + PATIENCE
        while not partial.exists() or partial.read_bytes().count(b"\n") < 2:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)
        shutil.rmtree(place)
        return run

    def test_at_the_end_of_the_run(self) -> None:
        done = self.start_there(str(self.folder / "tmp"), "50").finish()
        self.assertEqual(done.status, 1, done)
        [kept] = (self.folder / "tmp").iterdir()
        self.assertRegex(
            done.err, r"cannot write .*/r\.json.*\n  cause:  No such file or directory"
        )
        self.assertIn(f"what was measured is in {kept}\n", done.err)
        [case] = self.document(kept.read_text())["cases"]
        self.assertEqual(len(case["repeats"]), 50)

    def test_on_an_interrupt(self) -> None:
        run = self.start_there(str(self.folder / "tmp"), "1000")
        run.signal(signal.SIGINT)
        done = run.finish()
        self.assertEqual(done.status, 130, done)
        [kept] = (self.folder / "tmp").iterdir()
        self.assertRegex(done.err, rf"  saved:  cannot write .*; what was measured is in {kept}\n")
        document = self.document(kept.read_text())
        self.assertFalse(document["run"]["complete"])
        self.assertGreater(len(document["cases"][0]["repeats"]), 0)

    def test_with_nowhere_else_to_go(self) -> None:
        run = self.start_there(str(self.folder / "none"), "50")
        done = run.finish()
        self.assertEqual(done.status, 1, done)
        self.assertIn("r.json.partial is gone as well", done.err)
        self.assertIn("\n      8 ", done.out)


class ClosedOutput(TestCase):
    def test_the_document_is_written_all_the_same(self) -> None:
        for words in ((), ("--json",)):
            with self.subTest(words=words):
                command = (*INPROC, *LITTLE, *words, "--out", "r.json", "--force")
                done = self.run_pairbench(*command, below=CLOSED)
                self.assertEqual(done.status, 1, done)
                self.assertIn("cannot write to standard output", done.err)
                document = self.document((self.folder / "r.json").read_text())
                self.assertTrue(document["run"]["complete"])
                self.assertEqual([path.name for path in self.folder.iterdir()], ["r.json"])

    def test_nothing_meant_for_it_gets_into_a_file(self) -> None:
        done = self.run_pairbench(
            *INPROC, *LITTLE, "--json-stream", "--out", "r.json", below=CLOSED
        )
        self.assertEqual(done.status, 1, done)
        self.assertIn("cannot write to standard output", done.err)
        if (self.folder / "r.json").exists():
            self.document((self.folder / "r.json").read_text())

    def test_the_other_commands(self) -> None:
        for words in (["devices"], ["--help"], ["--version"]):
            with self.subTest(words=words):
                done = self.run_pairbench(*words, below=CLOSED)
                self.assertEqual(done.status, 1, done)


if __name__ == "__main__":
    main()
