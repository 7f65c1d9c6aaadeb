"""Every recorded call of the upstream scripts: ours, and the model, answer and write alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import redis

from echomq_admin.emq import Claim, EchoMQ, EmqError, EmqKind, EmqStale, Gone
from tests.emq.keys import Keyspace, Zset, dump_at, load, server_now_ms
from tests.emq.model_queue import Model
from tests.emq.vectors import Case, InMs, recorded

QUEUE, CASES = recorded()
ALLOWED_MS = 1500
# What the recorded instant of a case counts as now: later than its past, earlier than its future.
RECORDED_NOW_MS = 1_800_000_000_000

Do = Callable[..., Any]


def call(do: Do, op: str, args: tuple[Any, ...]) -> Any:
    """Run a recorded op; `do(verb, *args)` is our surface. Refusals answer their class."""
    try:
        return CALLS[op](do, *args)
    except EmqError as refusal:
        return type(refusal)


CALLS: dict[str, Callable[..., Any]] = {
    "enqueue": lambda do, job, payload: do("enqueue", job, payload),
    "genqueue": lambda do, group, job, payload: do("enqueue", job, payload, group),
    "schedule_at": lambda do, job, payload, ms: do("schedule", job, payload, at_ms=ms),
    "schedule_in": lambda do, job, payload, ms: do("schedule", job, payload, in_ms=ms),
    "claim": lambda do, lease_ms: do("claim", lease_ms),
    "gclaim": lambda do, lease_ms: do("claim_lane", lease_ms),
    "complete": lambda do, *args: do("complete", *args),
    "retry": lambda do, *args: do("retry", *args),
    "extend": lambda do, *args: do("extend", *args),
    "promote": lambda do, limit: do("promote", limit),
    "reap": lambda do: len(do("reap").recovered),
    "reap_group": lambda do, *args: len(do("reap_group", *args).recovered),
    "sweep": lambda do, *args: do("sweep", *args),
    "reprocess": lambda do, job: do("requeue", [job])[job],
    "remove": lambda do, job: do("remove", [job])[job],
    "update_payload": lambda do, *args: do("update_payload", *args),
    "lane_pause": lambda do, group: do("pause_lane", group),
    "lane_resume": lambda do, group: do("resume_lane", group),
    "lane_limit": lambda do, group, n: do("limit_lane", group, n),
    "pause": lambda do: do("pause"),
    "drain": lambda do, include_schedule: do("drain", include_schedule),
}
REFUSALS = {
    ("enqueue", "EMQKIND"): EmqKind,
    ("complete", "EMQSTALE"): EmqStale,
    ("extend", "EMQSTALE"): EmqStale,
    ("reprocess", "EMQSTATE"): "not_dead",
    ("remove", "EMQLOCK"): "locked",
}


def expected(case: Case) -> Any:
    """The recorded reply in the words of our surface."""
    if "error" in case.reply:
        return REFUSALS[case.op, case.reply["error"].split()[0]]
    return _answer(case, case.reply["ok"])


def _answer(case: Case, reply: Any) -> Any:
    match case.op:
        case "complete" | "extend" | "update_payload":
            return None if reply == 1 else Gone
        case "reprocess" | "remove":
            done = "requeued" if case.op == "reprocess" else "removed"
            return done if reply == 1 else "gone"
        case "claim" | "gclaim":
            return _claim(*reply) if reply else None
        case "lane_pause" | "lane_resume":
            is_paused = case.args[0].encode() in case.before.get(_key("paused"), set())
            return is_paused == (case.op == "lane_resume")
    return None if case.op == "lane_limit" else reply


def _claim(job_id: str, payload: str, attempts: int, group: str | None = None) -> Claim:
    return Claim(job_id, payload.encode("latin-1"), attempts, group)


def _key(name: str) -> bytes:
    return f"emq:{{{QUEUE}}}:{name}".encode()


def answers(case: Case, result: Any) -> Any:
    """Our answer in the shape of the recorded one."""
    if case.op == "sweep":
        return [list(result.recovered), list(result.dead)]
    return result.removed if case.op == "drain" else result


def matches(after: Keyspace, found: Keyspace, earliest_ms: int) -> bool:
    """Whether a keyspace is the recorded one, computed scores within the allowance."""
    if after.keys() != found.keys():
        return False
    for key, value in after.items():
        if not isinstance(value, Zset):
            if value != found[key]:
                return False
        elif value.keys() != found[key].keys() or not all(
            _is_score(score, found[key][member], earliest_ms) for member, score in value.items()
        ):
            return False
    return True


def _is_score(recorded_score: float | InMs, found: float | InMs, earliest_ms: int) -> bool:
    if isinstance(recorded_score, InMs) and not isinstance(found, InMs):
        return 0 <= found - earliest_ms - recorded_score.ms <= ALLOWED_MS
    return recorded_score == found


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_our_script_answers_and_writes_as_recorded(client: redis.Redis, case: Case) -> None:
    load(client, case.before)
    emq = EchoMQ(client)
    before_ms = server_now_ms(client)

    result = call(lambda verb, *a, **k: getattr(emq, verb)(QUEUE, *a, **k), case.op, case.args)

    assert answers(case, result) == expected(case)
    _, found = dump_at(client, "*")
    found = {key: value for key, value in found.items() if not key.startswith(b"emqadmin:")}
    if not matches(case.after, found, before_ms):
        assert found == case.after


def test_the_model_answers_and_writes_as_recorded() -> None:
    for case in CASES:
        model = Model(QUEUE, _copy(case.before), RECORDED_NOW_MS)
        result = call(
            lambda verb, *a, model=model, **k: getattr(model, verb)(*_as_bytes(verb, a), **k),
            case.op,
            case.args,
        )
        assert answers(case, result) == expected(case), case.name
        if not matches(case.after, model.keys, 0):
            assert model.keys == case.after, case.name


def _as_bytes(verb: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The model takes payloads and errors as bytes."""
    at = {"enqueue": 1, "schedule": 1, "update_payload": 1, "retry": 4}.get(verb)
    return tuple(arg.encode() if i == at else arg for i, arg in enumerate(args))


def _copy(keyspace: Keyspace) -> Keyspace:
    return {
        key: value if isinstance(value, bytes) else type(value)(value)
        for key, value in keyspace.items()
    }


def test_every_recorded_case_is_here() -> None:
    assert len(CASES) == 537
    assert len({case.name for case in CASES}) == 537
