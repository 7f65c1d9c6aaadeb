"""How the endings of leases look: a word, a colour and a shape for each kind."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.endings.wording import late, within

__all__ = ["LOOKS", "MEANS", "SOURCES", "Look", "late", "within"]


@dataclass(frozen=True)
class Look:
    """`css` is the class of a chip, `icon` a shape of the sprite; a picture draws the same."""

    word: str
    css: str
    icon: str


LOOKS = {
    EndingKind.RECOVERED: Look("stalled, recovered", "soon", "expiring"),
    EndingKind.DEAD: Look("stalled, dead", "dead", "dead"),
    EndingKind.REAPED: Look("reaped", "plain", "info"),
    EndingKind.FAILED: Look("dead by attempts", "lapsed", "lapsed"),
    EndingKind.OPERATOR: Look("ended by an operator", "choice", "done"),
    EndingKind.UNCERTAIN: Look("uncertain", "plain", "unread"),
}
MEANS = {
    EndingKind.RECOVERED: "its lease lapsed, and a sweep put it back with one stall more",
    EndingKind.DEAD: "its lease lapsed once too often, and a sweep sent it to dead",
    EndingKind.REAPED: "its lease lapsed, and a reap put it back without a count",
    EndingKind.FAILED: "its worker reported a failure, and it had no attempt left",
    EndingKind.OPERATOR: "a person buried or removed it while a worker held it",
    EndingKind.UNCERTAIN: "it was seen to end, but more than one thing may have ended it",
}
SOURCES = {
    Source.SCRIPT: ("exact", "the script that ended it wrote it down"),
    Source.OBSERVER: ("observed", "the agent saw the lease, and then what was left of it"),
    Source.FOUND: ("found dead", "the agent met the job among the dead, when this lease was over"),
}
