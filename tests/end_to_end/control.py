"""The control connection as seen from outside: knocks, frames, and a tap on the wire between two ends."""

import json
import socket
import struct
import threading
from typing import Any, Callable, Iterable, NamedTuple

MAGIC = b"PAIRBNCH"
VERSION = 1
KNOCK_SIZE = 16

Message = dict[str, Any]


def knock(version: int = VERSION, order: str = ">") -> bytes:
    return MAGIC + struct.pack(order + "H", version) + bytes(6)


def frame(message: Message) -> bytes:
    text = json.dumps(message).encode()
    return struct.pack(">I", len(text)) + text


def receive(connection: socket.socket, size: int) -> bytes:
    """Exactly `size` bytes. Throws EOFError at the end of the stream."""
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def receive_frame(connection: socket.socket) -> tuple[bytes, Message]:
    """A frame, raw and decoded."""
    header = receive(connection, 4)
    body = receive(connection, struct.unpack(">I", header)[0])
    message: Message = json.loads(body)
    return header + body, message


def receive_message(connection: socket.socket) -> Message:
    """The next message that is no heartbeat."""
    while True:
        message = receive_frame(connection)[1]
        if message["type"] != "heartbeat":
            return message


def connect(port: int, host: str = "127.0.0.1", within: float = 20) -> socket.socket:
    return socket.create_connection((host, port), within)


class Moment(NamedTuple):
    """When a message passes the tap: the nth whose fields are these, or so long after."""

    type: str
    nth: int = 1
    fields: Message = {}
    delay: float = 0


class Tap:
    """Stands between `run` and `serve`. At the moment it does something, before the message goes on.

    With a delay the message goes on at once. It listens on the server's address, in the network
    namespace of the thread that makes it.
    """

    def __init__(self, server: tuple[str, int], moment: Moment, action: Callable[[], None]) -> None:
        self._server = server
        self._moment = moment
        self._action = action
        self._left = moment.nth
        self._listener = socket.create_server((server[0], 0))
        self.hit = threading.Event()
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                initiator, _ = self._listener.accept()
            except OSError:
                return
            responder = socket.create_connection(self._server)
            for ends in ((initiator, responder, KNOCK_SIZE), (responder, initiator, 0)):
                threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, knock_size: int) -> None:
        try:
            target.sendall(receive(source, knock_size))
            while True:
                raw, message = receive_frame(source)
                self._forward(raw, message, target)
        except (OSError, EOFError):
            pass
        for end, how in ((target, socket.SHUT_WR), (source, socket.SHUT_RD)):
            try:
                end.shutdown(how)
            except OSError:
                pass

    def _forward(self, raw: bytes, message: Message, target: socket.socket) -> None:
        if self._is_due(message):
            self._strike()
        target.sendall(raw)

    def _is_due(self, message: Message) -> bool:
        """Whether this message is the one."""
        if message["type"] != self._moment.type or self._left == 0:
            return False
        if any(message[key] != value for key, value in self._moment.fields.items()):
            return False
        self._left -= 1
        return self._left == 0

    def _strike(self) -> None:
        if self._moment.delay > 0:
            threading.Timer(self._moment.delay, self._act).start()
        else:
            self._act()

    def _act(self) -> None:
        self._action()
        self.hit.set()


# What comes in the place of a message, piece by piece; when it ends, the messages after it go on as they are.
Lie = Callable[[Message], Iterable[bytes]]


class Liar(Tap):
    """Stands between `run` and `serve`, and at the moment lies to the one who is to get the message."""

    def __init__(self, server: tuple[str, int], moment: Moment, lie: Lie) -> None:
        self._lie = lie
        super().__init__(server, moment, lambda: None)

    def _forward(self, raw: bytes, message: Message, target: socket.socket) -> None:
        if not self._is_due(message):
            target.sendall(raw)
            return
        self.hit.set()
        for part in self._lie(message):
            target.sendall(part)
