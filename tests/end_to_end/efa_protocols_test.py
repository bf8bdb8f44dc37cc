"""Which of the efa provider's protocols carried what, as the soft EFA devices counted it; and fabric efa-direct."""

from typing import Any

from efa_case import EFA, EVERY_TEST, LITTLE, EfaCase, Host
from support import main

# What carries messages of a size where devices read.
PROTOCOLS = {
    "0": "eager",
    "64": "eager",
    "8K": "eager",
    "9K": "medium",
    "64K": "medium",
    "65K": "long_cts",
    "512K": "long_cts",
    "1M": "long_read",
    "8M": "long_read",
}
# What the devices count of it (tests/soft_efa/counters.h), by the table's titles.
KINDS = {
    "messages": "messages_received",
    "handshake": "handshakes",
    "eager": "eager",
    "medium": "medium",
    "long-CTS": "long_cts",
    "CTS": "clears_to_send",
    "CTS-data": "cts_data",
    "long-read": "long_read",
    "EOR": "ends_of_read",
    "reads": "reads_served",
}
# scripts/ctest_summary prints lines that begin so.
SHOWN = "shown: "


def row_of(first: str, cells: Any) -> str:
    return SHOWN + f"{first:>5}" + "".join(f"{cell:>10}" for cell in cells)


class Sweep(EfaCase):
    def setUp(self) -> None:
        super().setUp()
        self.pairs = 0

    def counted(self, size: str, **settings: object) -> tuple[int, dict[str, int]]:
        """A checked run of one size: messages measured, and what the devices counted."""
        self.pairs += 1
        a, b = (self.host(f"{name}{self.pairs}", **settings) for name in "ab")
        server = self.server_on(b)
        how = ("--check", "--test", "pingpong", "--sizes", size, *LITTLE)
        document = self.measured(a, "run", server.address, "-t", EFA, *how)
        self.assert_carried(document, a, b)
        [case] = document["cases"]
        ends = [case["repeats"][0][end] for end in ("initiator", "responder")]
        measured = sum(end["messages_received"] for end in ends)
        self.libfabric = document["transports"][0]["initiator"]["details"]["libfabric"]
        server.kill()
        return measured, {kind: a.counted(kind) + b.counted(kind) for kind in KINDS.values()}

    def check(self, protocol: str, measured: int, counts: dict[str, int]) -> None:
        """The size's protocol carried every message, no other of the larger ones any, and every packet is told.

        What is sent before the peer's handshake is not for the peer to read: the first message each way.
        """
        first = min(counts["long_cts"], 2) if protocol == "long_read" else 0
        self.assertGreaterEqual(counts[protocol], measured - first)
        for other in {"medium", "long_cts", "long_read"} - {protocol}:
            self.assertEqual(counts[other], first if other == "long_cts" else 0, other)
        self.assertGreater(counts["handshakes"], 0)
        self.assertGreaterEqual(counts["clears_to_send"], counts["long_cts"])
        self.assertEqual(counts["cts_data"] > 0, counts["long_cts"] > 0)
        self.assertGreaterEqual(counts["reads_served"], counts["long_read"])
        self.assertEqual(counts["ends_of_read"], counts["long_read"])
        told = sum(counts.values()) - counts["messages_received"] - counts["reads_served"]
        self.assertEqual(counts["messages_received"], told)

    def sweep(self, protocols: dict[str, str], title: str, **settings: object) -> None:
        rows = []
        for size, protocol in protocols.items():
            with self.subTest(size=size):
                measured, counts = self.counted(size, **settings)
                rows.append(row_of(size, counts.values()))
                self.check(protocol, measured, counts)
        print(f"{SHOWN}packets by kind, {EFA}, libfabric {self.libfabric}, {title}")
        print(row_of("size", KINDS))
        print("\n".join(rows))

    def test_packets_by_kind(self) -> None:
        self.sweep(PROTOCOLS, "devices that read")

    def test_packets_by_kind_without_reads(self) -> None:
        self.sweep(
            {"512K": "long_cts", "1M": "long_cts", "8M": "long_cts"},
            "devices that do not read",
            RDMA="none",
        )


if __name__ == "__main__":
    main()
