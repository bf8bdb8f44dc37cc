"""The smallest run there is, again and again: every one ends well."""

from support import ONE_MESSAGE, TestCase, main, needs_libfabric

TRANSPORTS = ("libfabric:tcp", "libfabric:shm")


class ManyRuns(TestCase):
    def one_run(self, *command: str) -> None:
        done = self.run_pairbench(*command, *ONE_MESSAGE, "--no-save", "-q", within=30)
        self.assertEqual((done.status, done.err), (0, ""), done.out)
        rows = [line for line in done.out.splitlines() if not line.startswith("#")]
        self.assertEqual(len(rows), 2, done.out)

    def runs(self, transport: str, count: int) -> None:
        """Most of them with one server, some with one of their own."""
        server = self.serve("-q")
        for n in range(count):
            ways = ("local",) if n % 10 == 0 else ("run", server.address)
            self.one_run(*ways, "-t", transport)
        self.assertTrue(server.is_running())


@needs_libfabric
class Hundred(ManyRuns):
    def test_over_tcp(self) -> None:
        self.runs(TRANSPORTS[0], 100)

    def test_over_shm(self) -> None:
        self.runs(TRANSPORTS[1], 100)


@needs_libfabric
class LongThousand(ManyRuns):
    def test_over_tcp(self) -> None:
        self.runs(TRANSPORTS[0], 1000)

    def test_over_shm(self) -> None:
        self.runs(TRANSPORTS[1], 1000)


if __name__ == "__main__":
    main()
