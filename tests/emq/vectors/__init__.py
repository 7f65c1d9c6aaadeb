"""Before and after states of the upstream scripts, recorded on a real server."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.emq.keys import Keyspace, Zset

_FILE = Path(__file__).with_name("echomq-wire.json")


@dataclass(frozen=True)
class InMs:
    """A score that the script computed: the server's time of the call plus `ms`."""

    ms: float


@dataclass(frozen=True)
class Case:
    """One recorded call."""

    name: str
    op: str
    args: tuple[Any, ...]
    before: Keyspace
    reply: dict[str, Any]
    after: Keyspace


@functools.cache
def recorded() -> tuple[str, tuple[Case, ...]]:
    """The queue's name and every case, each with a name of its own."""
    document = json.loads(_FILE.read_text())
    states = [_keyspace(state) for state in document["states"]]
    seen: dict[str, int] = {}
    cases = []
    for case in document["cases"]:
        stem = f"{case['op']}-seed{case['seed']}"
        seen[stem] = seen.get(stem, 0) + 1
        cases.append(
            Case(
                name=f"{stem}-{seen[stem]}",
                op=case["op"],
                args=tuple(case["args"]),
                before=states[case["before"]],
                reply=case["reply"],
                after=states[case["after"]],
            )
        )
    return document["queue"], tuple(cases)


def _keyspace(state: dict[str, Any]) -> Keyspace:
    return {_raw(key): _value(typed) for key, typed in state.items()}


def _value(typed: dict[str, Any]) -> Any:
    ((kind, value),) = typed.items()
    if kind == "zset":
        return Zset((_raw(member), _score(score)) for member, score in value)
    if kind == "hash":
        return {_raw(field): _raw(content) for field, content in value.items()}
    if kind == "string":
        return _raw(value)
    items = [_raw(item) for item in value]
    return set(items) if kind == "set" else items


def _score(score: float | str) -> float | InMs:
    return InMs(float(score.removeprefix("now+"))) if isinstance(score, str) else score


def _raw(text: str) -> bytes:
    return text.encode("latin-1")
