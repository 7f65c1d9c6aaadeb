"""The door of the reads: plain read commands, bounded work, frozen answers.

Every page costs at most three round trips, whatever the size of the set, and is judged by
the TIME that its first round trip brought along. A key of the wrong type or a broken row
becomes a fault of its own cell; connection trouble stays redis-py's own exceptions.
"""

from .clearing import DrainLook, Hoard, drain_look, hoard
from .counts import QueueCounts, counts, exists, server_now_ms
from .cursors import At
from .detail import JobDetail, JobLook, job_look, whole_row
from .lane_pages import Lane, LanePage, lane_page, lane_state
from .lane_windows import LaneLook
from .lanes import LaneState, Rota
from .logs import LogPage, log_page
from .pages import MAX_LIMIT, JobPage, dead_page, pending_page, scheduled_page
from .preview import (
    Fate,
    Preview,
    Verdict,
    reap_group_preview,
    reap_preview,
    sweep_preview,
)
from .repeats import Repeatable, RepeatPage, repeat_page
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
    "At",
    "Bin",
    "DrainLook",
    "Fate",
    "Hoard",
    "Job",
    "JobDetail",
    "JobLook",
    "JobPage",
    "Lane",
    "LaneLook",
    "LanePage",
    "LaneState",
    "Lease",
    "LogPage",
    "Marks",
    "Phase",
    "Preview",
    "QueueCounts",
    "RepeatPage",
    "Repeatable",
    "Rota",
    "Text",
    "Verdict",
    "active_page",
    "counts",
    "dead_page",
    "drain_look",
    "exists",
    "hoard",
    "job_look",
    "lane_page",
    "lane_state",
    "log_page",
    "pending_page",
    "phase_of",
    "reap_group_preview",
    "reap_preview",
    "repeat_page",
    "scheduled_page",
    "server_now_ms",
    "sweep_preview",
    "whole_row",
]
