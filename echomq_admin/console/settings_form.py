"""The form of a queue's settings: what stands in each box, what holds, and who changed what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from echomq_admin.fleet import preferences
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.preferences import OWN, QueueSettings
from echomq_admin.fleet.spans import span
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.arguments import Argument, Seen
from echomq_admin.operations.refusals import Invalid

ARGS = tuple(arg for arg in ACTIONS["set_queue"].args if not isinstance(arg, Seen))
_ABOUT = {
    "max_stalled": "What a sweep starts with here: a job whose stalls reach it is sent to dead.",
    "lease_ms": "The lease that the workers of this queue usually take, in ms. With it the list of "
    "active jobs tells when each was claimed or renewed: at its deadline less this.",
    "note": "For whoever looks at this queue at night.",
}
_WHAT = {
    "max_stalled": "max stalled",
    "lease_ms": "lease length",
    "hidden": "hidden from the overview",
    "added": "added by name",
}


@dataclass(frozen=True)
class Field:
    """A box: `typed` stands in it, `was` stood in it when the person began; `now` holds, `source`
    says where from; `empty` is what holds without a value of the queue's own."""

    name: str
    label: str
    about: str
    typed: str
    was: str
    now: str
    source: str
    empty: str
    error: str


@dataclass(frozen=True)
class Change:
    """A line of the history, in words."""

    at: datetime
    by: str
    what: str
    before: str
    after: str


class SettingsForm:
    """The settings of a queue as a page shows them. `typed` is what came in of what a person
    changed, `None` for none, and `was` what stood there before, where that is not what does now.
    """

    def __init__(
        self,
        server: str,
        queue: str,
        typed: Mapping[str, str] | None = None,
        was: Mapping[str, str] | None = None,
    ) -> None:
        self.now = preferences.queue_settings(server, queue)
        self._own = preferences.own(server, queue)
        self._default = preferences.defaults(queue)
        self._typed, self._was = typed or {}, was or {}
        *self.numbers, self.note = map(self._field, ARGS)

    def _field(self, arg: Argument) -> Field:
        mine = getattr(self._own, arg.name)
        own = "" if mine is None else str(mine)
        return Field(
            name=arg.name,
            label=arg.label,
            about=_ABOUT[arg.name],
            typed=self._typed.get(arg.name, own),
            was=self._was.get(arg.name, own) if arg.name in self._typed else own,
            now=_words(arg.name, getattr(self.now, arg.name)),
            source=_source(self.now, arg.name),
            empty=_whole(self._default, arg.name),
            error=error_of(arg, self._typed),
        )


def changed_by(post: Mapping[str, str]) -> tuple[dict[str, str], dict[str, object]]:
    """What a person changed in the form, and what stood there before, cleaned.

    A form that does not say what it showed changes all that it names.
    """
    typed = {arg.name: post[arg.name] for arg in ARGS if arg.name in post}
    seen = {arg.name: _clean(arg, post.get(f"was_{arg.name}")) for arg in ARGS}
    changed = {
        arg.name: typed[arg.name]
        for arg in ARGS
        if arg.name in typed
        and (seen[arg.name] is None or seen[arg.name] != _clean(arg, typed[arg.name]))
    }
    return changed, {name: seen[name] for name in changed if seen[name] is not None}


def _clean(arg: Argument, text: str | None) -> object:
    try:
        return arg.clean(text)
    except Invalid:
        return None


def error_of(arg: Argument, typed: Mapping[str, str]) -> str:
    """What is wrong with a value that was typed, or nothing."""
    try:
        arg.clean(typed.get(arg.name))
    except Invalid as refused:
        return refused.sentence
    return ""


def changes(server: str, queue: str, most: int) -> list[Change]:
    """The newest changes of what people set for a queue, newest first."""
    return [
        Change(
            at=row.at,
            by=shown(row.by),
            what=_WHAT.get(row.what, row.what),
            before=_told(row.what, row.before),
            after=_told(row.what, row.after),
        )
        for row in preferences.history(server, queue, most)
    ]


def _whole(settings: QueueSettings, name: str) -> str:
    """A value and where it comes from; what is not known comes from nowhere."""
    value = getattr(settings, name)
    said = _words(name, value)
    return said if value is None else f"{said}, {_source(settings, name)}"


def _source(settings: QueueSettings, name: str) -> str:
    source = getattr(settings, f"{name}_from", "")
    return "set for this queue" if source == OWN else shown(source)


def _told(what: str, text: str) -> str:
    if what == "note":
        return text
    return _words(what, int(text)) if text.isdecimal() else text or "default"


def _words(name: str, value: object) -> str:
    if name == "lease_ms":
        return "not known" if value is None else f"{value:,} ms ({span(int(str(value)))})"
    return f"{value:,}" if isinstance(value, int) else str(value)
