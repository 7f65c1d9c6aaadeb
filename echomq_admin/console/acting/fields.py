"""The fields of a confirmation, drawn from the arguments that an action declares."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.console.acting.asked import Asked
from echomq_admin.operations.arguments import Argument, Blob, Flag, Length, Whole
from echomq_admin.operations.checks import needs_reason

_WHY = "Reason, for the trail"


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `kind` is "flag", "number", "length", "area" or "text"; `value` is what stands in
    it, of a flag whether it is ticked. `when_off` and `when_on` say what a flag does, in place of
    `help`."""

    name: str
    kind: str
    label: str
    value: object
    help: str
    required: bool
    error: str = ""
    when_off: str = ""
    when_on: str = ""


def fields(asked: Asked, starts: dict[str, object], without: frozenset[str]) -> list[Field]:
    """A field for each argument that is not in `without`, and one for the reason; `starts` are
    values to begin with, where nothing was typed yet."""
    own = [_field(asked, one, starts) for one in asked.action.args if one.name not in without]
    if any(field.name == "reason" for field in own):
        return own
    required, error = needs_reason(asked.action), _error(asked, "reason")
    return [*own, Field("reason", "text", _WHY, asked.reason, "", required, error)]


def _field(asked: Asked, one: Argument, starts: dict[str, object]) -> Field:
    value = asked.typed.get(one.name, starts.get(one.name, one.default))
    kind = _kind(one)
    if kind == "flag":
        value = bool(asked.values.get(one.name, starts.get(one.name, False)))
    text = "" if value is None else value
    help_ = f"{one.help[:1].upper()}{one.help[1:]}."
    required = one.required and not _may_be_emptied(one, starts)
    return Field(one.name, kind, one.label, text, help_, required, _error(asked, one.name))


def _may_be_emptied(one: Argument, starts: dict[str, object]) -> bool:
    """Whether there is a value now that an empty field takes away."""
    return getattr(one, "may_be_none", False) and starts.get(one.name) is not None


def _error(asked: Asked, name: str) -> str:
    """Nothing was wrong yet with a form that nobody has filled in."""
    return asked.errors.get(name, "") if asked.shown else ""


def _kind(one: Argument) -> str:
    if isinstance(one, Flag):
        return "flag"
    if isinstance(one, Length):
        return "length"
    if isinstance(one, Whole):
        return "number"
    return "area" if isinstance(one, Blob) else "text"
