"""Whatever stands in an audit stream is copied, and ends only what a script can have ended."""

from __future__ import annotations

import math

import msgpack
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from echomq_admin.emq.audit import told
from echomq_admin.emq.reads import server_now_ms
from echomq_admin.ledger import copying
from echomq_admin.ledger.endings import exact, names
from echomq_admin.ledger.endings.models import Ending, EndingKind, Source
from echomq_admin.ledger.models import TrailEntry
from echomq_admin.ledger.notes import MOST_NAMED
from tests.ledger.conftest import Q

pytestmark = pytest.mark.django_db

A = b"JOB0KHTOWnGLuA"
OPS = ("sweep", "recover_now", "reap", "reap_group", "retry", "bury", "remove", "obliterate",
       "requeue")  # fmt: skip
WORDS = (b"recovered", b"dead", b"buried", b"removed", b"requeued", b"not_dead", b"orphaned",
         b"unreadable", b"scheduled")  # fmt: skip
NOW = 1_795_953_600_000


def job(job_id=A, outcome=b"recovered", attempts=1, stalled=1, deadline=5, *rest):
    return [job_id, outcome, attempts, stalled, deadline, *rest]


def findings(op, *jobs, t=b"%d" % NOW):
    fields = {b"op": op.encode(), b"t": t, b"n": b"1", b"jobs": msgpack.packb(list(jobs))}
    return exact.findings(told(f"{NOW}-0", fields), 9)


@pytest.mark.parametrize(
    ("op", "outcome"),
    [("sweep", b"removed"), ("reap", b"dead"), ("bury", b"recovered"), ("promote", b"recovered"),
     ("requeue", b"not_dead"), ("retry", b"scheduled"), ("sweep", b"orphaned"), ("", b"dead"),
     ("reap", b"unreadable"), ("claim", b"claimed"), ("complete", b"completed")],
)  # fmt: skip
def test_a_word_that_tells_of_no_end_is_none(op, outcome):
    assert findings(op, job(outcome=outcome)) == []


@pytest.mark.parametrize("deadline", [False, None, b"5", [5], True])
def test_a_job_that_had_no_deadline_was_not_in_flight(deadline):
    assert findings("remove", job(outcome=b"removed", deadline=deadline)) == []


@pytest.mark.parametrize("deadline", [math.inf, -math.inf, math.nan])
def test_a_deadline_that_is_no_time_is_not_known(deadline):
    (found,) = findings("sweep", job(deadline=deadline))
    assert found.deadline_ms is None


@pytest.mark.parametrize(
    "t", [b"", b"0", b"x", b"-5", b"9" * 15, b"9" * 16, b"%d" % (NOW - 86_400_001)]
)
def test_an_entry_without_a_time_is_none_of_a_script(t):
    assert findings("sweep", job(), t=t) == []


def test_a_dead_job_without_an_error_was_failed_by_nobody():
    assert findings("requeue", job(outcome=b"requeued", deadline=False)) == []


def test_an_error_that_was_cut_is_not_the_word_of_a_sweep_unless_it_is():
    (found,) = findings("requeue", job(A, b"requeued", 1, 1, False, b"g", b"stalled by", True))
    assert (found.kind, found.error_size) == (EndingKind.FAILED, 11)


def test_of_very_many_jobs_the_first_ten_thousand_are_told():
    assert len(findings("sweep", *([job()] * (MOST_NAMED + 5)))) == MOST_NAMED


@pytest.mark.parametrize("deadline", [1e308, 2.0**63, -1e308, math.inf, math.nan, 2**64 - 1])
@pytest.mark.parametrize("attempts", [2**63, -(2**63), 1e300, 2**64 - 1, b"x", math.inf])
def test_numbers_that_no_column_takes_stop_no_copy(prod, stream, deadline, attempts):
    hostile = job(A, b"recovered", attempts, attempts, deadline)
    stream.write(op="sweep", t=server_now_ms(stream.client), jobs=msgpack.packb([hostile]))
    assert copying.copy(prod, Q) == 1
    row = Ending.objects.get()
    assert (row.attempts, row.deadline_ms) == (-1, None)
    assert row.source == Source.SCRIPT


def test_ids_lanes_and_errors_of_any_bytes_and_size_stop_no_copy(prod, stream):
    ids = [b"", b"\xff\x00", b"J" * 41, b"\xfe" * 1_500_000]
    jobs = [
        job(each, b"requeued", 1, 0, False, b"\x00\xff" * 9_000, b"\x00\xff" * 90_000)
        for each in ids
    ]
    stream.write(op="requeue", t=server_now_ms(stream.client), jobs=msgpack.packb(jobs))
    assert copying.copy(prod, Q) == 1
    assert Ending.objects.count() == 4
    known = names.ids_of(Ending.objects.values_list("job", flat=True))
    assert set(known.values()) == {"", "\udcff\x00", "J" * 41, "\udcfe" * 25 + "…"}


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.binary(),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
jobs_of_anyone = st.lists(
    st.tuples(st.binary(max_size=50), st.sampled_from(WORDS), *[anything] * 6)
    | st.lists(anything, max_size=9),
    max_size=5,
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(op=st.sampled_from(OPS), jobs=jobs_of_anyone, t=st.none() | st.binary(max_size=3))
@example("sweep", [(A, b"dead", 1, 1, 5, False, False, False)] * 2, None)
def test_whatever_an_entry_holds_it_is_copied(prod, stream, op, jobs, t):
    before = TrailEntry.objects.count()
    t = server_now_ms(stream.client) if t is None else t
    stream.write(op=op, t=t, jobs=msgpack.packb([list(each) for each in jobs]))
    assert copying.copy(prod, Q) == 1
    assert TrailEntry.objects.count() == before + 1
