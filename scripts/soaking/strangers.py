"""Who else knocks at a server's port: whoever it is, the server goes on."""

import random
import socket
import struct
import threading
import time


def knock(version: int = 1, step: int = 0) -> bytes:
    return b"PAIRBNCH" + struct.pack(">HB5x", version, step)


KNOCK = knock()


def frame(body: bytes, length: int | None = None) -> bytes:
    return struct.pack(">I", len(body) if length is None else length) + body


def sayings(chance: random.Random) -> list[bytes]:
    """What a stranger says before it leaves or falls silent."""
    return [
        b"",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        chance.randbytes(chance.randrange(1, 4096)),
        KNOCK[: chance.randrange(1, len(KNOCK))],
        knock(version=999),
        knock(step=1),  # asks for a challenge, and then knows no secret
        knock(step=1) + chance.randbytes(32),
        knock(step=1) + chance.randbytes(32) + knock(step=3) + chance.randbytes(32),
        KNOCK,
        KNOCK + frame(b"", 0xFFFFFFFF),
        KNOCK + frame(b"{" * 60000),
        KNOCK + frame(b'{"type":"hello"}'),
        KNOCK + frame(b'{"type":"plan","plan":{"repeats":-1}}'),
        KNOCK + frame(chance.randbytes(200)),
        KNOCK + frame(b'{"type":"hello"', 60000),
    ]


class Strangers(threading.Thread):
    """Knock at random moments, one at a time, until they are told to leave."""

    def __init__(self, port: int, chance: random.Random) -> None:
        super().__init__(daemon=True)
        self._port = port
        self._chance = chance
        self._over = threading.Event()
        self.visits = 0

    def run(self) -> None:
        while not self._over.wait(self._chance.uniform(0.05, 1)):
            try:
                self._visit()
            except OSError:
                pass  # shown the door

    def _visit(self) -> None:
        with socket.create_connection(("127.0.0.1", self._port), 5) as connection:
            self.visits += 1
            connection.sendall(self._chance.choice(sayings(self._chance)))
            time.sleep(self._chance.choice((0, 0, 0.05, 0.5)))

    def leave(self) -> None:
        self._over.set()
        self.join(10)
