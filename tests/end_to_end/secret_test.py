"""`--secret-file`: who knows the secret is served, nobody else, and nothing of it is seen anywhere."""

import os
import secrets
import socket
from pathlib import Path
from typing import Any, Optional

import control
from support import ONE_MESSAGE, Process, Server, TestCase, main, needs

TCP = ("-t", "libfabric:tcp")
PROOF_SIZE = control.KNOCK_SIZE + 32


@needs("libfabric:tcp")
class Secrets(TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.words: list[str] = []
        self.right = self.secret_file("right")

    def secret_file(self, name: str, mode: int = 0o600, word: Optional[str] = None) -> str:
        """A file with a secret of its own."""
        word = secrets.token_hex(32) if word is None else word
        self.words.append(word)
        path = self.folder / name
        path.write_text(word + "\n")
        path.chmod(mode)
        return name

    def measure_with(self, server: Server, secret: Optional[str], *options: str) -> Process:
        shown = ("--secret-file", secret) if secret else ()
        return self.start("run", server.address, *TCP, *ONE_MESSAGE, "--json", *shown, *options)

    def works(self, server: Server, secret: Optional[str]) -> Any:
        done = self.measure_with(server, secret, "--no-save").finish()
        self.assertEqual(done.status, 0, done)
        return self.document(done.out)

    def refused(self, server: Server, secret: Optional[str]) -> Any:
        """The error is one document, with all that a person needs, and the server's log says the same."""
        done = self.measure_with(server, secret, "--no-save").finish()
        error = self.assert_error_document(done, 5)
        self.assertEqual(error["phase"], "hello")
        self.assertIn("127.0.0.1", error["host"])
        self.assertIn("--secret-file", error["hint"])
        server.line("told 127.0.0.1:.*: " + error["message"])
        return error

    def test_the_right_one_is_served_before_and_after_others(self) -> None:
        server = self.serve("--secret-file", self.right)
        self.works(server, self.right)
        self.assertIn("another one", self.refused(server, self.secret_file("wrong"))["message"])
        self.works(server, self.right)
        self.assertIn("needs a secret", self.refused(server, None)["message"])
        self.works(server, self.right)

    def test_one_that_the_server_has_not(self) -> None:
        server = self.serve()
        self.assertIn("has no secret", self.refused(server, self.right)["message"])
        self.works(server, None)

    def test_once_is_not_used_up_by_strangers(self) -> None:
        server = self.serve("--once", "--secret-file", self.right)
        self.refused(server, None)
        self.refused(server, self.secret_file("wrong"))
        self.works(server, self.right)
        self.assertEqual(server.finish().status, 0)

    def test_an_impostor_gets_no_measurement(self) -> None:
        """It takes every proof, and says what a server without a secret would say."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(60)
            address = f"127.0.0.1:{listener.getsockname()[1]}"
            shown = ("--secret-file", self.right)
            run = self.start("run", address, *TCP, *ONE_MESSAGE, "--json", "--no-save", *shown)
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(60)
                ask = control.receive(connection, PROOF_SIZE)
                self.assertEqual(ask[:11], control.MAGIC + b"\0\1\1")
                connection.sendall(control.MAGIC + b"\0\1\2" + bytes(5) + os.urandom(32))
                proof = control.receive(connection, PROOF_SIZE)
                connection.sendall(proof[:10] + b"\4" + proof[11:])
                error = self.assert_error_document(run.finish(), 5)
                rest = connection.recv(1)
        self.assertIn("did not prove that it knows the secret", error["message"])
        self.assertIn("does not fit", error["cause"])
        self.assertEqual(rest, b"")

    def test_strangers_in_the_proof_go_in_time_and_keep_nobody_out(self) -> None:
        server = self.serve("--secret-file", self.right)
        strangers = [control.connect(server.port) for _ in range(80)]
        for stranger in strangers:
            stranger.sendall(control.MAGIC + b"\0\1\1" + bytes(5) + os.urandom(32))
        self.works(server, self.right)
        server.line("turned away .* it did not prove within 5s that it knows the secret")
        for stranger in strangers:
            stranger.settimeout(20)
            try:
                while stranger.recv(4096):
                    pass
            except ConnectionError:
                pass
            stranger.close()
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text()
        self.assertEqual(children, "")
        self.works(server, self.right)

    def test_nothing_of_it_is_seen(self) -> None:
        server = self.serve("--secret-file", self.right)
        amount = ("--iters", "1000000000", "--test", "stream", "--sizes", "8", "--no-save")
        shown = ("--secret-file", self.right)
        run = self.start("run", server.address, *TCP, *amount, *shown)
        worker = server.session()[1]
        server.line("run from")
        seen = b""
        for pid in (server.pid, worker, run.pid):
            for file in ("cmdline", "environ", "comm"):
                seen += Path(f"/proc/{pid}/{file}").read_bytes()
        self.assertIn(b"--secret-file", seen)
        run.kill()
        kept = self.measure_with(server, self.right, "--out", "r.json", "-v").finish()
        self.refused(server, self.secret_file("wrong"))
        said = server.out.text() + server.err.text() + kept.out + kept.err
        said += (self.folder / "r.json").read_text()
        for word in self.words:
            self.assertNotIn(word, said.lower())
            self.assertNotIn(word.encode(), seen.lower())


class SecretFiles(TestCase):
    """What is no secret is refused before anything else is done, with a sentence."""

    def refused(self, name: str, reason: str) -> None:
        for command in (("serve", "--bind=127.0.0.1", "--port=0"), ("run", "127.0.0.1:9", *TCP)):
            done = self.run_pairbench(*command, "--secret-file", name, within=20)
            self.assertEqual(done.status, 1, done)
            self.assertEqual(done.out, "")
            self.assertIn(f"--secret-file: cannot take '{name}'", done.err)
            self.assertIn(reason, done.err)
            self.assertNotIn("letters", done.err)

    def file(self, content: str, mode: int = 0o600) -> str:
        (self.folder / "secret").write_text(content)
        (self.folder / "secret").chmod(mode)
        return "secret"

    def test_that_are_refused(self) -> None:
        self.refused(self.file("letters" * 8, 0o640), "chmod 600 secret")
        self.refused(self.file("letters" * 8, 0o604), "mode 0604")
        self.refused(self.file(""), "it is empty")
        self.refused(self.file("letters\n"), "it has 7 bytes, 16 are needed")
        self.refused(self.file("letters" * 600), "it has more than 4096 bytes")
        self.refused("nosuch", "No such file")
        self.refused(".", "it is no regular file")
        os.mkfifo(self.folder / "fifo", 0o600)
        self.refused("fifo", "it is no regular file")


if __name__ == "__main__":
    main()
