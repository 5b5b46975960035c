"""The connections of a group that sockets connect: plain sockets with the methods of those with TLS."""

from __future__ import annotations

import socket
from typing import TypeAlias

from ferroflow import _core


class PlainSocket(socket.socket):
    """A socket without TLS."""

    def flush(self) -> bool:
        """Returns True: what was sent has left this process."""
        return True

    def pending(self) -> bool:
        """Returns False: what was received is in the system until it is read."""
        return False

    def binding(self) -> bytes:
        """Returns no bytes: the two sides share nothing that others do not see."""
        return b""


Connection: TypeAlias = PlainSocket | _core.TlsSocket
