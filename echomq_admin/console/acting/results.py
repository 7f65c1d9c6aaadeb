"""What an action did, as the page that it leads back to tells it."""

from __future__ import annotations

from echomq_admin.console.acting import previews
from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.outcomes import Outcome
from echomq_admin.operations.services import Done


def outcome(asked: Asked, done: Done) -> Outcome:
    """The outcome with its refusals; a single job is named in it."""
    if told := previews.told(asked, done):
        return told
    level = "part" if done.refusals else "done"
    return Outcome(level, done.sentence, done.note, done.refusals, at_ms=asked.place.now_ms)
