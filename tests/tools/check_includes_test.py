#!/usr/bin/python3
"""Shows that check_includes.py passes good trees and finds each kind of bad #include."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the checkout stays clean
import check_includes  # noqa: E402


def faults(tree: dict[str, str]) -> list[str]:
    """Checks a tree given as file -> what it includes, with its quotes or brackets."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, target in tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(f"#pragma once\n#include {target}\n")
        return check_includes.faults_below(root)


class IncludeTest(unittest.TestCase):
    def allowed(self, file: str, target: str) -> None:
        self.assertEqual(faults({file: target}), [])

    def refused(self, file: str, target: str, said: str) -> None:
        found = faults({file: target})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{file}:2: error: "), found)
        self.assertIn(said, found[0])


class Rooms(IncludeTest):
    def test_a_room_includes_itself_and_its_row_of_the_table(self) -> None:
        self.allowed("src/base/a.h", '"base/b.h"')
        self.allowed("src/stats/a.cc", '"base/b.h"')
        self.allowed("src/plan/a.h", '"transport/capabilities.h"')
        self.allowed("src/transport/verbs/a.cc", '"transport/endpoint.h"')
        self.allowed("src/cli/a.cc", '"harness/session.h"')
        self.allowed("bench/pairbench.cc", '"cli/main.h"')
        self.allowed("bench/micro/a.cc", '"transport/inproc/endpoint.h"')

    def test_what_the_table_does_not_list_is_refused(self) -> None:
        self.refused("src/base/a.h", '"stats/b.h"', "base may not include")
        self.refused("src/workload/a.h", '"plan/plan.h"', "workload may not include")
        self.refused("src/plan/a.h", '"transport/endpoint.h"', "plan may not include")
        self.refused("src/harness/a.h", '"cli/b.h"', "harness may not include")
        self.refused("bench/pairbench.cc", '"plan/plan.h"', "bench may not include")
        self.refused("bench/micro/bare_libfabric/a.h", '"base/b.h"', "bare_libfabric may not")

    def test_ours_is_written_from_src_and_in_quotes(self) -> None:
        self.refused("src/base/a.cc", '"a.h"', "as seen from src")
        self.refused("src/base/a.cc", '"../base/a.h"', "as seen from src")
        self.refused("src/stats/a.cc", "<base/a.h>", 'write "base/a.h"')

    def test_a_room_that_the_table_does_not_know_is_refused(self) -> None:
        self.refused("src/extra/a.cc", "<vector>", "no room 'extra'")

    def test_spaces_do_not_hide_an_include(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "src/base/a.h")
            file.parent.mkdir(parents=True)
            file.write_text('\n#  include   "stats/b.h"  // why\n')
            self.assertEqual(len(check_includes.faults_below(Path(folder))), 1)


class Vendors(IncludeTest):
    def test_rdma_headers_stay_with_their_transport(self) -> None:
        self.allowed("src/transport/libfabric/a.h", "<rdma/fabric.h>")
        self.allowed("src/transport/verbs/a.h", "<infiniband/verbs.h>")
        self.allowed("src/harness/runner_libfabric.cc", "<rdma/fabric.h>")
        self.allowed("bench/micro/yielding_verbs.cc", "<infiniband/verbs.h>")
        for file in ("src/transport/a.h", "src/harness/session.cc", "src/cli/a.cc"):
            self.refused(file, "<rdma/fabric.h>", "alone")
            self.refused(file, "<infiniband/verbs.h>", "alone")

    def test_asio_stays_with_the_control_plane(self) -> None:
        self.allowed("src/control/a.cc", "<asio.hpp>")
        self.refused("src/harness/a.cc", "<asio.hpp>", "src/control alone")
        self.refused("src/base/a.cc", "<asio/ip/tcp.hpp>", "src/control alone")


class Cycles(unittest.TestCase):
    def test_rooms_that_include_each_other_are_found(self) -> None:
        found = faults({"src/base/a.h": '"stats/b.h"', "src/stats/c.h": '"base/d.h"'})
        self.assertTrue(any("base -> stats -> base" in fault for fault in found), found)

    def test_the_table_itself_has_none(self) -> None:
        edges = {
            room: [target for target in targets if target != check_includes.CAPABILITIES]
            for room, targets in check_includes.TABLE.items()
        }
        self.assertIsNone(check_includes.cycle_in(edges))


class Emptiness(unittest.TestCase):
    def test_a_folder_without_sources_does_not_pass(self) -> None:
        self.assertIn("no #include", faults({})[0])


if __name__ == "__main__":
    unittest.main()
