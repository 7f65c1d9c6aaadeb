"""The web server's process: `python -m echomq_admin.startup.web DESCRIPTOR`.

Waitress serves on a socket that the parent has bound and passes on.
"""

from __future__ import annotations

import signal
import socket
import sys

from django.conf import settings
from waitress import serve

from echomq_admin.startup.mounted import mounted

THREADS = 8


def main(descriptor: int) -> None:
    """Serve until SIGTERM; requests under way are finished."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    serve(
        mounted(),
        sockets=[socket.socket(fileno=descriptor)],
        threads=THREADS,
        ident="",
        clear_untrusted_proxy_headers=not is_behind_proxy(),
    )


def is_behind_proxy() -> bool:
    """Whether to believe what proxies say of a request: that it came by TLS, from which browser."""
    return settings.SECURE_PROXY_SSL_HEADER is not None or settings.EMQ_PROXIES > 0


if __name__ == "__main__":
    main(int(sys.argv[1]))
