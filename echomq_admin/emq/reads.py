"""The door of the reads: plain read commands, bounded work, frozen answers.

Every page costs at most three round trips, whatever the size of the set, and is judged by
the TIME that its first round trip brought along. A key of the wrong type or a broken row
becomes a fault of its own cell; connection trouble stays redis-py's own exceptions.
"""

from .counts import QueueCounts, counts, exists, server_now_ms
from .detail import JobDetail, whole_row
from .pages import MAX_LIMIT, JobPage, dead_page, pending_page, scheduled_page
from .preview import Fate, Preview, Verdict, sweep_preview
from .rows import Job, Text
from .timeline import (
    EXPIRING_MS,
    ActivePage,
    Bin,
    Lease,
    Marks,
    Phase,
    active_page,
    phase_of,
)

__all__ = [
    "EXPIRING_MS",
    "MAX_LIMIT",
    "ActivePage",
    "Bin",
    "Fate",
    "Job",
    "JobDetail",
    "JobPage",
    "Lease",
    "Marks",
    "Phase",
    "Preview",
    "QueueCounts",
    "Text",
    "Verdict",
    "active_page",
    "counts",
    "dead_page",
    "exists",
    "pending_page",
    "phase_of",
    "scheduled_page",
    "server_now_ms",
    "sweep_preview",
    "whole_row",
]
