"""The actions on what the console itself keeps of a queue: its settings, added and hidden queues.

They pass the same door as the others, but send the server nothing: what they change is in the
console's database, and so is the record of it.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import Error as DatabaseError

from echomq_admin.emq.reads import exists
from echomq_admin.fleet import preferences
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.patterns import RANGES
from echomq_admin.fleet.servers import TROUBLE, Server
from echomq_admin.operations.action import Action, Consent
from echomq_admin.operations.arguments import Note, Own
from echomq_admin.operations.calls import Call
from echomq_admin.operations.refusals import Trouble
from echomq_admin.operations.roles import Role


def _action(verb: str, label: str, role: Role, text: str, **more: object) -> Action:
    return Action(verb, label, role, Consent.CLICK, "queue", text, changes="console", **more)


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


def keep(action: Action, server: Server, call: Call, actor: str) -> object:
    """Do it: whether anything changed, of `set_queue` the names of what did. Raises `Trouble`."""
    try:
        return _DOING[action.verb](server, call, actor)
    except DatabaseError as error:
        raise Trouble(
            f"The console's database did not take this ({shown(str(error))}). Nothing was "
            f"changed. Press {action.label} again."
        ) from error


def _add(server: Server, call: Call, actor: str) -> bool:
    return preferences.add(server.name, call.queue, actor)


def _forget(server: Server, call: Call, actor: str) -> bool:
    return preferences.drop(server.name, call.queue, actor, _has_keys(server, call.queue))


def _has_keys(server: Server, queue: str) -> bool:
    """While nobody can tell, it is taken to have some: the next pass knows better."""
    try:
        return exists(server.client, queue)
    except TROUBLE:
        return True


def _set(server: Server, call: Call, actor: str) -> tuple[str, ...]:
    given = {name: value for name, value in call.args.items() if value is not None}
    note = given.pop("note", None)
    values = {name: None if value == "" else value for name, value in given.items()}
    values |= {} if note is None else {"note": note}
    return preferences.change(server.name, call.queue, actor, **values)


def _hidden(hidden: bool) -> Callable[[Server, Call, str], bool]:
    def turn(server: Server, call: Call, actor: str) -> bool:
        return bool(preferences.change(server.name, call.queue, actor, hidden=hidden))

    return turn


_DOING: dict[str, Callable[[Server, Call, str], object]] = {
    "add_queue": _add,
    "forget_queue": _forget,
    "set_queue": _set,
    "hide_queue": _hidden(True),
    "unhide_queue": _hidden(False),
}
