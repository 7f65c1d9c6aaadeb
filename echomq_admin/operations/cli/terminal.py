"""Writing to somebody who may stop reading, may have closed the door, or has no room left."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TextIO


def have_streams() -> None:
    """A stream that was closed before the start (`>&-`) leads nowhere instead of being `None`."""
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()


def written(stream: TextIO, write: Callable[[], object]) -> str:
    """Write; when that fails, the rest goes nowhere, and what the command does goes on.

    Returns why the answer could not be written, as a sentence; it is empty when it was, or when
    the reader has gone (`| head`). What is still buffered must find an open descriptor at the end
    of the process, or the interpreter complains in place of the command.
    """
    try:
        write()
    except OSError as error:
        with _nowhere() as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
        if not isinstance(error, BrokenPipeError):
            return f"The answer could not be written: {error.strerror or 'the output failed'}."
    return ""


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")
