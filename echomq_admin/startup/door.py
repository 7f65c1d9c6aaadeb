"""The web server's socket, bound by the parent: a port that is taken is said before all else."""

from __future__ import annotations

import socket


def listen(host: str, port: int) -> socket.socket:
    """Bind a TCP socket. Raises `OSError` (a wrong name, a port that is taken or refused)."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(128)
    except OSError:
        bound.close()
        raise
    return bound


def reachable(bound: socket.socket) -> tuple[str, int]:
    """Where this machine reaches a bound socket."""
    host, port = bound.getsockname()[:2]
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port  # noqa: S104
