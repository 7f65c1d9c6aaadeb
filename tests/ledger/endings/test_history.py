"""The history of a job: its leases and what people did, in order, with what nobody knows."""

from __future__ import annotations

import pytest

from echomq_admin.emq import ids
from echomq_admin.ledger.endings import history as module
from echomq_admin.ledger.endings.lives import Unseen
from echomq_admin.ledger.endings.models import Ending, EndingKind, Place, Source
from echomq_admin.ledger.models import Gap, Kind, TrailJob, job_key
from echomq_admin.ledger.observing.models import Blind, Watched
from tests.console.trails import entry, moved, note
from tests.ledger.endings.made import NOON, ending
from tests.ledger.endings.telling import GONE, SEC, A, B, here, only, told, words

pytestmark = pytest.mark.django_db
DEAD, REAPED = EndingKind.DEAD, EndingKind.REAPED


def test_nothing_is_known_of_a_job_that_nobody_names():
    found = told()
    assert (found.is_known, found.lineage, only(found)) == (False, "", [])


def test_leases_stand_in_order_with_what_people_did_between():
    ending(A, DEAD, NOON + 20 * SEC, attempts=2)
    ending(A, at_ms=NOON, attempts=1)
    entry(moved(A, "requeued", 2), at_ms=NOON + 60 * SEC)
    ending(A, DEAD, NOON + 90 * SEC, attempts=3)
    found = told(here("dead", 3))
    assert only(found) == ["recovered 1", "dead 2", "requeue olena", "dead 3"]
    assert found.lineage == "stalled, died, requeued by olena, died again; now dead"
    assert (found.is_known, found.endings, found.is_cut) == (True, 3, False)


def test_what_repeats_is_counted_in_the_lineage():
    for attempts in (1, 2, 3):
        ending(A, at_ms=NOON + attempts * SEC, attempts=attempts)
    ending(A, DEAD, NOON + 4 * SEC, attempts=4)
    entry(moved(A, "requeued", 4), at_ms=NOON + 5 * SEC)
    for attempts in (5, 6):
        ending(A, at_ms=NOON + attempts * SEC, attempts=attempts)
    entry(moved(A, "removed", 6), at_ms=NOON + 9 * SEC, op="remove", actor="petro")
    assert told(GONE).lineage == (
        "stalled 3 times, died, requeued by olena, stalled twice more, removed by petro; now gone"
    )


def test_a_long_lineage_tells_its_end():
    for attempts in range(1, 41):
        kind = REAPED if attempts % 2 else EndingKind.RECOVERED
        ending(A, kind, NOON + attempts * SEC, attempts=attempts)
    assert told(GONE).lineage.startswith(
        "reaped 20 times, stalled 20 times; at last reaped again, stalled again, "
    )


def test_leases_without_an_ending_are_told_between_those_with_one():
    ending(A, at_ms=NOON, attempts=2)
    ending(A, DEAD, NOON + 20 * SEC, attempts=6)
    found = told(here("dead", 6))
    assert only(found) == ["missing 1-1", "recovered 2", "missing 3-5", "dead 6"]
    assert found.lineage.startswith("1 lease without an ending on record, stalled, 3 leases")


def test_the_last_leases_of_a_job_that_is_here_are_missed_too():
    ending(A, at_ms=NOON, attempts=1)
    assert only(told(here("dead", 3))) == ["recovered 1", "missing 2-3"]
    in_flight = here("active", 3, NOON + 901 * SEC)
    assert only(told(in_flight)) == ["recovered 1", "missing 2-2", "flight 3"]
    assert only(told(GONE)) == only(told()) == ["recovered 1"]


def test_a_first_lease_in_flight_is_told_alone():
    found = told(here("active", 1, NOON))
    assert only(found) == ["flight 1"]
    assert (found.is_known, found.lineage) == (False, "now in flight, lapsed 15 min ago")


def test_a_call_tells_how_many_leases_had_ended_by_then():
    entry(moved(A, "requeued", 2), at_ms=NOON)
    entry(moved(A, "updated", 4), at_ms=NOON + SEC, op="update_payload")
    entry(moved(A, "removed", 4, 0, NOON), at_ms=NOON + 2 * SEC, op="remove")
    assert only(told(GONE)) == [
        *("missing 1-2", "requeue olena", "missing 3-3", "update_payload olena", "remove olena")
    ]


def test_an_ending_by_a_call_is_told_once_with_who_did_it():
    swept = entry(moved(A, "dead", 1, 1, NOON), at_ms=NOON, op="sweep", actor="petro")
    ending(A, DEAD, NOON, source=Source.SCRIPT, entry=swept.pk, within_ms=0)
    found = told(here("dead", 1))
    assert only(found) == ["dead 1"]
    assert found.leases[0].by.actor == "petro"
    assert found.lineage == "died (swept by petro); now dead"


