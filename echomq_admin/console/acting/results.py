"""What an action did, as the page that it leads back to tells it."""

from __future__ import annotations

from collections import defaultdict

from echomq_admin.console import links
from echomq_admin.console.acting import keeps, previews
from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.outcomes import Outcome
from echomq_admin.fleet.names import brief
from echomq_admin.operations.services import Done

LISTED = 50
_LEFT_IN = {
    **dict.fromkeys(("requeue", "promote_now"), "waiting"),
    "bury": "dead",
    "extend": "active",
    "remove": "gone",
}


def outcome(asked: Asked, done: Done) -> Outcome:
    """The outcome with its refusals; a single job is named in it, of several each by its word."""
    if told := previews.told(asked, done):
        return told
    return Outcome(
        level="part" if done.refusals else "done",
        sentence=_sentence(asked, done),
        note=" ".join(filter(None, (done.note, keeps.note(done)))),
        refusals=done.refusals,
        result={"jobs": _by_word(asked, done)} if len(done.call.job_ids) > 1 else {},
        at_ms=asked.place.now_ms,
        undo=keeps.undo(asked.action, done),
        left_in=_left_in(done),
    )


def _left_in(done: Done) -> str:
    if done.call.action == "recover_now":
        return "dead" if done.result == "dead" else "waiting"
    return _LEFT_IN.get(done.call.action, "")


def _sentence(asked: Asked, done: Done) -> str:
    if asked.action.target != "jobs" or len(done.call.job_ids) != 1 or not asked.action.outcomes:
        return done.sentence
    (job_id,) = done.call.job_ids
    success = next(iter(asked.action.outcomes.values())).one
    return f"{brief(job_id)} {'not ' if done.refusals else ''}{success}"


def _by_word(asked: Asked, done: Done) -> list[dict[str, object]]:
    """Which jobs are behind each number of the sentence, the first of them by their names."""
    by_word: dict[str, list[str]] = defaultdict(list)
    for job_id, word in done.outcomes.items():
        by_word[word].append(job_id)
    return [_group(asked, word, by_word[word]) for word in asked.action.outcomes if by_word[word]]


def _group(asked: Asked, word: str, job_ids: list[str]) -> dict[str, object]:
    server, queue = asked.place.server.name, asked.place.queue
    said, count = asked.action.outcomes[word], len(job_ids)
    return {
        "words": f"{count:,} {said.one if count == 1 else said.many}",
        "jobs": [
            (brief(job_id, 60), links.job_href(server, queue, job_id))
            for job_id in job_ids[:LISTED]
        ],
        "unlisted": max(0, count - LISTED),
    }
