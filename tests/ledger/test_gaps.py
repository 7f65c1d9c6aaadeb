"""What was gone from a stream before it was copied is known, and never made up."""

from __future__ import annotations

import pytest

from echomq_admin.emq.audit_news import Piece, Stream
from echomq_admin.ledger import copying
from echomq_admin.ledger.gaps import Mark, account
from echomq_admin.ledger.models import Gap
from tests.ledger.conftest import AUDIT, Q, copied_ids, gaps

pytestmark = pytest.mark.django_db


def copy_all(prod):
    while copying.copy_piece(prod, Q).more:
        pass


def test_entries_trimmed_before_the_first_copy_are_a_gap(client, prod, stream):
    ids = stream.many(30)
    client.xtrim(AUDIT, minid=ids[12], approximate=False)
    copy_all(prod)
    assert gaps() == [("0-0", ids[12], 12)]
    assert copied_ids() == ids[12:]
    assert Gap.objects.get().sentence == (
        "12 entries were trimmed or deleted from the audit stream before the console copied what "
        "it held. Keep the agent running: it copies every two seconds."
    )


def test_entries_trimmed_between_two_copies_are_a_gap(client, prod, stream):
    first = stream.many(5)
    copy_all(prod)
    then = stream.many(25)
    client.xtrim(AUDIT, minid=then[1], approximate=False)
    copy_all(prod)
    assert gaps() == [(first[-1], then[1], 1)]
    assert Gap.objects.get().sentence.startswith("1 entry was trimmed or deleted")


def test_entries_deleted_from_the_middle_are_a_gap(client, prod, stream):
    first = stream.many(5)
    copy_all(prod)
    then = stream.many(25)
    client.xdel(AUDIT, *then[7:9])
    copy_all(prod)
    assert gaps() == [(first[-1], then[8], 2)]


def test_the_newest_entry_deleted_is_a_gap(client, prod, stream):
    (first, last) = stream.write(), stream.write()
    client.xdel(AUDIT, last)
    copy_all(prod)
    copy_all(prod)
    assert gaps() == [("0-0", last, 1)]
    assert copied_ids() == [first]


def test_what_goes_after_it_was_copied_is_no_gap(client, prod, stream):
    ids = stream.many(30)
    copy_all(prod)
    client.xdel(AUDIT, ids[3], ids[29])
    client.xtrim(AUDIT, maxlen=2, approximate=False)
    stream.write()
    copy_all(prod)
    assert gaps() == []


def test_a_part_copied_when_entries_go_makes_no_false_number(client, prod, stream):
    ids = stream.many(40)
    copying.copy_piece(prod, Q)
    client.xdel(AUDIT, ids[0], ids[20], ids[21])
    copy_all(prod)
    assert gaps() == [("0-0", ids[21], 2)]


def test_a_stream_that_was_deleted_and_begun_anew_is_copied_and_said(client, prod, stream):
    old = stream.many(12)
    copy_all(prod)
    client.delete(AUDIT)
    new = stream.many(15)
    copy_all(prod)
    copy_all(prod)
    assert copied_ids() == old + new
    assert gaps() == [(old[-1], new[0], None)]
    assert "was deleted, or its server came back with older data" in Gap.objects.get().sentence


def test_a_stream_that_was_deleted_is_said_once(client, prod, stream):
    old = stream.many(3)
    copy_all(prod)
    client.delete(AUDIT)
    copy_all(prod)
    assert gaps() == [(old[-1], "", None)]
    new = stream.many(2)
    copy_all(prod)
    assert len(gaps()) == 1
    assert copied_ids() == old + new


def test_a_stream_whose_clock_went_back_is_copied(client, prod, stream):
    far = stream.write("9999999999999-0")
    copy_all(prod)
    client.delete(AUDIT)
    near = stream.write("1700000000000-0")
    copy_all(prod)
    assert copied_ids() == [far, near]
    assert gaps() == [(far, "", None)]


def test_a_server_that_came_back_with_older_data_loses_and_repeats_nothing(client, prod, stream):
    ids = stream.many(20)
    old = client.dump(AUDIT)
    lost = stream.write()
    copy_all(prod)
    client.restore(AUDIT, 0, old, replace=True)
    new = stream.many(3)
    copy_all(prod)
    assert copied_ids() == [*ids, lost, *new]
    assert [gap[0] for gap in gaps()] == [lost]
    stream.write()
    copy_all(prod)
    assert len(gaps()) == 1


def test_a_stream_trimmed_long_ago_and_restored_is_no_second_gap(client, prod, stream):
    ids = stream.many(30)
    copy_all(prod)
    client.xtrim(AUDIT, maxlen=5, approximate=False)
    old = client.dump(AUDIT)
    lost = stream.write()
    copy_all(prod)
    client.restore(AUDIT, 0, old, replace=True)
    copy_all(prod)
    assert [(after, missing) for after, _, missing in gaps()] == [(lost, None)]
    assert copied_ids() == [*ids, lost]


def test_where_entries_are_not_counted_a_cut_beyond_the_copied_is_a_gap():
    mark = Mark("5-0", "5-0", None)
    cut = Piece(Stream(3, None, "7-0", "9-0"), (), True)
    assert account(mark, cut).missing.before_id == "7-0"
    assert account(mark, Piece(Stream(3, None, "5-0", "9-0"), (), True)).missing is None
    assert account(Mark(added=None), cut).missing is None


def test_what_came_while_a_piece_was_read_is_in_the_account(prod, stream):
    """The server's number is read before the entries, so these can be more."""
    stream.many(2)
    (first, second) = copying.audit_news.after(prod.client, Q, "0-0").entries
    earlier = Stream(1, 1, first.entry.entry_id, first.entry.entry_id)
    became = account(Mark(), Piece(earlier, (first, second), True))
    assert became.missing is None
    assert became.mark == Mark(second.entry.entry_id, second.entry.entry_id, 2)


def test_a_server_that_says_nothing_of_its_streams_is_copied_all_the_same(prod, stream):
    stream.write()
    (raw,) = copying.audit_news.after(prod.client, Q, "0-0").entries
    became = account(Mark(), Piece(None, (raw,), True))
    assert became.missing is None
    assert became.mark.last_id == raw.entry.entry_id
