"""The arguments that actions declare, and how each is checked.

A value may come from a form, from the command line or from code: numbers may be decimal text.
Whatever is wrong raises `Invalid` with a sentence that names the field.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.fleet.spans import exact_span, read_span
from echomq_admin.operations.refusals import Invalid

MAX_PAYLOAD = 5_000_000
MAX_REASON = 1_000
MAX_NOTE = 2_000
TOKEN_RANGE = (-(2**63), 2**63 - 1)
_DECIMAL = re.compile(r"[+-]?[0-9]{1,20}\Z")
_SHA1 = re.compile(r"[0-9a-fA-F]{40}\Z")
_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"", "0", "false", "no", "off"}


@dataclass(frozen=True)
class Argument(ABC):
    """A named argument: `label` heads its field, `help` says what it does.

    `by_default` says what the default means, where its value alone does not tell.
    """

    name: str
    label: str
    help: str
    required: bool = False
    default: object = None
    by_default: str = ""

    @property
    def whole_help(self) -> str:
        """What it does, and what holds when it is not given."""
        value = "" if self.default is None or self.default is False else f" {self.default}"
        means = f": {self.by_default}" if self.by_default else ""
        return f"{self.help} (default{value}{means})" if value or means else self.help

    @abstractmethod
    def clean(self, value: object) -> object:
        """The checked value. Raises `Invalid`."""


@dataclass(frozen=True)
class Whole(Argument):
    """A whole number, `low` <= n <= `high`; `None` counts as a value when `may_be_none`."""

    low: int = 1
    high: int = 1_000_000
    may_be_none: bool = False

    def clean(self, value: object) -> int | None:
        if value is None and self.may_be_none:
            return None
        return whole(self.label, value, self.low, self.high)


@dataclass(frozen=True)
class Length(Whole):
    """A length of time in ms: `5 min`, `1 h 30 min`, or a plain number of ms."""

    def clean(self, value: object) -> int:
        ms = read_span(value) if isinstance(value, str) else value
        if not isinstance(ms, int) or isinstance(ms, bool):
            raise Invalid(f"{self.label} is a length such as 5 min, 90 s, or a number of ms.")
        if not self.low <= ms <= self.high:
            raise Invalid(
                f"{self.label} must be from {exact_span(self.low)} to {exact_span(self.high)}."
            )
        return ms


@dataclass(frozen=True)
class Own(Whole):
    """A number that a queue may have of its own: empty text takes it away, `None` leaves it."""

    def clean(self, value: object) -> int | str | None:
        if value is None or (isinstance(value, str) and not value.strip()):
            return None if value is None else ""
        return whole(self.label, value, self.low, self.high)


@dataclass(frozen=True)
class Flag(Argument):
    """Yes or no."""

    default: object = False

    def clean(self, value: object) -> bool:
        text = str(value).strip().lower()
        if text not in _TRUE | _FALSE:
            raise Invalid(f"{self.label} is yes or no.")
        return text in _TRUE


@dataclass(frozen=True)
class Text(Argument):
    """Words of a person, without the blanks around them; at most `MAX_REASON` bytes."""

    def clean(self, value: object) -> str:
        raw = encoded(self.label, value)
        text = from_wire(raw).strip()
        if self.required and not text:
            raise Invalid(f"{self.label} must not be empty.")
        if len(raw) > MAX_REASON:
            raise Invalid(f"{self.label} is longer than {MAX_REASON:,} bytes.")
        return text


@dataclass(frozen=True)
class Remark(Argument):
    """Why, for the trail: characters of a text, at most `MAX_REASON` bytes of them."""

    def clean(self, value: object) -> str:
        raw = encoded(self.label, value)
        try:
            text = raw.decode().strip()
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise Invalid(f"{self.label} holds a byte that is no character of a text.")
        if len(raw) > MAX_REASON:
            raise Invalid(f"{self.label} is longer than {MAX_REASON:,} bytes.")
        return text


@dataclass(frozen=True)
class Note(Argument):
    """Free text that the console keeps, at most `MAX_NOTE` characters; `None` leaves it."""

    def clean(self, value: object) -> str | None:
        if value is None:
            return None
        encoded(self.label, value)
        text = "\n".join(str(value).strip().splitlines())
        if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
            raise Invalid(f"{self.label} holds a byte that is no character of a text.")
        if len(text) > MAX_NOTE:
            raise Invalid(
                f"{self.label} has {len(text):,} characters; at most {MAX_NOTE:,} are kept."
            )
        return text


@dataclass(frozen=True)
class Seen(Argument):
    """What a form showed of fields that it changes, by their names. No command line has it."""

    def clean(self, value: object) -> Mapping[str, object]:
        if not isinstance(value, Mapping):
            raise Invalid(f"{self.label} names fields with what they were.")
        return value


@dataclass(frozen=True)
class Blob(Argument):
    """Opaque bytes, at most `MAX_PAYLOAD`; a `str` is encoded."""

    def clean(self, value: object) -> bytes:
        raw = value if isinstance(value, bytes) else encoded(self.label, value)
        if len(raw) > MAX_PAYLOAD:
            raise Invalid(f"{self.label} is longer than {MAX_PAYLOAD:,} bytes.")
        return raw


@dataclass(frozen=True)
class Digest(Argument):
    """The SHA-1 of bytes that the caller saw, 40 hex digits; `None` or empty is no fence."""

    def clean(self, value: object) -> str | None:
        if value is None or value == "":
            return None
        if not isinstance(value, str) or not _SHA1.match(value):
            raise Invalid(f"{self.label} is a SHA-1: 40 hex digits.")
        return value.lower()


@dataclass(frozen=True)
class Name(Argument):
    """A name of the wire: a group or a dedup id. `None` is no name where it is not required."""

    def clean(self, value: object) -> str | None:
        if value is None and not self.required:
            return None
        return name(self.label, value)


@dataclass(frozen=True)
class Before(Argument):
    """What dead jobs looked like: job id -> (attempts, last error, stall count).

    Error and stall count are `None` where the row had none; an empty stall count is none.
    """

    def clean(self, value: object) -> dict[str, tuple[int, bytes | None, int | None]]:
        if not isinstance(value, Mapping):
            raise Invalid(f"{self.label} names for each job its attempts, error and stall count.")
        return {name("Job id", job_id): self._one(was) for job_id, was in value.items()}

    def _one(self, was: object) -> tuple[int, bytes | None, int | None]:
        if not isinstance(was, Sequence) or isinstance(was, str | bytes) or len(was) != 3:
            raise Invalid(f"{self.label} names for each job its attempts, error and stall count.")
        attempts, error, stalled = was
        if error is not None and not isinstance(error, bytes):
            error = encoded(self.label, error)
        return (
            whole("Attempts", attempts, *TOKEN_RANGE),
            error,
            None if stalled in (None, "") else whole("Stall count", stalled, 0, 2**53),
        )


def clean(arguments: Sequence[Argument], given: Mapping[str, object]) -> dict[str, object]:
    """The checked values by name, with the defaults of what was not given."""
    known = {argument.name: argument for argument in arguments}
    for stranger in given.keys() - known.keys():
        raise Invalid(f"This action takes no {stranger!a}.")
    values: dict[str, object] = {}
    for argument in arguments:
        if argument.name in given:
            values[argument.name] = argument.clean(given[argument.name])
        elif argument.required:
            raise Invalid(f"{argument.label} is missing.")
        else:
            values[argument.name] = argument.default
    return values


def whole(label: str, value: object, low: int, high: int) -> int:
    """A whole number of a range, from an int or from decimal text."""
    if isinstance(value, str) and _DECIMAL.match(value.strip()):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise Invalid(f"{label} must be a whole number.")
    if not low <= value <= high:
        raise Invalid(f"{label} must be from {low:,} to {high:,}.")
    return value


def name(label: str, value: object) -> str:
    """A name that has bytes on the wire."""
    encoded(label, value)
    return str(value)


def encoded(label: str, value: object) -> bytes:
    """The bytes of a text; what no bytes stand for (a lone surrogate) is refused."""
    if not isinstance(value, str):
        raise Invalid(f"{label} must be text.")
    try:
        return to_wire(value)
    except UnicodeEncodeError:
        raise Invalid(f"{label} holds a character that cannot be written as bytes.") from None
