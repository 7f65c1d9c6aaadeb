"""What holds for a queue: its own values, then those of a pattern, then what is built in."""

from __future__ import annotations

import pytest
from django.core.checks import ERROR, run_checks

from echomq_admin.fleet.apps import settings_are_readable
from echomq_admin.fleet.patterns import patterns
from echomq_admin.fleet.preferences import (
    BUILT_IN,
    OWN,
    ChangedMeanwhile,
    Own,
    QueueSettings,
    all_settings,
    change,
    history,
    own,
    queue_settings,
)
from echomq_admin.fleet.servers import UnreadableSetting

pytestmark = pytest.mark.django_db

ODD = [b"foo/bar.baz", b"task:email", b"q name", b"a*[b]", b"*", b"", b"\xff\x00", b"..", b"a}b",
       "é".encode(), b"x" * 65536]  # fmt: skip


@pytest.fixture(autouse=True)
def _none(settings):
    settings.EMQ_QUEUES = ""


def test_nothing_said_is_what_is_built_in():
    assert queue_settings("prod", "orders") == QueueSettings(2, None, "", False, BUILT_IN, BUILT_IN)
    assert all_settings("prod") == {}


def test_the_first_pattern_that_matches_holds_and_own_values_go_before(settings):
    settings.EMQ_QUEUES = "orders.*:max_stalled=3,lease_ms=60000 *:max_stalled=4"
    change("prod", "orders.eu", "olena", lease_ms=5)
    found = {queue: queue_settings("prod", queue) for queue in ("orders.eu", "orders.us", "mail")}
    values = {
        queue: (one.max_stalled, one.max_stalled_from, one.lease_ms, one.lease_ms_from)
        for queue, one in found.items()
    }
    assert values == {
        "orders.eu": (3, "pattern orders.*", 5, OWN),
        "orders.us": (3, "pattern orders.*", 60000, "pattern orders.*"),
        "mail": (4, "pattern *", None, BUILT_IN),
    }
    assert all_settings("prod") == {"orders.eu": found["orders.eu"]}


@pytest.mark.parametrize("raw", ODD)
def test_a_queue_of_any_name_has_its_own_values_and_nobody_elses(raw):
    queue = raw.decode("utf-8", "surrogateescape")
    change("prod", queue, "olena", max_stalled=7, hidden=True)
    assert list(all_settings("prod")) == [queue]
    assert queue_settings("prod", queue).max_stalled == 7
    assert queue_settings("other", queue) == queue_settings("prod", "else") == QueueSettings()
    assert [row.what for row in history("prod", queue, 9)] == ["hidden", "max_stalled"]


def test_a_queue_called_like_a_pattern_is_matched_by_one_that_escapes_it(settings):
    settings.EMQ_QUEUES = "a[*][[]b]:max_stalled=9 task:*:max_stalled=8"
    assert queue_settings("prod", "a*[b]").max_stalled == 9
    assert queue_settings("prod", "axb").max_stalled == 2
    assert queue_settings("prod", "task:email").max_stalled == 8


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("orders", "a pattern, a colon and its values are wanted"),
        (":max_stalled=3", "a pattern, a colon and its values are wanted"),
        ("*:", "it may set max_stalled and lease_ms"),
        ("*:stalls=3", "it may set max_stalled and lease_ms"),
        ("*:max_stalled", "max_stalled is a whole number from 1 to 1,000"),
        ("*:max_stalled=0", "max_stalled is a whole number from 1 to 1,000"),
        ("*:max_stalled=1e9", "max_stalled is a whole number from 1 to 1,000"),
        ("*:lease_ms=9" + 40 * "9", "lease_ms is a whole number from 1 to 604,800,000"),
        ("*:max_stalled=1,max_stalled=2", "it sets max_stalled twice"),
    ],
)
def test_a_setting_that_cannot_be_read_is_told_with_its_entry(settings, text, why):
    settings.EMQ_QUEUES = f"fine:max_stalled=3 {text}"
    with pytest.raises(UnreadableSetting) as refused:
        patterns()
    assert str(refused.value) == f"EMQ_QUEUES: {text!r} cannot be read: {why}"
    (found,) = settings_are_readable()
    assert (found.id, found.msg) == ("echomq.E002", f"{refused.value}.")
    assert queue_settings("prod", "orders") == QueueSettings()


def test_servers_that_cannot_be_read_are_an_error_of_the_check(settings):
    settings.EMQ_SERVERS = "nothing"
    (found,) = settings_are_readable()
    assert (found.id, found.level) == ("echomq.E001", ERROR)


def test_settings_that_can_be_read_are_no_news_to_the_check(settings):
    settings.EMQ_SERVERS, settings.EMQ_QUEUES = "prod=redis://h", "*:max_stalled=3"
    assert run_checks() == []


def test_a_field_that_was_changed_meanwhile_is_left_and_others_too():
    change("prod", "orders", "olena", max_stalled=3)
    with pytest.raises(ChangedMeanwhile):
        change("prod", "orders", "marko", {"max_stalled": None}, max_stalled=5, lease_ms=9)
    assert own("prod", "orders") == Own(max_stalled=3)
    change("prod", "orders", "marko", {"max_stalled": 3}, max_stalled=5)
    assert own("prod", "orders") == Own(max_stalled=5)


def test_the_history_tells_who_changed_what_newest_first():
    change("prod", "orders", "olena", max_stalled=3, note="a")
    change("prod", "orders", "marko", max_stalled=None, note="a")
    change("prod", "mail", "marko", hidden=True)
    assert [(row.by, row.what, row.before, row.after) for row in history("prod", "orders", 2)] == [
        ("marko", "max_stalled", "3", ""),
        ("olena", "note", "", "a"),
    ]


def test_unchanged_settings_cost_one_query(django_assert_num_queries):
    change("prod", "orders", "olena", max_stalled=3)
    all_settings("prod")
    with django_assert_num_queries(1):
        assert queue_settings("prod", "orders").max_stalled == 3
    change("prod", "orders", "olena", max_stalled=4)
    assert queue_settings("prod", "orders").max_stalled == 4
