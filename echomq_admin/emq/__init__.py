"""The EchoMQ protocol: a keyspace and one atomic script per transition. Knows no Django."""

from .errors import EmqError, EmqKind, EmqReplay, EmqStale, EmqState, Gone
from .records import Claim, Drained, Outcome, Outcomes, Reaped, Swept
from .verbs import EchoMQ

__all__ = [
    "Claim",
    "Drained",
    "EchoMQ",
    "EmqError",
    "EmqKind",
    "EmqReplay",
    "EmqStale",
    "EmqState",
    "Gone",
    "Outcome",
    "Outcomes",
    "Reaped",
    "Swept",
]
