"""One random life of a queue, lived by the real scripts and by the model side by side.

A step is a few bytes: the first chooses what happens, the rest its arguments. After every
step the whole keyspaces must agree, and the promises of `tests.emq.promises` must hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgpack
import redis
from hypothesis import note

from echomq_admin.emq import EchoMQ, EmqError
from echomq_admin.emq.kept import Kept, read
from tests.emq.keys import Keyspace, Zset, dump_at, load, server_now_ms, text, wire
from tests.emq.model_queue import Model
from tests.emq.promises import Watch
from tests.emq.vectors import InMs

QUEUE = "orders"
AUDIT = b"emqadmin:{orders}:audit"
KEPT = b"emqadmin:{orders}:op:"
IDS = ("JOB0KHTOWnGLuA", "JOB0KHTOWnGLuB", "JOB0KHTOWnGLuC", "JOB:\udcff/é", "JOB0KHTOWnGLuD")
GROUPS = ("a", "b")
PAST_MS = 1_600_000_000_000


class Dial:
    """Turns the bytes of a step into choices; a zero always means the first, plainest one."""

    def __init__(self, raw: bytes) -> None:
        self.left = int.from_bytes(raw, "little")

    def pick(self, options: Any) -> Any:
        self.left, at = divmod(self.left, len(options))
        return options[at]


class Machine:
    """The server and the model of one queue, and what the people around it remember."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        self.emq = EchoMQ(client)
        self.model = Model(QUEUE)
        self.watch = Watch()
        self.claims: list[tuple[str, int]] = [(IDS[0], 1)]
        self.undo: dict[str, tuple[int, bytes | None, int | None]] = {}
        self.kept: dict[str, Kept] = {}
        self.op_ids: list[str] = []
        self.counted = 0
        client.flushdb()
        self.model.now_ms = server_now_ms(client)

    # -- what everybody does ------------------------------------------------------------------

    def both(self, dial: Dial, verb: str, *args: Any, **named: Any) -> Any:
        """Run a verb on both, with or without an actor and an op_id, and compare all there is."""
        actor = dial.pick((None, "ann", "ann"))
        op_id = self._op_id(dial)
        named |= {"actor": actor, "op_id": op_id}
        before_ms = self.model.now_ms
        mine = _outcome(lambda: getattr(self.model, verb)(*args, **named))
        theirs = _outcome(lambda: getattr(self.emq, verb)(QUEUE, *args, **named))
        note(f"{verb}{args} {named} -> {theirs}")
        assert mine == theirs, (verb, args, named)
        after_ms, found = dump_at(self.client, "*")
        self._adopt(found, before_ms, after_ms)
        self._compare(found, verb, is_audited=actor is not None)
        self.model.now_ms = after_ms
        return theirs

    def _op_id(self, dial: Dial) -> str | None:
        """Mostly none; now and then a new one, or one that was used before."""
        kind = dial.pick((None,) * 7 + ("new", "new", "used"))
        if kind is None:
            return None
        if kind == "used" and self.op_ids:
            return dial.pick(self.op_ids)
        self.op_ids.append(f"op-{len(self.op_ids)}")
        return self.op_ids[-1]

    def _adopt(self, found: Keyspace, before_ms: float, after_ms: float) -> None:
        """Put the server's own scores where the model says now + n, when they are just that."""
        for name, zset in self.model.keys.items():
            if not isinstance(zset, Zset):
                continue
            for member, score in zset.items():
                if isinstance(score, InMs) and member in found.get(name, {}):
                    actual = found[name][member]
                    assert before_ms <= actual - score.ms <= after_ms, (name, member)
                    zset[member] = actual

    def _compare(self, found: Keyspace, verb: str, is_audited: bool) -> None:
        ours = {key: found[key] for key in found if key.startswith(b"emqadmin:")}
        theirs = {key: found[key] for key in found if not key.startswith(b"emqadmin:")}
        assert theirs == self.model.keys, verb
        assert {key for key in ours if key != AUDIT} == {KEPT + wire(op) for op in self.model.kept}
        entries = [dict(zip(raw[::2], raw[1::2], strict=True)) for _, raw in ours.get(AUDIT, [])]
        assert len(entries) == len(self.model.audit), verb
        is_new = len(entries) > self.watch.entries
        if is_audited and not is_new:
            assert theirs == self.watch.keys, verb
        self.watch.after_step(theirs, entries[-1] if is_new else None, len(entries))
        if is_new:
            _same_entry(entries[-1], self.model.audit[-1])

    def put(self, changes: dict[bytes, Any]) -> None:
        """Write keys by hand, behind the back of every script; `None` deletes."""
        self.client.delete(*changes)
        load(self.client, {key: value for key, value in changes.items() if value is not None})
        for key, value in changes.items():
            self.model.keys.pop(key, None)
            if value is not None:
                self.model.keys[key] = value
        note(f"by hand: {changes}")
        self.watch.by_hand(self.model.keys)

    # -- whom a step is about -----------------------------------------------------------------

    def any_id(self, dial: Dial, *sets: str) -> str:
        """An id of one of these sets when there is one, else any of the pool."""
        likely = [text(job) for name in sets for job in self._members(name)]
        return dial.pick(likely) if likely and dial.pick((True, True, False)) else dial.pick(IDS)

    def some_ids(self, dial: Dial, *sets: str) -> list[str]:
        chosen = [self.any_id(dial, *sets) for _ in range(dial.pick((1, 1, 2, 3)))]
        return list(dict.fromkeys(chosen))

    def tokens(self, dial: Dial, ids: list[str]) -> dict[str, int] | None:
        """What the caller saw of them: nothing, the truth, or something older."""
        shift = dial.pick((None, 0, 0, 1))
        if shift is None:
            return None
        return {job: max(self.model.attempts(wire(job)) - shift, 0) for job in ids}

    def seen(self, dial: Dial, ids: list[str]) -> dict[str, str] | None:
        """Where the caller saw them: nobody looked, the truth, or some other place."""
        kind = dial.pick((None, None, "true", "true", "false"))
        if kind == "false":
            return {job: dial.pick(("dead", "pending", "-", "lane:none")) for job in ids}
        return {job: self.kept[job].place for job in ids if job in self.kept} if kind else None

    def a_claim(self, dial: Dial) -> tuple[str, int]:
        """A lease that somebody took: one that is held now, or any that ever was."""
        held = [(text(job), self.model.attempts(job)) for job in self._members("active")]
        return dial.pick(held) if held and dial.pick((True, False)) else dial.pick(self.claims)

    def a_new_id(self, dial: Dial) -> str:
        """An id that has no row, when there is one."""
        absent = [job for job in IDS if self.model.row(wire(job)) is None]
        return (
            dial.pick(absent) if absent and dial.pick((True, True, True, False)) else dial.pick(IDS)
        )

    def lapse(self, dial: Dial, name: str) -> None:
        """The deadline of a lease, or the instant of a scheduled job, is past."""
        scores = self._zset(name)
        if scores:
            job, past_ms = dial.pick(sorted(scores)), PAST_MS + dial.pick((0, 1, 2))
            self.put({self.model.key(name): Zset(scores | {job: float(past_ms)})})

    def _members(self, name: str) -> list[bytes]:
        if name == "lanes":
            return [job for group in GROUPS for job in sorted(self._zset(f"g:{group}:pending"))]
        return sorted(self._zset(name))

    def _zset(self, name: str) -> Zset:
        return self.model.keys.get(self.model.key(name), Zset())

    def count(self) -> int:
        """A number that was not given before."""
        self.counted += 1
        return self.counted

    def note_dead(self) -> None:
        """What an operator's page remembers of dead jobs, for the undo of a requeue."""
        for job in self._zset("dead"):
            row = self.model.row(job)
            if isinstance(row, dict) and self.model.is_readable(job):
                stalled = row.get(b"stalled")
                self.undo[text(job)] = (
                    self.model.attempts(job),
                    row.get(b"last_error"),
                    None if stalled is None else int(stalled),
                )

    def keep(self, job_ids: list[str]) -> None:
        """What the trash keeps of jobs that are about to be removed."""
        found = read(self.client, QUEUE, job_ids, most=10**6, most_in_all=10**7)
        self.kept |= {job: one for job, one in found.items() if isinstance(one, Kept)}


def _outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except EmqError as refusal:
        return type(refusal)


def _same_entry(found: dict[bytes, bytes], mine: Any) -> None:
    """One audit entry is what the model says moved."""
    assert found[b"op"] == mine.op.encode()
    assert found[b"op_id"] == mine.op_id.encode()
    assert found[b"actor"] == mine.actor.encode()
    jobs = [tuple(job) for job in msgpack.unpackb(found[b"jobs"], raw=True)]
    assert int(found[b"n"]) == len(jobs)
    if mine.op == "obliterate":
        # It empties set by set, so an id that two of them hold is told twice.
        jobs = list({job[0]: job for job in reversed(jobs)}.values())
    expected = [
        (*(False if value is None else _plain(value) for value in job), False) for job in mine.jobs
    ]
    assert sorted(map(repr, (_no_lease(job) for job in jobs))) == sorted(
        map(repr, (_no_lease(job) for job in expected))
    )


def _plain(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def _no_lease(job: tuple[Any, ...]) -> tuple[Any, ...]:
    """A deadline that the server computed is compared in its set; here, that there is one."""
    return (*job[:4], job[4] is not False, *job[5:])
