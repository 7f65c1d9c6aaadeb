"""What about a server needs a person, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from echomq_admin.fleet.about import About
from echomq_admin.fleet.drift import Drift
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.spans import span


@dataclass(frozen=True, slots=True)
class Note:
    """How grave it is (`lapsed` or `soon`), with its shape; in short, and in full."""

    css: str
    icon: str
    title: str
    text: str


def notes(about: About | None, read_only: str | None) -> tuple[Note, ...]:
    """The gravest first. `read_only` is the reason, if there is one."""
    return (*(_of_data(about) if about else ()), *_of_working(about, read_only))


def drift_sentence(drift: Drift) -> str:
    """What it means that the clocks are apart."""
    return (
        f"{apart(drift)}. Leases are judged by the server’s clock alone, so this does not touch "
        "them; instants that this host writes down, such as those of discovery, are off by as much."
    )


def apart(drift: Drift) -> str:
    """How far the clocks are apart, in words."""
    if abs(drift.ms) <= drift.margin_ms:
        return f"The same as this host’s, within {_ms(drift.margin_ms)}"
    way = "ahead of" if drift.ms > 0 else "behind"
    return (
        f"The server’s clock is {_ms(abs(drift.ms))} {way} this host’s (± {_ms(drift.margin_ms)})"
    )


def _ms(ms: float) -> str:
    if ms >= 1_000:
        return span(ms)
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"


def _of_data(about: About) -> Iterator[Note]:
    """By what jobs could be lost."""
    if about.may_evict:
        yield Note(
            "lapsed",
            "warn",
            "Jobs may be evicted.",
            f"When its memory is full it drops keys ({about.may_evict}), and jobs would vanish "
            "without a word. Set maxmemory-policy to noeviction.",
        )
    if about.is_saved is False:
        lost = (
            "after a restart it has nothing until its primary sends it all again"
            if about.replica
            else "a restart loses every job"
        )
        text = f"It writes neither an append-only file nor snapshots: {lost}."
        yield Note("soon", "warn", "Nothing is saved.", text)
    if "err" in {about.aof_status, about.rdb_status}:
        text = "The last write of its data to disk failed: a restart may lose jobs."
        yield Note("lapsed", "warn", "It cannot save its data.", text)
    if about.replica and about.replica.is_linked is False:
        primary = shown(about.replica.primary)
        text = f"It has lost its primary {primary}, so what it shows may be old."
        yield Note("lapsed", "warn", "The replica is on its own.", text)


def _of_working(about: About | None, read_only: str | None) -> Iterator[Note]:
    """By what the console cannot work as usual."""
    if about and about.drift and about.drift.is_noteworthy:
        yield Note("soon", "warn", "The clocks are apart.", drift_sentence(about.drift))
    if read_only:
        text = f"{read_only} Jobs can be looked at, not moved."
        yield Note("soon", "paused", "Read-only.", text)
    missing = [right.what.lower() for right in about.rights if right.refused] if about else []
    if missing:
        text = (
            f"Of what the console does, its user lacks commands to {'; '.join(missing)}. "
            "Which, and what that costs, is said below."
        )
        yield Note("soon", "warn", "Rights are missing.", text)
