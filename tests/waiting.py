"""Waiting for a condition, never for a length of time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_for(
    condition: Callable[[], T], seconds: float = 45, what: str = "", every_s: float = 0.05
) -> T:
    """The first true answer of `condition`; fails the test when there is none in time."""
    give_up_s = time.monotonic() + seconds
    pause = threading.Event()
    while not (answer := condition()):
        assert time.monotonic() < give_up_s, what or f"{condition} stayed false for {seconds} s"
        pause.wait(every_s)
    return answer
