"""When dead jobs died, and the list of them in that order."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from django.db.transaction import atomic

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import servers
from echomq_admin.ledger.copying import copy
from echomq_admin.ledger.endings import deaths, names
from echomq_admin.ledger.endings.models import Ending, EndingKind, Source
from echomq_admin.ledger.models import Kind
from tests.console.scene import HX, A, B, C, keys_of, rows, tags, text, value
from tests.console.trails import entry, moved
from tests.ledger.endings.made import ending

URL = "/q/prod/orders/dead"
HOUR = 3_600_000


def page(browser, query: str = "", role: str = "viewer") -> str:
    answer = browser(role).get(URL + query)
    assert answer.status_code == 200
    return answer.content.decode()


def shown(html: str) -> list[str]:
    return [row.split()[0] for row in rows(html)]


def cell(html: str) -> str:
    """What the first row says of the death."""
    found = re.search(r'<td class="died".*?</td>', html, re.S)
    return text(found[0]).strip()


def why(html: str) -> str:
    return next(a["title"] for tag, a in tags(html) if tag == "td" and a.get("class") == "died")


def turns(html: str) -> dict[str, str]:
    return {a["rel"]: a["href"] for tag, a in tags(html) if tag == "a" and a.get("rel")}


def died(scene, job_id: str, ago_ms: int, **fields: object) -> None:
    """A dead job of three attempts whose death is known."""
    scene.dead(job_id)
    usual = {"attempts": 3, "within_ms": 0, "source": Source.SCRIPT}
    ending(job_id, EndingKind.DEAD, scene.now_ms() - ago_ms, **(usual | fields))


def test_each_row_says_when_its_job_died_and_how_exact_that_is(scene, browser):
    died(scene, A, 3 * HOUR)
    html = page(browser)
    assert cell(html).startswith("3 h ago")
    assert "exact" in why(html)


@pytest.mark.parametrize(
    ("fields", "said", "explained"),
    [
        ({"source": Source.OBSERVER, "within_ms": 400}, "3 h ago", "or up to 1 s earlier"),
        ({"source": Source.OBSERVER, "within_ms": 12_000}, "up to 12 s earlier", "seen by the"),
        ({"source": Source.FOUND}, "found 3 h ago", "at that time or before"),
    ],
)
def test_what_the_agent_saw_or_found_is_no_exact_time(scene, browser, fields, said, explained):
    died(scene, A, 3 * HOUR, **fields)
    html = page(browser)
    assert said in cell(html)
    assert explained in why(html)


def test_a_death_of_another_attempt_is_no_death_of_this_one(scene, browser):
    died(scene, A, 3 * HOUR, attempts=2)
    html = page(browser)
    assert cell(html) == "?"
    assert "its last known death was of attempt 2" in why(html)


def test_a_death_that_nobody_saw_is_not_known(scene, browser):
    scene.dead(A)
    html = page(browser)
    assert cell(html) == "?"
    assert "no death of this job is in the ledger" in why(html)


def test_who_was_buried_after_a_death_died_of_that(scene, browser):
    died(scene, A, 3 * HOUR)
    queue = EchoMQ(scene.store)
    queue.requeue("orders", [A], actor="olena", op_id="1")
    queue.bury("orders", [A], "poison", actor="olena", op_id="2")
    copy(servers.server("prod"), "orders")
    assert re.match(r"buried (just now|\d+ s ago)", cell(page(browser)))


@pytest.mark.parametrize(
    ("attempts", "fields"),
    [(3, {"kind": Kind.REFUSED, "stream_id": None}), (2, {})],
    ids=["refused", "of another attempt"],
)
def test_a_burial_that_was_refused_or_is_of_another_attempt_is_no_death(
    scene, browser, attempts, fields
):
    died(scene, A, 3 * HOUR)
    entry(moved(A, "buried", attempts, 0), at_ms=scene.now_ms() - 60_000, op="bury", **fields)
    assert cell(page(browser)).startswith("3 h ago")


def test_those_that_died_last_come_first_and_only_those_that_are_dead_still(scene, browser):
    died(scene, A, 3 * HOUR)
    died(scene, B, 1 * HOUR)
    died(scene, C, 2 * HOUR)
    ending("JOB0KHTOWnGLuX", EndingKind.DEAD, scene.now_ms(), attempts=1)
    html = page(browser, "?order=died")
    assert shown(html) == [B, C, A]
    assert "3 of 3 · recently died first" in text(html)
    assert "no known time" not in text(html)
    (sort,) = [a["aria-sort"] for tag, a in tags(html) if "aria-sort" in a]
    assert sort == "descending"


def test_a_job_that_died_twice_stands_where_it_died_last_and_once(scene, browser):
    died(scene, A, 3 * HOUR, attempts=2)
    died(scene, B, 2 * HOUR)
    died(scene, A, 1 * HOUR)
    assert shown(page(browser, "?order=died")) == [A, B]


def test_the_number_of_those_without_a_known_time_is_said_with_a_way_to_them(scene, browser):
    died(scene, A, HOUR)
    scene.dead(B)
    html = page(browser, "?order=died&rows=50")
    assert "1 dead job has no known time of death, or none yet, and so no place" in text(html)
    back = [a["href"] for tag, a in tags(html) if tag == "a" and a.get("href") == "?rows=50"]
    assert back
    assert set(shown(page(browser, back[0]))) == {A, B}


def test_of_more_deaths_than_are_looked_through_it_is_not_counted_how_many_lack(
    scene, browser, monkeypatch
):
    monkeypatch.setattr(deaths, "MOST", 2)
    for step, job_id in enumerate((A, B, C)):
        died(scene, job_id, (step + 1) * HOUR)
    html = page(browser, "?order=died")
    assert shown(html) == [A, B]
    assert "Dead jobs whose time of death is not known, or not yet, have no place" in text(html)
    assert "Looked back to" in text(html)
    assert shown(page(browser, turns(html)["next"])) == [C]


def test_a_list_of_nobody_whose_death_is_known_says_so(scene, browser):
    scene.dead(A)
    html = page(browser, "?order=died")
    assert rows(html) == []
    assert "No dead job with a known time of death" in text(html)
    assert "1 dead" in text(html)


def test_without_dead_jobs_both_orders_say_the_same(scene, browser):
    ending(A, EndingKind.DEAD, scene.now_ms())
    scene.pending(A)
    assert "No dead job" in text(page(browser, "?order=died"))


def many(scene, count: int) -> list[str]:
    """Jobs that died a minute apart, the last one first."""
    names = [f"JOB0KHTOWn{count - at:04}" for at in range(count)]
    for at, name in enumerate(names):
        died(scene, name, (at + 1) * 60_000)
    return names


def test_pages_go_on_behind_the_last_death_and_back_whatever_moved_meanwhile(scene, browser):
    names = many(scene, 60)
    first = page(browser, "?order=died")
    assert shown(first) == names[:25]
    assert "prev" not in turns(first)
    scene.store.zrem(scene.key("dead"), *names[20:30])
    second = page(browser, turns(first)["next"])
    assert shown(second) == names[30:55]
    third = page(browser, turns(second)["next"])
    assert shown(third) == names[55:]
    assert "next" not in turns(third)
    back = page(browser, turns(third)["prev"])
    assert shown(back) == names[30:55]
    assert shown(page(browser, turns(back)["prev"])) == [*names[:20], *names[30:35]]


def test_a_page_opens_at_the_jobs_that_died_by_a_time(scene, browser):
    names = many(scene, 30)
    html = page(browser, f"?order=died&at={scene.now_ms() - 10 * 60_000 - 30_000}")
    assert shown(html)[0] == names[10]
    assert "opened at the jobs that died by" in text(html)
    assert value(html, "at")
    before = page(browser, turns(html)["prev"])
    assert shown(before)[:10] == names[:10]


def test_a_time_before_all_deaths_says_so_and_leads_to_the_newer_ones(scene, browser):
    names = many(scene, 3)
    html = page(browser, "?order=died&at=1000")
    assert rows(html) == []
    assert "No dead job with a known time of death so early" in text(html)
    assert shown(page(browser, turns(html)["prev"])) == names


def test_a_relative_time_becomes_one_that_stays(scene, browser):
    many(scene, 3)
    answer = browser("viewer").get(URL + "?order=died&at=1+min+ago")
    assert answer.status_code == 302
    assert "order=died" in answer["Location"]


@pytest.mark.parametrize("size", [25, 50, 100])
def test_the_order_keeps_sizes_columns_and_ticks(scene, browser, size):
    names = many(scene, 101)
    html = page(browser, f"?order=died&rows={size}", "operator")
    assert shown(html) == names[:size]
    assert list(keys_of(html)) == names[:size]
    look = value(html, "look")
    assert "order=died" in look


def test_who_requeues_from_this_order_comes_back_to_it(scene, browser):
    died(scene, A, HOUR)
    died(scene, B, 2 * HOUR)
    who = browser("operator")
    html = who.get(URL + "?order=died").content.decode()
    sent = {name: value(html, name) for name in ("op_id", "look", "back")}
    key = keys_of(html)[A]
    answer = who.post("/q/prod/orders/requeue", sent | {"only": key}, headers=HX)
    assert "order=died" in answer["Location"]
    assert shown(who.get(answer["Location"]).content.decode()) == [B]


def test_the_column_can_be_left_out_in_either_order(scene, browser):
    died(scene, A, HOUR)
    who = browser("viewer")
    who.post("/columns/dead", {"column": ["error"]})
    for order in ("", "?order=died"):
        assert "3 h ago" not in text(who.get(URL + order).content.decode())


def test_other_lists_have_no_such_order(scene, browser):
    scene.pending(A)
    scene.pending(B)
    html = browser("viewer").get("/q/prod/orders/pending?order=died").content.decode()
    assert shown(html) == [A, B]


def test_a_dead_set_of_another_type_is_said_in_this_order_too(scene, browser):
    ending(A, EndingKind.DEAD, scene.now_ms())
    scene.pending(B)
    scene.store.set(scene.key("dead"), "x")
    html = page(browser, "?order=died")
    assert text(html).count("dead is a string, not a sorted set") == 1


@pytest.mark.parametrize("cursor", ["9999", "o1", "x" * 5000, "n0.0", "o-1.1"])
def test_a_cursor_that_leads_nowhere_breaks_nothing(scene, browser, cursor):
    died(scene, A, HOUR)
    assert "1 dead" in text(page(browser, f"?order=died&cursor={quote(cursor)}"))


@pytest.mark.parametrize("name", ["\udcff\udcfe", "a/b ~é"])
def test_ids_of_any_bytes_stand_in_this_order(scene, browser, name):
    died(scene, name, HOUR)
    html = page(browser, "?order=died")
    assert len(rows(html)) == 1
    assert "1 h ago" in rows(html)[0]


def test_an_id_that_is_too_long_for_the_ledger_is_found_by_what_stands_for_it(scene, browser):
    name = "x" * 300
    died(scene, name, HOUR)
    Ending.objects.update(job=names.job_ref(name))
    with atomic():
        names.one_writer()
        names.keep_ids([name], 1)
    for order in ("", "?order=died"):
        assert "1 h ago" in rows(page(browser, order))[0]
