"""The judge of the chaos run finds what is wrong with a ledger, and nothing in one that is true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.chaos.book import Entry, Span
from tests.chaos.judge import Verdict, judge, misstated
from tests.chaos.truth import Truth

Q, A, B = "orders", "JOBa", "JOBb"
LANES = {A: "acme"}


def enqueued(t: int, job: str = A, lane: str | None = None) -> dict:
    return {"by": "producer", "did": "enqueue", "queue": Q, "t": t, "id": job, "group": lane}


def claimed(t: int, attempts: int, job: str = A, before: bool = False) -> dict:
    return {"by": "w", "did": "claim", "queue": Q, "t": t, "id": job, "attempts": attempts} | {
        "before": before
    }


def swept(t: int, attempts: int, outcome: str, stalled: int, job: str = A) -> dict:
    jobs = [[job, attempts, t - 50, LANES.get(job), outcome, stalled]]
    return {"by": "s", "did": "sweep", "queue": Q, "t": t, "jobs": jobs}


def reaped(t: int, attempts: int, job: str = A) -> dict:
    jobs = [[job, attempts, t - 50, LANES.get(job)]]
    return {"by": "r", "did": "reap", "queue": Q, "t": t, "jobs": jobs}


def retried(t: int, attempts: int, became: str, job: str = A) -> dict:
    told = {"id": job, "attempts": attempts, "became": became, "before": "5", "error": "boom"}
    return {"by": "f", "did": "retry", "queue": Q, "t": t, **told}


def extended(t: int, attempts: int, before: bool) -> dict:
    told = {"id": A, "attempts": attempts, "before": before}
    return {"by": "s", "did": "extend", "queue": Q, "t": t, **told}


def completed(t: int, attempts: int, job: str = A) -> dict:
    told = {"id": job, "attempts": attempts, "before": "5"}
    return {"by": "f", "did": "complete", "queue": Q, "t": t, **told}


def operated(t: int, verb: str, outcome: str, attempts: int, job: str = A, **more: int) -> dict:
    jobs = [{"id": job, "outcome": outcome, "attempts": attempts, "deadline": t + 50.0, **more}]
    return {"by": "operator", "did": verb, "queue": Q, "t": t, "entry": f"{t}-0", "jobs": jobs}


DEEDS = [
    enqueued(1_000, A, "acme"),
    claimed(2_000, 1),
    swept(3_000, 1, "recovered", 1),
    claimed(4_000, 2),
    reaped(5_000, 2),
    extended(5_500, 2, before=False),
    reaped(6_000, 2),
    claimed(7_000, 3),
    swept(8_000, 3, "dead", 2),
    enqueued(1_000, B),
    claimed(2_000, 1, B),
    completed(2_500, 1, B),
    enqueued(3_000, B),
    claimed(4_000, 1, B),
    retried(5_000, 1, "scheduled", B),
    claimed(6_000, 2, B),
    operated(6_500, "recover_now", "recovered", 2, B, stalled=1),
    claimed(7_000, 3, B),
    retried(8_000, 3, "dead", B),
    claimed(9_000, 4, B),
    operated(9_500, "bury", "buried", 4, B),
]


def truth() -> Truth:
    return Truth(DEEDS)


def true_entries() -> list[Entry]:
    """What a ledger without a fault holds: observed within 200 ms, exact of the operator."""
    return [
        Entry(
            ended.queue,
            ended.job,
            ended.attempts,
            ended.life,
            ended.n,
            ended.kind,
            "script" if ended.by == "operator" else "observer",
            ended.t if ended.by == "operator" else ended.t + 120,
            0 if ended.by == "operator" else 200,
            ended.stalled,
            ended.deadline,
            ended.lane,
            ended.error,
        )
        for ended in truth().endings
    ]


def judged(entries: Iterable[Entry], spans: Sequence[Span] = ()) -> Verdict:
    return judge(truth(), entries, spans)


def where(kind: str, n: int = 0) -> int:
    return next(at for at, entry in enumerate(true_entries()) if (entry.kind, entry.n) == (kind, n))


def changed(of: str, revived: int = 0, **fields: object) -> list[Entry]:
    """The true entries but for the first of a kind."""
    entries = true_entries()
    at = where(of, revived)
    entries[at] = replace(entries[at], **fields)
    return entries


def test_the_truth_knows_how_each_lease_ended():
    assert [(e.job, e.attempts, e.life, e.n, e.kind, e.stalled) for e in truth().endings] == [
        (A, 1, 0, 0, "recovered", 1),
        (A, 2, 0, 0, "reaped", None),
        (A, 2, 0, 1, "reaped", None),
        (B, 2, 1, 0, "recovered", 1),
        (A, 3, 0, 0, "dead", 2),
        (B, 3, 1, 0, "failed", None),
        (B, 4, 1, 0, "operator", None),
    ]
    assert [e.kind for e in truth().closed] == ["completed", "retried"]
    assert truth().deaths == {Q: 2}


def test_a_revived_lease_whose_job_is_claimed_meanwhile_has_no_ending():
    told = Truth([enqueued(1, A), claimed(2, 1), reaped(3, 1), extended(4, 1, False)])
    later = Truth([enqueued(1, A), claimed(2, 1), extended(3, 1, False), claimed(4, 2, A, True)])
    assert told.revived == later.revived == 1
    assert [(e.kind, e.attempts, e.n) for e in later.closed] == [("superseded", 1, 1)]


def test_a_true_ledger_has_no_fault():
    verdict = judged(true_entries())
    assert verdict.faults == []
    assert len(verdict.right) == len(truth().endings)
    assert misstated(verdict, {Q: 0}) == []


@pytest.mark.parametrize("kind", ["recovered", "dead", "reaped", "operator"])
def test_a_missing_entry_is_found(kind):
    entries = true_entries()
    entries.pop(where(kind))
    verdict = judged(entries)
    assert [ended.kind for ended in verdict.missed] == [kind]
    assert verdict.faults


def test_a_death_by_attempts_without_an_entry_must_be_counted():
    entries = true_entries()
    entries.pop(where("failed"))
    verdict = judged(entries)
    assert verdict.faults == []
    assert misstated(verdict, {Q: 1}) == []
    assert misstated(verdict, {Q: 0}) == [f"{Q}: stated 0, true 1"]
    assert misstated(verdict, {Q: None})
    assert misstated(verdict, {})


@pytest.mark.parametrize(
    ("kind", "other"),
    [("recovered", "dead"), ("recovered", "reaped"), ("reaped", "recovered"), ("dead", "failed")],
)
def test_a_wrong_kind_is_found(kind, other):
    verdict = judged(changed(kind, kind=other))
    assert len(verdict.wrong) == 1
    assert not verdict.missed


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("recovered", {"stalled": 2}),
        ("recovered", {"stalled": None}),
        ("dead", {"stalled": 1}),
        ("reaped", {"deadline": 4_949}),
        ("recovered", {"lane": None}),
        ("recovered", {"lane": "bolt"}),
        ("failed", {"error": "stalled"}),
        ("operator", {"source": "observer"}),
        ("operator", {"ended_ms": 9_501}),
        ("operator", {"within_ms": 5}),
    ],
)
def test_a_wrong_detail_is_found(kind, fields):
    assert judged(changed(kind, **fields)).faults


@pytest.mark.parametrize("fields", [{"ended_ms": 2_990}, {"ended_ms": 3_400}, {"within_ms": 100}])
def test_a_wrong_instant_is_found(fields):
    assert judged(changed("recovered", **fields)).wrong


@pytest.mark.parametrize("fields", [{"attempts": 9}, {"job": B}, {"queue": "mails"}])
def test_an_invented_entry_is_found(fields):
    extra = replace(true_entries()[0], **fields)
    verdict = judged([*true_entries(), extra])
    assert verdict.invented == [extra]


def test_a_lease_that_is_told_twice_is_found():
    entries = true_entries()
    again = replace(entries[0], n=1, source="found")
    assert judged([*entries, again]).invented == [again]


def test_a_lease_that_ended_well_is_no_ending():
    of_b = [entry for entry in true_entries() if entry.job == B]
    told = replace(
        of_b[0], attempts=1, kind="reaped", source="observer", ended_ms=5_100, within_ms=200
    )
    assert judged([*true_entries(), told]).invented == [told]
    unsure = replace(told, kind="uncertain")
    verdict = judged([*true_entries(), unsure])
    assert (verdict.harmless, verdict.faults) == ([unsure], [])


def test_a_reap_may_be_uncertain_and_a_stall_that_was_in_sight_may_not():
    verdict = judged(changed("reaped", kind="uncertain"))
    assert [ended.kind for ended, _ in verdict.unsure] == ["reaped"]
    assert verdict.faults == []
    assert judged(changed("recovered", kind="uncertain", stalled=None)).wrong


def test_what_is_uncertain_is_avoidable_where_the_observer_had_looked_soon_before():
    soon = judged(changed("reaped", kind="uncertain", within_ms=400))
    assert [entry.kind for entry in soon.avoidable] == ["uncertain"]
    assert judged(changed("reaped", kind="uncertain", within_ms=800)).avoidable == []
    seen = [Span(Q, 4_900, 5_100)]
    assert judged(changed("reaped", kind="uncertain", within_ms=400), seen).avoidable == []
    assert judged(changed("recovered", kind="uncertain", within_ms=800)).faults == []


def test_a_job_that_is_gone_before_the_next_look_may_have_left_no_trace():
    deeds = [enqueued(1, A), claimed(2, 1), reaped(1_000, 1), claimed(1_100, 2)]
    soon = judge(Truth([*deeds, completed(2_900, 2)]), [], [])
    assert (soon.faults, [ended.t for ended in soon.traceless]) == ([], [1_000])
    removed = operated(2_900, "remove", "removed", 2)
    assert judge(Truth([*deeds, removed]), [], []).traceless
    later = judge(Truth([*deeds, completed(3_100, 2)]), [], [])
    assert ([ended.t for ended in later.missed], later.traceless) == ([1_000], [])


def test_what_was_not_seen_may_be_missing_but_not_wrong():
    entries = true_entries()
    entries.pop(where("recovered"))
    seen = [Span(None, 2_000, 2_990), Span("mails", 2_000, 4_000), Span(Q, 3_010, 4_000)]
    assert judged(entries, seen).missed
    verdict = judged(entries, [*seen, Span(Q, 2_900, 3_000)])
    assert (verdict.faults, len(verdict.unseen)) == ([], 1)
    assert judged(changed("recovered", kind="reaped"), [Span(None, 0, 10_000)]).wrong


def test_a_job_that_was_enqueued_again_has_another_life_and_a_revived_lease_has_not():
    assert judged(changed("reaped", 1, life=1)).wrong
    deeds = [enqueued(1, A), claimed(2, 1), reaped(1_000, 1), completed(1_500, 1), enqueued(1_600)]
    twice = Truth([*deeds, claimed(1_700, 1), reaped(4_000, 1)])
    entries = [
        Entry(Q, A, 1, ended.life, 0, "reaped", "observer", ended.t + 9, 20, lane="acme")
        for ended in twice.endings
    ]
    assert judge(twice, entries, []).faults == []
    merged = [entries[0], replace(entries[1], life=0, n=1)]
    assert judge(twice, merged, []).wrong


def test_a_process_that_dies_in_the_middle_of_a_line_has_told_the_lines_before(tmp_path: Path):
    from tests.chaos.truth import told

    (tmp_path / "w.jsonl").write_text(
        '{"by": "w", "did": "enqueue", "queue": "orders", "t": 1, "id": "JOBa"}\n'
        '{"by": "w", "did": "claim", "queue": "orders", "t": 2, "id": "JOBa", "attempts": 1}\n'
        '{"by": "w", "did": "reap", "queue": "orders", "t": 3, "jobs": [["JOBa", 1, 2'
    )
    assert told(tmp_path).counts == {}
