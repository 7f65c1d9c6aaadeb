"""Locks that end with the processes that hold them."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


def take(path: Path) -> int | None:
    """Lock a file. The descriptor holds the lock; `None` when another process has it.

    A child that inherits the descriptor holds the lock too, as long as it lives.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
