"""Being asked to stop, without a loop that wakes up to look."""

from __future__ import annotations

import select
import signal
import socket
from types import FrameType


class Stop:
    """Whether this process was asked to stop by SIGINT, SIGTERM or SIGHUP.

    One per process, made on the main thread. A SIGHUP that is ignored already (`nohup`)
    stays ignored; SIGINT is heard even where a shell ignores it for its background jobs.
    """

    def __init__(self) -> None:
        self.by: signal.Signals | None = None
        self._sleeper, self._waker = socket.socketpair()
        self._sleeper.setblocking(False)
        self._waker.setblocking(False)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGINT, self._ask)
        signal.signal(signal.SIGTERM, self._ask)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._ask)
        signal.signal(signal.SIGCHLD, _noticed)

    @property
    def asked(self) -> bool:
        """Whether a signal asked; `by` is the first that did."""
        return self.by is not None

    def wait(self, seconds: float) -> bool:
        """Sleep, but not past a signal or the end of a child. True when asked to stop."""
        if not self.asked and select.select([self._sleeper], [], [], seconds)[0]:
            self._sleeper.recv(4096)
        return self.asked

    def _ask(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self.by = self.by or signal.Signals(number)


def _noticed(number: int, frame: FrameType | None) -> None:
    """A signal that has a handler ends `wait`; there is nothing else to do."""
