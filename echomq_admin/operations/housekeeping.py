"""The actions on what the console itself keeps of a queue: its settings, added and hidden queues.

They pass the same door as the others, but send the server nothing: what they change is in the
console's database, and so is the record of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from django.db import Error as DatabaseError
from django.db import transaction

from echomq_admin.emq.reads import exists
from echomq_admin.fleet import own_database, preferences
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.patterns import RANGES
from echomq_admin.fleet.servers import TROUBLE, Server
from echomq_admin.fleet.snapshot import refresh
from echomq_admin.operations import recording, sentences
from echomq_admin.operations.action import Action, Consent
from echomq_admin.operations.arguments import Note, Own, Seen
from echomq_admin.operations.calls import Call
from echomq_admin.operations.refusals import Overtaken, Trouble
from echomq_admin.operations.roles import Role

T = TypeVar("T")
# Makes a change together with its entry in the trail.
Recorded = Callable[[Callable[[], T]], T]
Doing = Callable[[Server, Call, str, Recorded], object]


def _action(verb: str, label: str, role: Role, text: str, **more: object) -> Action:
    kind = {"changes": "console", "address": ""} | more
    return Action(verb, label, role, Consent.CLICK, "queue", text, **kind)


def _own(name: str, label: str, text: str) -> Own:
    low, high = RANGES[name]
    said = f"{text}; empty takes it away, so that the default holds"
    return Own(name, label, said, low=low, high=high, by_default="as it is now")


BY_OPERATORS = (
    _action(
        "add_queue",
        "Add queue",
        Role.OPERATOR,
        "Keeps a queue in the lists of the console by its name, also while it has no key.",
        creates=True,
        undo="forget_queue",
    ),
    _action(
        "forget_queue",
        "Forget queue",
        Role.OPERATOR,
        "Takes back that a queue was added by name. It stays listed as long as it has keys.",
        undo="add_queue",
    ),
)
BY_ADMINS = (
    _action(
        "set_queue",
        "Set queue",
        Role.ADMIN,
        "Sets what the console assumes of a queue, and a note about it for people.",
        args=(
            _own("max_stalled", "Max stalled", "what sweeps of the queue start with"),
            _own("lease_ms", "Lease length", "the usual lease of its workers, ms"),
            Note("note", "Note", "for people; empty for none", by_default="as it is now"),
            Seen("seen", "What was seen", "refuses to change what is no longer so"),
        ),
    ),
    _action(
        "hide_queue",
        "Hide queue",
        Role.ADMIN,
        "Leaves a queue out of the overview. Nothing about the queue changes.",
        undo="unhide_queue",
    ),
    _action(
        "unhide_queue",
        "Show queue",
        Role.ADMIN,
        "Lists a hidden queue in the overview again.",
        undo="hide_queue",
    ),
)


# What the button of an action says, where that is not its label.
_BUTTONS = {"set_queue": "Save"}


def keep(action: Action, server: Server, call: Call, actor: str) -> object:
    """Do it: whether anything changed, of `set_queue` the names of what did. The change and what
    the trail says of it are one transaction.

    Raises `Trouble`, `Overtaken`.
    """

    def recorded(change: Callable[[], T]) -> T:
        with transaction.atomic():
            result = change()
            if result:
                said = sentences.sentence(action, call, result, {}, 0)
                recording.kept(action, call, actor, said)
        return result

    try:
        return _DOING[action.verb](server, call, actor, recorded)
    except DatabaseError as error:
        raise Trouble(
            f"The console's database did not take this ({own_database.said(error)}). Nothing was "
            f"changed. Press {_BUTTONS.get(action.verb, action.label)} again."
        ) from error


def _add(server: Server, call: Call, actor: str, recorded: Recorded) -> bool:
    return _listed(server, recorded(lambda: preferences.add(server.name, call.queue, actor)))


def _forget(server: Server, call: Call, actor: str, recorded: Recorded) -> bool:
    # Asked before: nobody else can write while a transaction waits for a server.
    has_keys = _has_keys(server, call.queue)
    dropped = recorded(lambda: preferences.drop(server.name, call.queue, actor, has_keys))
    return _listed(server, dropped)


def _listed(server: Server, is_changed: bool) -> bool:
    """Let the next list of the queues of a server show the change."""
    if is_changed:
        refresh(server)
    return is_changed


def _has_keys(server: Server, queue: str) -> bool:
    """While nobody can tell, it is taken to have some: the next pass knows better."""
    try:
        return exists(server.client, queue)
    except TROUBLE:
        return True


def _set(server: Server, call: Call, actor: str, recorded: Recorded) -> tuple[str, ...]:
    given = {name: value for name, value in call.args.items() if value is not None}
    seen = given.pop("seen", {})
    try:
        return recorded(
            lambda: preferences.change(
                server.name, call.queue, actor, _values(seen), **_values(given)
            )
        )
    except preferences.ChangedMeanwhile as late:
        label = next(arg.label for arg in BY_ADMINS[0].args if arg.name == late.name)
        now = "nothing of its own" if late.now in (None, "") else shown(str(late.now))
        raise Overtaken(
            f"{label} was changed meanwhile: it is {now} now. Nothing was saved. What you typed "
            "still stands below; press Save again to put it in its place."
        ) from late


def _values(given: Mapping[str, object]) -> dict[str, object]:
    """Checked arguments as the values that are kept: a number that is taken away is `None`."""
    return {
        name: None if value == "" and name != "note" else value for name, value in given.items()
    }


def _hidden(hidden: bool) -> Doing:
    def turn(server: Server, call: Call, actor: str, recorded: Recorded) -> bool:
        changed = recorded(
            lambda: preferences.change(server.name, call.queue, actor, hidden=hidden)
        )
        return bool(changed)

    return turn


_DOING: dict[str, Doing] = {
    "add_queue": _add,
    "forget_queue": _forget,
    "set_queue": _set,
    "hide_queue": _hidden(True),
    "unhide_queue": _hidden(False),
}
