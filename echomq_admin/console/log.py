"""What the log of the console leaves out."""

from __future__ import annotations

import logging


class NoTraceOfTheWire(logging.Filter):
    """Keeps the line of a request that was refused as suspicious, without the traceback: what
    anyone can send is no fault of the code."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security"):
            record.exc_info = None
        return True
