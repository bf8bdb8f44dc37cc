"""What the tests over soft EFA devices (tests/soft_efa) share: hosts whose devices count what went through them."""

import sys
from typing import Any

from support import ROOT, Server, TestCase

sys.path.insert(0, str(ROOT / "tests" / "soft_efa"))
from soft_efa import Host as Host, lacks_efa_direct as lacks_efa_direct  # noqa: E402

EFA = "libfabric:efa"
EVERY_TEST = ("--test", "pingpong,stream,bistream")
SECURITY_GROUP = "the security group must allow all traffic to and from itself, both directions"
NOT_READY = "provider error 10: the peer had no receive posted (receiver not ready)"
# A device gives up after this where a test says so, and a busy machine may add some seconds.
TIMEOUT_MS = 1000
SLACK = 6.0
LITTLE = ("--iters", "20", "--warmup", "2", "--repeats", "1")


class EfaCase(TestCase):
    def host(self, name: str, **settings: object) -> Host:
        host = Host(self.folder, name, **settings)
        self.addCleanup(host.sweep)
        return host

    def server_on(self, host: Host) -> Server:
        return self.serve("-q", environment=host.environment)

    def measured(self, host: Host, *arguments: str, within: float = 120) -> Any:
        """A run from `host` that must end well; its document."""
        command = (*arguments, "--no-save", "--json")
        done = self.run_pairbench(*command, within=within, environment=host.environment)
        self.assertEqual(done.status, 0, done)
        document = self.document(done.out)
        self.assertTrue(document["run"]["complete"])
        self.assertEqual({case["status"] for case in document["cases"]}, {"ok"})
        self.assert_counts_equal(document)
        return document

    def assert_carried(self, document: Any, *hosts: Host) -> None:
        """The devices carried every message that the document speaks of, and lost no completion."""
        received = sum(host.counted("messages_received") for host in hosts)
        spoken_of = sum(
            repeat[end]["messages_received"]
            for case in document["cases"]
            for repeat in case["repeats"]
            for end in ("initiator", "responder")
        )
        self.assertGreaterEqual(received, spoken_of)
        self.assertGreater(spoken_of, 0)
        self.assertEqual(sum(host.counted("overruns") for host in hosts), 0)
        print(f"{received} messages over EFA, {spoken_of} of them measured", file=sys.stderr)
