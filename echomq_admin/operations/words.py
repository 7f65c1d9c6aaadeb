"""What became of a job, in words: short for counting, whole for the row that caused it."""

from __future__ import annotations

from dataclasses import dataclass

# Why no action sets the attempts of a job back.
ATTEMPTS_STAY = "Attempts stay: no later worker may get the number of an earlier one."


@dataclass(frozen=True)
class Word:
    """`one` and `many` follow a number ("1 row missing"); `why` is the refusal, empty for success.

    `why` may hold `{token}` (the attempts that the caller saw) and `{flow}` (its part in a flow).
    """

    one: str
    many: str
    why: str = ""


def same(text: str, why: str = "") -> Word:
    """A word that reads alike after one and many."""
    return Word(text, text, why)


_GONE = Word(
    "row missing",
    "rows missing",
    "row missing: the job finished, was removed or was evicted. Nothing was moved. "
    "Where a list still shows the id, remove it to clean up.",
)
_UNREADABLE = Word(
    "unreadable row",
    "unreadable rows",
    "unreadable: its row is no hash or its attempts are no number. Nothing was moved. "
    "Repair the row, or remove the job.",
)
_CHANGED = same(
    "changed meanwhile",
    "changed meanwhile: its attempts are no longer {token}: it was claimed since. "
    "Nothing was moved. Look again before you repeat it.",
)
_LAPSED = {
    "orphaned": Word("row missing, id dropped", "rows missing, ids dropped"),
    "unreadable": same("unreadable, sent to dead"),
}
_EXISTS = Word(
    "row exists already",
    "rows exist already",
    "a job of this id exists already. Nothing was written. Choose another id.",
)


def _child(what: str, way_out: str) -> Word:
    return Word(
        "part of a flow",
        "parts of a flow",
        f"{{flow}}. It was not {what}. Look at the flow first, or {way_out}.",
    )


REQUEUE = {
    "requeued": same("requeued"),
    "gone": _GONE,
    "unreadable": _UNREADABLE,
    "not_dead": same(
        "no longer dead",
        "no longer dead: it is waiting again or was taken by a worker.",
    ),
    "changed": _CHANGED,
}
RETURN_TO_DEAD = {
    "returned": same("returned to dead"),
    "gone": same(
        "no longer there",
        "no longer there: it finished, or was removed since. There is nothing to take back.",
    ),
    "unreadable": _UNREADABLE,
    "not_waiting": same(
        "no longer waiting",
        "no longer waiting: a worker took it, or it was moved elsewhere. It was left where it is.",
    ),
    "changed": _CHANGED,
}
SWEEP = {"recovered": same("recovered"), "dead": same("dead"), **_LAPSED}
REAP = {"recovered": same("put back"), **_LAPSED}
RECOVER_NOW = {"recovered": same("recovered"), "dead": same("dead")}
EXTEND = {"extended": same("extended")}
PROMOTE_NOW = {
    "promoted": same("promoted"),
    "gone": _GONE,
    "unreadable": _UNREADABLE,
    "not_scheduled": same(
        "no longer scheduled",
        "no longer scheduled: its time came or it was moved.",
    ),
    "changed": _CHANGED,
}
BURY = {
    "buried": same("buried"),
    "gone": _GONE,
    "unreadable": _UNREADABLE,
    "already_dead": same(
        "dead already",
        "dead already: nothing was changed. It is in the list of dead jobs.",
    ),
    "changed": _CHANGED,
    "active": same(
        "active",
        "active: a worker holds its lease, so it was not buried. "
        "Look at it again before you bury it, or bury it by force.",
    ),
    "child": _child("buried", "bury it by force"),
}
REMOVE = {
    "removed": same("removed"),
    "gone": Word(
        "gone already",
        "gone already",
        "gone already: it has no row and no list holds it. There is nothing left to remove.",
    ),
    "changed": _CHANGED,
    "active": same(
        "now running",
        "now running, not removed: a worker holds its lease. Wait until it ends, "
        "or remove it by force, which takes the lease away.",
    ),
    "locked": same(
        "locked",
        "locked, not removed: a worker's presence marker stands. Wait until it expires, "
        "or remove it by force.",
    ),
    "child": _child("removed", "remove it by force"),
    "too_large": same(
        "too large for the trash",
        "too large for the trash, not removed: it takes more than 8 MB in the server's memory, or "
        "the jobs of this call together more than 64 MB. Remove fewer at a time, or delete it "
        "for good.",
    ),
    "unkept": same(
        "not kept in the trash",
        "not removed: its row is no hash, or the server does not let the console read all of it, "
        "so it cannot be kept in the trash. Delete it for good.",
    ),
}
RESTORE = {
    "restored": same("restored"),
    "exists": Word(
        "exists again",
        "exist again",
        "exists again: a job of this id has a row, or a list holds it. It was not touched, and "
        "what was removed stays in the trash.",
    ),
    "unreadable": same(
        "without a sound lane",
        "not restored: its lane is no sorted set, so it could not wait there. Repair the lane "
        "first. It stays in the trash.",
    ),
    "not_kept": same(
        "not in the trash",
        "not in the trash: it was restored, or its time there is over.",
    ),
    "under_way": same(
        "being restored already",
        "not restored: another call is restoring it just now. Look again in a moment.",
    ),
    "too_large": same(
        "left for the next call",
        "left for the next call: the jobs of this one are too large together. It stays in the "
        "trash; restore fewer at a time.",
    ),
}
UPDATE_PAYLOAD = {"updated": same("updated")}
ENQUEUE = {"enqueued": same("enqueued"), "exists": _EXISTS}
SCHEDULE = {"scheduled": same("scheduled"), "exists": _EXISTS}
