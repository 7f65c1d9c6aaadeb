"""What a confirmation showed, signed: the server acts on that and on nothing beyond it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2s

from django.core import signing

from echomq_admin.operations.calls import Call

_SALT = "operations.consent"
# A page that is older may show what nobody remembers.
LASTS_S = 3600
_STRANGE = "This confirmation was not written by the console for you. Nothing was changed."
_OTHER = "What is asked is not what was shown. Nothing was changed. Look again, then confirm."
_LATE = "This was shown more than an hour ago. Nothing was changed. Look again, then confirm."


def sign(
    actor: str,
    call: Call,
    form: str,
    numbers: Mapping[str, int] | None = None,
    args: tuple[str, ...] = (),
    named: Iterable[str] = (),
) -> str:
    """The summary of what is shown to `actor`: the action, its place, jobs and tokens; `form` is
    the op_id of the form that carries it; `numbers` are how many of what would change; `args` names
    the arguments that were shown with them; `named` are the jobs that a call which names none
    would reach, as far as they were shown."""
    summary = _summary(actor, call, form, args)
    parts = [summary, dict(numbers or {}), list(args), list(named)]
    return signing.dumps(parts, salt=_SALT, compress=True)


def shown_numbers(signed: str) -> dict[str, int]:
    """The numbers of a summary that `foreign` found sound; empty for any other text."""
    try:
        return dict(signing.loads(signed, salt=_SALT)[1])
    except (signing.BadSignature, IndexError, TypeError, ValueError):
        return {}


def shown_names(signed: str) -> frozenset[str]:
    """The jobs that were named to a summary that `foreign` found sound; empty for other text."""
    try:
        return frozenset(signing.loads(signed, salt=_SALT)[3])
    except (signing.BadSignature, IndexError, TypeError, ValueError):
        return frozenset()


def foreign(
    actor: str, call: Call, form: str, signed: str, typed: frozenset[str] = frozenset()
) -> str:
    """Why the console wrote no such confirmation for this person, this form and this call, as a
    sentence; empty when it did. No page of the console sends such a one.

    `typed` names arguments that a person may have changed since; `outdated` judges those.
    """
    try:
        summary, _, args, _ = signing.loads(signed, salt=_SALT)
        head, values = summary[:-1], summary[-1]
        *now, now_values = _summary(actor, call, form, tuple(args))
    except (signing.BadSignature, TypeError, ValueError):
        return _STRANGE
    is_same = head == now and _but(values, typed) == _but(now_values, typed)
    return "" if is_same else _OTHER


def outdated(call: Call, signed: str, now: Mapping[str, int]) -> str:
    """Why a confirmation that is not `foreign` covers its call no more, as a sentence; empty when
    it does.

    `now` are the numbers as they are: one that has grown since is beyond what was shown.
    """
    try:
        summary, numbers, args, _ = signing.loads(signed, salt=_SALT, max_age=LASTS_S)
    except signing.SignatureExpired:
        return _LATE
    return _grown(numbers, now) if summary[-1] == _values(call, args) else _OTHER


def _but(values: list[list[str]], typed: frozenset[str]) -> list[list[str]]:
    return [one for one in values if one[0] not in typed]


def _grown(numbers: Mapping[str, int], now: Mapping[str, int]) -> str:
    said = [
        f"{what}: {numbers.get(what, 0):,} shown, {count:,} now"
        for what, count in now.items()
        if count > numbers.get(what, 0)
    ]
    if not said:
        return ""
    return (
        f"There is more than was shown ({'; '.join(said)}). Nothing was changed. "
        "Look again, then confirm."
    )


def _summary(actor: str, call: Call, form: str, args: tuple[str, ...]) -> list[object]:
    jobs = " ".join(f"{_hex(job_id)}:{call.tokens.get(job_id)}" for job_id in sorted(call.job_ids))
    return [
        actor,
        form,
        call.action,
        call.server,
        _hex(call.queue),
        len(call.job_ids),
        _digest(jobs),
        _values(call, args),
    ]


def _values(call: Call, args: Iterable[str]) -> list[list[str]]:
    return [[name, _digest(repr(call.args.get(name)))] for name in args]


def _hex(name: str) -> str:
    """A name may hold any byte, so that none could part it from the next."""
    return name.encode("utf-8", "surrogateescape").hex()


def _digest(text: str) -> str:
    """So that a summary is small, however much was shown."""
    return blake2s(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
