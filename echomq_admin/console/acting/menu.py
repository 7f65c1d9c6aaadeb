"""The actions on a whole queue that can work now."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.console.places import Place
from echomq_admin.operations.actions import ACTIONS, Action, Consent


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the menu. `count` is how many it is about, `None` for no number. `way` is "press"
    for one that is done at once, "ask" for a confirmation, "page" for a page of its own."""

    verb: str
    label: str
    url: str
    way: str
    count: int | None = None

    @property
    def is_grave(self) -> bool:
        return ACTIONS[self.verb].destroys


def menu(place: Place, user) -> list[Item]:
    """What the user may do with the queue and what would change something; empty for nothing."""
    counts = place.counts
    if counts is None:
        return []
    waiting = (counts.pending or 0) + (counts.scheduled or 0)
    wanted = [
        ("pause", None, counts.paused is not True),
        ("resume", None, counts.paused is not False),
        ("promote", counts.due, bool(counts.due)),
        ("reap", counts.lapsed, bool(counts.lapsed)),
        ("reap_group", None, bool(counts.lapsed and counts.lanes)),
        ("drain", None, waiting > 0),
        ("obliterate", None, bool(counts.paused)),
    ]
    return [
        _item(place, verb, count)
        for verb, count, can_work in wanted
        if can_work and place.may(user, verb)
    ]


def _item(place: Place, verb: str, count: int | None) -> Item:
    action, way = ACTIONS[verb], _way(ACTIONS[verb])
    label = action.label if way == "press" else f"{action.label}…"
    return Item(verb, label, place.url_of(verb), way, count)


def _way(action: Action) -> str:
    if action.address == "own":
        return "page"
    return "press" if action.consent is Consent.CLICK and not action.args else "ask"
