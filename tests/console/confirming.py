"""Confirmations of actions on a queue or a lane, opened and sent as their pages offer it."""

from __future__ import annotations

from tests.console.scene import Scene
from tests.console.walking import send

Q = "/q/prod/orders"


def html(answer) -> str:
    """The text of an answer that is a page."""
    assert answer.status_code == 200
    return answer.content.decode()


def ask(who, verb: str, query: str = "") -> str:
    """The confirmation of a verb."""
    return html(who.get(f"{Q}/{verb}{query}"))


def confirm(who, verb: str, page: str, **fields: object):
    """Send a confirmation with what it carries, and these fields."""
    return send(who, f"{Q}/{verb}", page, **fields)


def scheduled(scene: Scene, *jobs: str, at: float = 1) -> None:
    """Jobs that wait for an instant, unix ms."""
    for job_id in jobs:
        scene.row(job_id, state="scheduled")
        scene.store.zadd(scene.key("schedule"), {job_id: at})
