"""A text that is there for other commands while something runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def left(path: Path, text: str) -> Iterator[None]:
    """Keep `text` in a file that its owner alone may read (mode 0600), gone at the end.

    It appears whole or not at all. One that a killed process left behind is replaced.
    """
    made = path.with_name(f"{path.name}.{os.getpid()}")
    made.unlink(missing_ok=True)
    with open(made, "x", encoding="ascii", opener=_private) as file:
        file.write(text)
    made.replace(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
