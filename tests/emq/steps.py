"""What can happen to a queue in one step: each verb, on time and late, and accidents by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from echomq_admin.emq import Claim
from tests.emq.keys import Zset, wire
from tests.emq.machine import GROUPS, IDS, PAST_MS, Dial, Machine

LEASE_MS = 10_000_000
ERRORS = (b"boom", b"\xff\x00 not text", b"")

Step = Callable[[Machine, Dial], Any]


# -- producers and workers ------------------------------------------------------------------------


def enqueue(m: Machine, dial: Dial) -> None:
    foreign = dial.pick((None,) * 9 + ("CMD0KHTOWnGLuA",))
    m.both(dial, "enqueue", foreign or m.a_new_id(dial), dial.pick((b"{}", b"\xff\x00")))


def enqueue_in_lane(m: Machine, dial: Dial) -> None:
    job, group = m.a_new_id(dial), dial.pick(GROUPS)
    m.both(dial, "enqueue", job, b"{}", group)


def schedule(m: Machine, dial: Dial) -> None:
    job = m.a_new_id(dial)
    when = dial.pick(({"at_ms": PAST_MS}, {"in_ms": LEASE_MS}, {"in_ms": 0}))
    m.both(dial, "schedule", job, b"{}", **when)


def claim(m: Machine, dial: Dial) -> None:
    _claim(m, m.both(dial, "claim", LEASE_MS + m.count()))


def claim_lane(m: Machine, dial: Dial) -> None:
    _claim(m, m.both(dial, "claim_lane", LEASE_MS + m.count()))


def _claim(m: Machine, claimed: Any) -> None:
    if isinstance(claimed, Claim):
        m.claims.append((claimed.job_id, claimed.attempts))


def complete(m: Machine, dial: Dial) -> None:
    m.both(dial, "complete", *m.a_claim(dial))


def retry(m: Machine, dial: Dial) -> None:
    job, token = m.a_claim(dial)
    delay_ms, attempts = dial.pick((0, LEASE_MS)), dial.pick((3, 1))
    m.both(dial, "retry", job, token, delay_ms, attempts, dial.pick(ERRORS))


def extend(m: Machine, dial: Dial) -> None:
    m.both(dial, "extend", *m.a_claim(dial), LEASE_MS * 2 + m.count())


# -- the beat -------------------------------------------------------------------------------------


def promote(m: Machine, dial: Dial) -> None:
    _time_passes(m, dial, "schedule")
    m.both(dial, "promote", dial.pick((100, 1, 2)))


def reap(m: Machine, dial: Dial) -> None:
    _time_passes(m, dial, "active")
    m.both(dial, "reap", dial.pick((100, 1)))


def reap_group(m: Machine, dial: Dial) -> None:
    _time_passes(m, dial, "active")
    m.both(dial, "reap_group", dial.pick(GROUPS), dial.pick((100, 1)))


def sweep(m: Machine, dial: Dial) -> None:
    _time_passes(m, dial, "active")
    m.both(dial, "sweep", dial.pick((1, 2, 3)), dial.pick((100, 1)))
    m.note_dead()


def _time_passes(m: Machine, dial: Dial, name: str) -> None:
    if dial.pick((True, True, False)):
        m.lapse(dial, name)


# -- operators ------------------------------------------------------------------------------------


def requeue(m: Machine, dial: Dial) -> None:
    m.note_dead()
    ids = m.some_ids(dial, "dead")
    m.both(dial, "requeue", ids, m.tokens(dial, ids), dial.pick((False, True)))


def return_to_dead(m: Machine, dial: Dial) -> None:
    jobs = {job: m.undo.get(job, (0, b"old", 1)) for job in m.some_ids(dial, "pending", "lanes")}
    m.both(dial, "return_to_dead", jobs)


def promote_now(m: Machine, dial: Dial) -> None:
    ids = m.some_ids(dial, "schedule")
    m.both(dial, "promote_now", ids, m.tokens(dial, ids))


def bury(m: Machine, dial: Dial) -> None:
    ids = m.some_ids(dial, "active", "pending", "lanes", "schedule")
    m.both(dial, "bury", ids, dial.pick(ERRORS), m.tokens(dial, ids), dial.pick((False, True)))


def remove(m: Machine, dial: Dial) -> None:
    ids = m.some_ids(dial, "active", "pending", "lanes", "schedule", "dead")
    dedup = dial.pick((None, "daily")) if len(ids) == 1 else None
    m.keep(ids)
    seen = m.seen(dial, ids)
    m.both(dial, "remove", ids, m.tokens(dial, ids), dial.pick((False, True)), dedup, seen=seen)


def restore(m: Machine, dial: Dial) -> None:
    jobs = {job: m.kept[job] for job in m.some_ids(dial) if job in m.kept}
    if jobs:
        m.both(dial, "restore", jobs)


def recover_now(m: Machine, dial: Dial) -> None:
    m.both(dial, "recover_now", *m.a_claim(dial), dial.pick((1, 2)))


def update_payload(m: Machine, dial: Dial) -> None:
    job = m.any_id(dial, "active", "pending")
    token = (m.tokens(dial, [job]) or {}).get(job)
    m.both(dial, "update_payload", job, b"new %d" % m.count(), token)


def pause(m: Machine, dial: Dial) -> None:
    m.both(dial, "pause")


def resume(m: Machine, dial: Dial) -> None:
    m.both(dial, "resume")


def pause_lane(m: Machine, dial: Dial) -> None:
    m.both(dial, "pause_lane", dial.pick(GROUPS))


def resume_lane(m: Machine, dial: Dial) -> None:
    m.both(dial, "resume_lane", dial.pick(GROUPS))


def limit_lane(m: Machine, dial: Dial) -> None:
    m.both(dial, "limit_lane", dial.pick(GROUPS), dial.pick((1, 2, None)))


def drain(m: Machine, dial: Dial) -> None:
    m.both(dial, "drain", dial.pick((False, True)), dial.pick((1000, 1)))


def obliterate(m: Machine, dial: Dial) -> None:
    m.both(dial, "obliterate", dial.pick((False, True)), dial.pick(((), GROUPS)))


# -- by hand: time passes, and things break -------------------------------------------------------


def lapse(m: Machine, dial: Dial) -> None:
    m.lapse(dial, dial.pick(("active", "active", "schedule")))


def orphan(m: Machine, dial: Dial) -> None:
    """A row is evicted while a set still holds its id."""
    job = _victim(m, dial)
    if job not in m.watch.broken:
        _row_lost(m, job)
        m.put({m.model.key("job:", job): None})


def spoil(m: Machine, dial: Dial) -> None:
    """A row stops being a hash, or its attempts stop being a number."""
    job = _victim(m, dial)
    row = m.model.row(job)
    if not isinstance(row, dict) or job in m.watch.broken:
        return
    if dial.pick((True, False)):
        _row_lost(m, job)
        m.put({m.model.key("job:", job): b"x"})
    else:
        m.put({m.model.key("job:", job): row | {b"attempts": b"abc"}})


def double(m: Machine, dial: Dial) -> None:
    """An id comes to be in a second set, as scripts that judge too late leave it."""
    job = wire(m.any_id(dial, "active", "pending", "schedule", "dead"))
    name = m.model.key(dial.pick(("pending", "dead", "schedule", "active")))
    held = m.model.keys.get(name, Zset())
    if isinstance(m.model.row(job), dict) and job not in held:
        _row_lost(m, job)
        m.put({name: Zset(held | {job: float(PAST_MS)})})


def double_in_lane(m: Machine, dial: Dial) -> None:
    """An id comes to be in a lane as well, be it not that of its row; workers serve the lane."""
    job = wire(m.any_id(dial, "dead", "pending", "schedule", "active"))
    group = wire(dial.pick(GROUPS))
    name = m.model.key("g:", group, ":pending")
    held = m.model.keys.get(name, Zset())
    if not isinstance(m.model.row(job), dict) or job in held:
        return
    _row_lost(m, job)
    m.put({name: Zset(held | {job: 0.0})})
    ring = m.model.keys.get(m.model.key("ring"), [])
    is_served = m.model.is_serviceable(group)
    m.model.prune()
    if is_served and group not in ring:
        m.put({m.model.key("ring"): [*ring, group]})


def _victim(m: Machine, dial: Dial) -> bytes:
    """A job whose row breaks: of a lease more often than not, where most can go wrong."""
    return wire(m.any_id(dial, dial.pick(("active", "active", "pending", "lanes", "schedule"))))


def _row_lost(m: Machine, job: bytes) -> None:
    """What the row said of its group, and so of the lane slot it holds, holds no more."""
    group = m.model.group(job)
    if group is not None:
        m.watch.lanes_by_hand.add(group)
    m.watch.broken.add(job)


def lock(m: Machine, dial: Dial) -> None:
    """A worker marks that it tracks the job; or the mark runs out."""
    marker = m.model.key("job:", wire(m.any_id(dial, "active", "pending")), ":lock")
    m.put({marker: None if marker in m.model.keys else b"1"})


def adopt(m: Machine, dial: Dial) -> None:
    """A job becomes the child of a flow: its parent waits here, is done, or lies elsewhere."""
    row_key = m.model.key("job:", wire(m.any_id(dial, "pending", "active", "dead")))
    row = m.model.keys.get(row_key)
    if not isinstance(row, dict):
        return
    state, queue = dial.pick(
        ((b"awaiting_children", None), (b"active", None), (b"-", b"other"), (b"-", b"orders"))
    )
    changes = {row_key: row | {b"parent": b"JOBPARENT", b"parent_policy": b"fp"}}
    if queue is not None:
        changes[row_key][b"parent_queue"] = queue
    else:
        changes[m.model.key("job:JOBPARENT")] = {b"state": state, b"attempts": b"0"}
    m.put(changes)


def miscount(m: Machine, dial: Dial) -> None:
    """Somebody writes over a counter: no integer, or a wrong one."""
    group = wire(dial.pick(GROUPS))
    value = dial.pick((b"x", b"7", b"-1", b"1.5"))
    name = dial.pick(("gactive", "glimit", "metrics:completed", "metrics:failed"))
    if name.startswith("g"):
        m.watch.lanes_by_hand.add(group)
    field = group if name.startswith("g") else b"count"
    key = m.model.key(name)
    m.put({key: m.model.keys.get(key, {}) | {field: value}})


def dedup(m: Machine, dial: Dial) -> None:
    """A producer holds an idempotency key for a job."""
    m.put({m.model.key("de:daily"): wire(dial.pick(IDS))})


def log(m: Machine, dial: Dial) -> None:
    job = wire(m.any_id(dial, "active", "pending", "dead"))
    m.put({m.model.key("job:", job, ":", dial.pick(("logs", "dependencies"))): [b"line"]})


PRODUCE = (enqueue, enqueue, enqueue, schedule)
LANES = (enqueue_in_lane,) * 4 + (claim_lane,) * 4
STEER = (pause_lane, resume_lane, resume_lane, limit_lane, limit_lane, reap_group)
WORK = (claim, claim, claim, complete, retry, retry, extend)
BEAT = (promote, promote, reap, sweep, sweep, lapse)
OPERATE = (
    requeue, requeue, requeue, return_to_dead, promote_now, bury, remove, restore, recover_now,
    update_payload,
)  # fmt: skip
RULE = (drain, pause, resume, resume, resume)
BREAK = (orphan, orphan, spoil, double, double_in_lane, lock, adopt, miscount, dedup, log)

# What a sequence is made of; a verb that stands there twice comes twice as often.
LIVES: dict[str, tuple[Step, ...]] = {
    "flat": PRODUCE + WORK + WORK + BEAT + OPERATE + RULE,
    "in lanes": LANES + LANES + STEER + WORK[3:] * 2 + BEAT + OPERATE + RULE + (schedule,),
    "broken": PRODUCE + LANES + STEER + WORK + BEAT + OPERATE + RULE + BREAK * 2 + (obliterate,),
    "everything": (PRODUCE + LANES + STEER + WORK + BEAT + OPERATE) * 2 + RULE + BREAK,
}