def test_a_burial_in_flight_is_called_one():
    buried = entry(moved(A, "buried", 1, 0, NOON + SEC), at_ms=NOON, op="bury")
    ending(A, EndingKind.OPERATOR, NOON, source=Source.SCRIPT, entry=buried.pk, within_ms=0)
    assert told(here("dead", 1)).lineage == "buried by olena; now dead"


def test_a_requeue_that_proves_a_death_is_told_beside_it():
    requeued = entry(moved(A, "requeued", 1), at_ms=NOON + SEC)
    ending(A, DEAD, NOON, entry=requeued.pk)
    assert only(told()) == ["dead 1", "requeue olena"]


@pytest.mark.parametrize(("attempts", "order"), [(1, ["dead 1", "requeue olena", "reaped 2"])])
def test_within_a_span_of_seconds_the_attempts_decide(attempts, order):
    ending(A, DEAD, NOON, within_ms=900)
    ending(A, REAPED, NOON + SEC, attempts=2, within_ms=900)
    entry(moved(A, "requeued", attempts), at_ms=NOON - 100)
    assert only(told()) == order


def test_lives_are_parted_and_a_call_that_brings_a_job_back_begins_one():
    ending(A, at_ms=NOON, attempts=1)
    entry(moved(A, "removed", 1), at_ms=NOON + SEC, op="remove")
    entry(moved(A, "enqueued"), at_ms=NOON + 2 * SEC, op="enqueue")
    ending(A, at_ms=NOON + 3 * SEC, attempts=1, life=1)
    found = told(GONE)
    assert [words(life) for life in found.lives] == [
        ["recovered 1", "remove olena"],
        ["enqueue olena", "recovered 1"],
    ]
    assert [(life.number, life.has_later) for life in found.lives] == [(0, True), (1, False)]
    assert found.lineage == (
        "stalled, removed by olena, came anew, enqueued by olena, stalled again; "
        "now gone: completed, or removed without the console"
    )


@pytest.mark.parametrize("later", [False, True])
def test_a_job_that_was_removed_and_restored_is_the_same_job(later):
    ending(A, DEAD, NOON, attempts=1)
    entry(moved(A, "removed", 1), at_ms=NOON + SEC, op="remove")
    entry(moved(A, "restored", 1), at_ms=NOON + 2 * SEC, op="restore")
    if later:
        ending(A, at_ms=NOON + 9 * SEC, attempts=2, life=1)
    found = told(here("dead", 1 + later))
    known = ["dead 1", "remove olena", "restore olena"]
    assert only(found) == [*known, *(["recovered 2"] if later else [])]
    assert "came anew" not in found.lineage
    assert "without an ending" not in found.lineage


def test_a_job_with_fewer_attempts_than_its_leases_is_in_a_new_life():
    ending(A, at_ms=NOON, attempts=4)
    found = told(here("pending", 0))
    assert [words(life) for life in found.lives] == [["missing 1-3", "recovered 4"], []]
    found = told(here("active", 4, NOON))
    assert [words(life) for life in found.lives][1] == ["missing 1-3", "flight 4"]


def test_leases_of_older_lives_that_are_no_longer_kept_keep_the_number_of_the_life():
    ending(A, at_ms=NOON, attempts=1, life=3)
    assert [life.number for life in told().lives] == [3]


def test_a_revived_lease_stands_behind_the_one_it_was():
    ending(A, REAPED, NOON, attempts=1, n=0)
    ending(A, DEAD, NOON + SEC, attempts=1, n=1)
    assert only(told()) == ["reaped 1", "dead 1"]


def test_attempts_that_were_no_number_are_told_without_one():
    ending(A, EndingKind.UNCERTAIN, NOON, attempts=-1)
    found = told()
    assert only(found) == ["uncertain None"]
    assert found.lineage == "ended for an unknown reason"


def test_attempts_out_of_all_reason_are_counted_and_not_walked():
    ending(A, at_ms=NOON, attempts=2**53)
    assert only(told()) == [f"missing 1-{2**53 - 1}", f"recovered {2**53}"]


def test_one_id_in_two_queues_or_on_two_servers_is_two_jobs():
    ending(A, at_ms=NOON)
    ending(A, DEAD, NOON, queue="others")
    ending(A, REAPED, NOON, server="eu")
    entry(moved(A), queue=b"others", at_ms=NOON + SEC)
    entry(moved(A), server="eu", at_ms=NOON + SEC)
    assert only(told()) == ["recovered 1"]
    assert only(told(queue="others")) == ["dead 1", "requeue olena"]
    assert only(told(job_id=B)) == []


