"""What a confirmation showed, signed: the server acts on that and on nothing beyond it."""

from __future__ import annotations

from collections.abc import Mapping
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
    actor: str, call: Call, numbers: Mapping[str, int] | None = None, args: tuple[str, ...] = ()
) -> str:
    """The summary of what is shown to `actor`: the action, its place, jobs and tokens; `numbers`
    are how many of what would change; `args` names the arguments that were shown with them."""
    return signing.dumps(
        [_summary(actor, call, args), dict(numbers or {}), list(args)], salt=_SALT, compress=True
    )


def shown_numbers(signed: str) -> dict[str, int]:
    """The numbers of a summary that `refusal` found sound; empty for any other text."""
    try:
        return dict(signing.loads(signed, salt=_SALT, max_age=LASTS_S)[1])
    except (signing.BadSignature, IndexError, TypeError, ValueError):
        return {}


def refusal(actor: str, call: Call, signed: str, now: Mapping[str, int] | None = None) -> str:
    """Why this confirmation does not cover the call, as a sentence; empty when it does.

    `now` are the numbers as they are: one that has grown since is beyond what was shown.
    """
    try:
        summary, numbers, args = signing.loads(signed, salt=_SALT, max_age=LASTS_S)
    except signing.SignatureExpired:
        return _LATE
    except (signing.BadSignature, TypeError, ValueError):
        return _STRANGE
    if summary != _summary(actor, call, tuple(args)):
        return _OTHER
    return _grown(numbers, now or {})


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


def _summary(actor: str, call: Call, args: tuple[str, ...]) -> list[object]:
    jobs = "\0".join(f"{job_id}\1{call.tokens.get(job_id)}" for job_id in sorted(call.job_ids))
    return [
        actor,
        call.action,
        call.server,
        call.queue.encode("utf-8", "surrogateescape").hex(),
        len(call.job_ids),
        _digest(jobs),
        [[name, _digest(repr(call.args.get(name)))] for name in args],
    ]


def _digest(text: str) -> str:
    """So that a summary is small, however much was shown."""
    return blake2s(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
