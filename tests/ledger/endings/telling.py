"""Histories of jobs as tests read them: each item as a word with its number."""

from __future__ import annotations

from echomq_admin.emq.present import Present
from echomq_admin.ledger.endings.acts import Act
from echomq_admin.ledger.endings.history import History, history
from echomq_admin.ledger.endings.lives import Flight, Lease, Life, Missing, Unseen
from tests.ledger.endings.made import NOON

A, B = "JOB0KHTOWnGLuA", "JOB0KHTOWnGLuB"
SEC = 1_000


def told(present: Present | None = None, job_id: str = A, queue: str = "orders") -> History:
    return history("prod", queue, job_id, present)


def here(held: str = "", attempts: int | None = 0, deadline_ms: int | None = None) -> Present:
    return Present(NOON + 900 * SEC, True, frozenset(held.split()), attempts, deadline_ms)


GONE = Present(NOON + 900 * SEC, False, frozenset(), None, None)


def words(life: Life) -> list[str]:
    """The items of a life, each as one word with its number."""
    return [word(item) for item in life.items]


def word(item) -> str:
    match item:
        case Lease():
            return f"{item.told.kind.name.lower()} {item.told.attempts}"
        case Missing():
            return f"missing {item.first}-{item.last}"
        case Flight():
            return f"flight {item.attempts}"
        case Unseen():
            return "gap" if item.is_of_trail else "unseen"
        case Act():
            return f"{'refused ' if item.is_refused else ''}{item.op} {item.actor}"


def only(found: History) -> list[str]:
    (life,) = found.lives
    return words(life)