def test_a_refused_attempt_is_told_and_is_no_part_of_the_lineage():
    ending(A, at_ms=NOON)
    refused = note(Kind.REFUSED, "remove", "petro", NOON + SEC, server="prod", queue=b"orders")
    TrailJob.objects.create(entry=refused, job=job_key(A), at_ms=NOON + SEC)
    found = told()
    assert only(found) == ["recovered 1", "refused remove petro"]
    assert found.lineage == "stalled"


def test_spans_that_were_not_watched_stand_where_they_lie():
    ending(A, at_ms=NOON, attempts=1)
    ending(A, at_ms=NOON + 60 * SEC, attempts=2)
    orders = Place.objects.get()
    others = Place.objects.create(server="prod", queue=b"others")
    for place, server, from_s, to_s in (
        (None, "prod", 20, 30), (orders, "prod", 40, 41), (others, "prod", 20, 30),
        (None, "eu", 20, 30), (None, "prod", 61, 90),
    ):  # fmt: skip
        Blind.objects.create(
            server=server,
            place=place,
            from_ms=NOON + from_s * SEC,
            to_ms=NOON + to_s * SEC,
            why="w",
        )
    assert only(told()) == ["recovered 1", "unseen", "unseen", "recovered 2"]
    assert only(told(here("pending", 2))) == [
        *("recovered 1", "unseen", "unseen", "recovered 2", "unseen")
    ]


def test_a_span_since_the_job_was_minted_may_hide_its_first_leases():
    minted = ids.mint("JOB", NOON - 60 * SEC)
    ending(minted, at_ms=NOON, attempts=2)
    for at in (50, 70):
        Blind.objects.create(
            server="prod", from_ms=NOON - at * SEC, to_ms=NOON - (at - 1) * SEC, why="no agent"
        )
    assert only(told(job_id=minted)) == ["unseen", "missing 1-1", "recovered 2"]


def test_of_many_spans_the_last_are_told(monkeypatch):
    monkeypatch.setattr(module, "MOST_BLIND", 2)
    ending(A, at_ms=NOON, attempts=1)
    ending(A, at_ms=NOON + 60 * SEC, attempts=2)
    for at in (1, 2, 3):
        at_ms = NOON + at * SEC
        Blind.objects.create(server="prod", from_ms=at_ms, to_ms=at_ms + 9, why=f"span {at}")
    found = told()
    spans = [item.why for item in found.lives[0].items if isinstance(item, Unseen)]
    assert (spans, found.has_more_blind) == (["span 2", "span 3"], True)


def test_a_gap_of_the_trail_between_its_entries_is_told():
    ending(A, at_ms=NOON, attempts=1)
    ending(A, at_ms=NOON + 60 * SEC, attempts=2)
    for at in (5, 100):
        Gap.objects.create(
            server="prod", queue=b"orders", after_id="1-0", before_id=f"{NOON + at * SEC}-0",
            found_at_ms=1, sentence="7 entries are lost.",
        )  # fmt: skip
    assert only(told()) == ["recovered 1", "gap", "recovered 2"]


def test_of_very_many_endings_the_newest_are_told_and_none_is_missed_before_them(monkeypatch):
    monkeypatch.setattr(module, "MOST", 3)
    for attempts in range(1, 8):
        ending(A, at_ms=NOON + attempts * SEC, attempts=attempts)
    found = told(GONE)
    assert only(found) == ["recovered 5", "recovered 6", "recovered 7"]
    assert (found.is_cut, found.endings, found.total) == (True, 3, 7)


def test_endings_that_were_pruned_leave_a_hole_that_is_said():
    for attempts in (1, 2, 3):
        ending(A, at_ms=NOON + attempts * SEC, attempts=attempts)
    Ending.objects.filter(attempts__lt=3).delete()
    assert only(told()) == ["missing 1-2", "recovered 3"]


def test_since_when_the_queue_is_watched_is_told():
    ending(A, at_ms=NOON)
    assert told().watched_ms is None
    Watched.objects.create(place=Place.objects.get(), since_ms=NOON - 5, seen_ms=NOON)
    assert told().watched_ms == NOON - 5


@pytest.mark.parametrize("job_id", ["", "a\nb", "x" * 5_000, "JOB\udcff\x00", "\u202e"])
def test_ids_of_any_bytes_have_a_history(job_id):
    entry(moved(job_id, "requeued", 2), at_ms=NOON)
    assert only(told(job_id=job_id)) == ["missing 1-2", "requeue olena"]


def test_what_a_stream_says_that_is_no_script_of_ours_raises_nothing():
    entry(moved(A, "\x1b[2J", "many", [], {}, 7, 8), at_ms=NOON, op="\x07", actor="\u202e")
    entry(moved(A, "requeued", -4), at_ms=NOON + SEC, jobs=b"\xc1")
    entry(moved(A, "requeued", 2**60), at_ms=NOON + 2 * SEC)
    assert told(here("dead", 3)).is_known
