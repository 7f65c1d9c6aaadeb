"""How the endings of leases look, wherever they are shown: a word, a colour and a shape for each
kind, what kinds and sources mean, and what is shown of lanes and errors."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.console import payloads
from echomq_admin.console.payloads import Sight
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.emq.rows import Text
from echomq_admin.fleet.names import brief
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.endings.told import Told


@dataclass(frozen=True)
class Look:
    """`css` is the class of a chip, `icon` a shape of the sprite; a picture draws the same."""

    word: str
    css: str
    icon: str


LOOKS = {
    kind: Look(kind.label, css, icon)
    for kind, css, icon in (
        (EndingKind.RECOVERED, "soon", "expiring"),
        (EndingKind.DEAD, "dead", "dead"),
        (EndingKind.REAPED, "plain", "info"),
        (EndingKind.FAILED, "lapsed", "lapsed"),
        (EndingKind.OPERATOR, "choice", "done"),
        (EndingKind.UNCERTAIN, "plain", "unread"),
    )
}
MEANS = {
    EndingKind.RECOVERED: "its lease lapsed, and a sweep put it back with one stall more",
    EndingKind.DEAD: "its lease lapsed once too often, and a sweep sent it to dead",
    EndingKind.REAPED: "its lease lapsed, and a reap put it back without a count",
    EndingKind.FAILED: "its worker reported a failure, and it had no attempt left",
    EndingKind.OPERATOR: "a person buried or removed it while a worker held it",
    EndingKind.UNCERTAIN: "it is over, and more than one thing may have ended it",
}
# A word and what it means.
SOURCES = {
    source: (source.label, means)
    for source, means in (
        (Source.SCRIPT, "the script that ended it wrote it down"),
        (Source.OBSERVER, "the agent saw the lease, and then what was left of it"),
        (Source.FOUND, "the agent met the job among the dead, when this lease was over"),
    )
}


def lane_word(lane: str | None, is_cut: bool, most: int = 60) -> str:
    """The name of a lane as a list shows it; empty for none."""
    if lane is None:
        return ""
    return f"{brief(lane, most)}…" if is_cut else brief(lane, most)


def error_of(told: Told) -> Sight | None:
    """The error, of a long one what is kept; its last character may be cut in two."""
    if told.error is None:
        return None
    is_cut = told.error_size is not None and told.error_size > len(told.error)
    kept = to_wire(payloads.lossless(told.error, cut=True)) if is_cut else told.error
    seen = payloads.sight(Text(len(kept), kept))
    if not is_cut or told.error_size is None:
        return seen
    more = f"the beginning of {payloads.size(told.error_size)}"
    return Sight(seen.line, seen.full, "; ".join(filter(None, (seen.kind, more))))
