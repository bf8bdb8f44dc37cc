"""`hello`: one message between two processes, with nothing but the printed command in common."""

import shlex

from support import Process, TestCase, main, needs


class Hello(TestCase):
    def receive(self, transport: str, *options: str) -> tuple[Process, list[str]]:
        """A receiver, and the arguments of the command that it prints, as a shell would split it."""
        receiver = self.start("hello", "-t", transport, *options)
        printed = receiver.line(r"^ *(pairbench hello -t .*)$")[1]
        program, *arguments = shlex.split(printed)
        self.assertEqual(program, "pairbench")
        return receiver, arguments

    def send_as_printed(self, transport: str) -> None:
        receiver, arguments = self.receive(transport, "--count", "1")
        sent = self.run_pairbench(*arguments)
        self.assertEqual((sent.status, sent.err), (0, ""), sent)
        self.assertIn("sent 5 bytes", sent.out)
        received = receiver.finish()
        self.assertEqual(received.status, 0, received)
        self.assertIn("5 bytes: hello", received.out)

    @needs("libfabric:tcp")
    def test_as_printed_over_tcp(self) -> None:
        self.send_as_printed("libfabric:tcp")

    @needs("libfabric:shm")
    def test_as_printed_over_shm(self) -> None:
        self.send_as_printed("libfabric:shm")

    def several(self, transport: str) -> None:
        texts = ("one two  three", "naïve, 'quoted'", "x" * 1000)
        receiver, arguments = self.receive(transport, "--count", str(len(texts)))
        for text in texts:
            sent = self.run_pairbench(*arguments[:-1], text)
            self.assertEqual(sent.status, 0, sent)
        received = receiver.finish()
        self.assertEqual(received.status, 0)
        self.assertIn("14 bytes: one two  three\n", received.out)
        self.assertIn("'quoted'\n", received.out)
        self.assertIn(f"1000 bytes: {texts[2]}\n", received.out)

    @needs("libfabric:tcp")
    def test_several_messages_over_tcp(self) -> None:
        self.several("libfabric:tcp")

    @needs("libfabric:shm")
    def test_several_messages_over_shm(self) -> None:
        self.several("libfabric:shm")

    @needs("libfabric:tcp")
    def test_an_address_where_nobody_is(self) -> None:
        receiver, arguments = self.receive("libfabric:tcp")
        receiver.kill()
        done = self.run_pairbench(*arguments, within=30)
        self.assertEqual(done.status, 5, done)

    @needs("libfabric:tcp")
    def test_no_address(self) -> None:
        for address, said in (
            ("00", "2 digits are too few"),
            ("00" * 8 + "0", "an even number is needed"),
            ("zz" * 16, "other characters than hexadecimal digits"),
            ("0" * 60001, "60001 digits"),
            ("00" * 16, "the address is of kind 16 bytes"),
        ):
            with self.subTest(address=address[:40]):
                done = self.run_pairbench("hello", "-t", "libfabric:tcp", address, "x", within=30)
                self.assertEqual((done.status, done.out), (2, ""), done)
                self.assertRegex(done.err, "^error: ")
                self.assertIn(said, done.err)
                self.assertIn("  try:    ", done.err)
                self.assertLess(len(done.err), 1000)

    def test_nothing_to_say(self) -> None:
        for words, said in ((["", "x"], "ADDRESS is empty"), (["00" * 16, ""], "TEXT is empty")):
            done = self.run_pairbench("hello", "-t", "libfabric:tcp", *words)
            self.assertEqual((done.status, done.out), (2, ""), done)
            self.assertIn(f"error: {said}", done.err)
            self.assertIn("leave it out", done.err)


if __name__ == "__main__":
    main()
