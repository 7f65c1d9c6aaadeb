"""Lists that open at a time, and lists read the other way round."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from echomq_admin.emq import ids, pages
from echomq_admin.fleet import moments
from tests.console.scene import HX, A, rows, tags, text, value

LISTS = ("pending", "active", "scheduled", "dead")
SETS = {"scheduled": "schedule"}
MINUTE = 60_000


@pytest.fixture
def hours(scene) -> tuple[int, list[str]]:
    """300 jobs in each list, one a minute up to now; deadlines and due times are mint times."""
    now = scene.now_ms()
    start = now - 299 * MINUTE
    names = [ids.mint("JOB", start + MINUTE * n) for n in range(300)]
    for tab in LISTS:
        scores = {job: start + MINUTE * n for n, job in enumerate(names)}
        key = scene.key(SETS.get(tab, tab))
        scene.store.zadd(key, scores if tab in {"active", "scheduled"} else dict.fromkeys(names, 0))
    for job in names:
        scene.row(job, state="x")
    return start, names


def get(browser, tab: str, **query: str):
    return browser("viewer").get(f"/q/prod/orders/{tab}", query)


def shown(html: str) -> list[str]:
    return [row.split()[0] for row in rows(html)]


def links(html: str) -> dict[str, str]:
    return {a["rel"]: a["href"] for tag, a in tags(html) if tag == "a" and a.get("rel")}


@pytest.mark.parametrize("tab", LISTS)
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_a_list_opens_at_a_time_and_goes_on_by_cursor(hours, browser, tab, order):
    start, names = hours
    answer = get(browser, tab, at=str(start + 100 * MINUTE), order=order)
    html = answer.content.decode()
    first = names[100:125] if order == "asc" else names[100:75:-1]
    assert shown(html) == first
    assert value(html, "at") == str(start + 100 * MINUTE)
    assert "opened at" in text(html)
    onward = browser("viewer").get(f"/q/prod/orders/{tab}{links(html)['next']}").content.decode()
    assert shown(onward) == (names[125:150] if order == "asc" else names[75:50:-1])
    assert "opened at" not in text(onward)
    back = browser("viewer").get(f"/q/prod/orders/{tab}{links(html)['prev']}").content.decode()
    assert shown(back) == (names[75:100] if order == "asc" else names[125:100:-1])


@pytest.mark.parametrize("tab", LISTS)
def test_a_time_from_now_settles_to_an_address_that_a_colleague_can_open(hours, browser, tab):
    _, names = hours
    answer = get(browser, tab, at="100 min ago", rows="50", order="asc")
    assert answer.status_code == 302
    assert "at=20" in answer["Location"]
    assert "rows=50" in answer["Location"]
    html = browser("viewer").get(answer["Location"]).content.decode()
    assert shown(html)[0] in names[198:202]
    assert len(shown(html)) == 50


@pytest.mark.parametrize("tab", LISTS)
@pytest.mark.parametrize("typed", ["<b>nonsense</b>", "25:99", "9" * 30, "in 9 eons", "\x00"])
def test_what_is_no_time_is_said_beside_the_field_and_the_list_stays(hours, browser, tab, typed):
    html = get(browser, tab, at=typed).content.decode()
    assert "is no time that can be read" in text(html) or "is no time of day" in text(html)
    assert value(html, "at") == typed.replace("\0", "\ufffd")
    assert "<b>nonsense" not in html
    assert shown(html) == shown(get(browser, tab).content.decode())
    field = next(a for tag, a in tags(html) if a.get("id") == "at")
    assert field["aria-invalid"] == "true"
    assert any(a.get("id") == field["aria-describedby"] for _, a in tags(html))


@pytest.mark.parametrize("tab", LISTS)
@pytest.mark.parametrize("at", ["-5", "0", "2099-01-01", "999999999999999", "-999999999999999"])
def test_a_time_outside_of_the_list_opens_its_nearest_rows(hours, browser, tab, at):
    html = get(browser, tab, at=at).content.decode()
    assert len(shown(html)) == 25


@pytest.mark.parametrize("tab", LISTS)
def test_the_sorted_heading_turns_the_list_round_and_no_other_pretends_to(hours, browser, tab):
    _, names = hours
    html = get(browser, tab, rows="50").content.decode()
    heads = [a for tag, a in tags(html) if tag == "th"]
    (sorted_by,) = [a["aria-sort"] for a in heads if "aria-sort" in a]
    assert sorted_by == ("descending" if tab == "dead" else "ascending")
    head = html.split('<table class="rows')[1].split("</thead>")[0]
    hrefs = [a["href"] for tag, a in tags(head) if tag == "a"]
    (turn,) = [href for href in hrefs if "order=died" not in href]
    assert "rows=50" in turn
    turned = browser("viewer").get(f"/q/prod/orders/{tab}{turn}").content.decode()
    assert shown(turned) == (names[:50] if tab == "dead" else names[:-51:-1])
    (sorted_by,) = [a["aria-sort"] for tag, a in tags(turned) if "aria-sort" in a]
    assert sorted_by == ("ascending" if tab == "dead" else "descending")


def test_scores_that_differ_cannot_be_opened_at_a_time_and_no_heading_claims_an_order(
    hours, scene, browser
):
    start, names = hours
    scene.store.zadd(scene.key("dead"), {names[7]: 1})
    html = get(browser, "dead", at=str(start)).content.decode()
    assert "cannot be opened at a time" in text(html)
    assert shown(html)[0] == names[7]
    assert "aria-sort" not in html
    assert "minted first" not in text(html)


def test_ids_that_tell_no_time_cannot_be_opened_at_one(scene, browser):
    scene.dead("user/1")
    html = get(browser, "dead", at="0").content.decode()
    assert "no id of it tells when it was minted" in text(html)
    assert len(rows(html)) == 1


def test_the_namespace_that_tells_the_time_is_said_and_can_be_chosen(hours, scene, browser):
    start, names = hours
    others = [ids.mint("CMD", start + MINUTE * n) for n in range(300)]
    scene.store.zadd(scene.key("dead"), dict.fromkeys(others, 0))
    at = str(start + 100 * MINUTE)
    html = get(browser, "dead", at=at).content.decode()
    assert shown(html)[0] == names[100]
    assert "by JOB ids" in text(html)
    assert "only among ids that begin alike" in text(html)
    options = [a for tag, a in tags(html) if tag == "option"]
    assert [("selected" in a) for a in options] == [True, False]
    html = get(browser, "dead", **{"at": at, "in": "CMD"}).content.decode()
    assert shown(html)[0] == others[100]
    assert "by CMD ids" in text(html)


def test_a_list_of_another_namespace_is_asked_by_it_and_shows_its_texts(scene, browser):
    for n in range(3):
        scene.dead(ids.mint("CMD", scene.now_ms() - MINUTE * n), last_error="boom")
    html = get(browser, "dead").content.decode()
    assert value(html, "in") == "CMD"
    html = get(browser, "dead", at="2000000000000", **{"in": "CMD"}).content.decode()
    assert all("boom" in row for row in rows(html))
    assert "by CMD ids" not in text(html)


def test_minted_is_never_called_died(hours, browser):
    start, _ = hours
    said = text(get(browser, "dead", at=str(start)).content.decode())
    assert "opened at the jobs minted" in said
    assert "opened at the jobs that died" not in said


@pytest.mark.parametrize("tab", LISTS)
@pytest.mark.parametrize(
    "query",
    ["page=9999", "page=-1", "rows=1e9", "rows=-1", "cursor=abc", "cursor=%00&at=0", "order=up"],
)
def test_garbage_opens_the_nearest_real_page(hours, browser, tab, query):
    answer = browser("viewer").get(f"/q/prod/orders/{tab}?{query}&per_page=100000000")
    assert answer.status_code == 200
    assert len(rows(answer.content.decode())) == 25


@pytest.mark.parametrize("tab", LISTS)
def test_an_emptied_last_page_falls_back_to_rows(hours, scene, browser, tab):
    _, names = hours
    key = scene.key(SETS.get(tab, tab))
    scene.store.zrem(key, *names[26:])
    who = browser("viewer")
    last = links(who.get(f"/q/prod/orders/{tab}").content.decode())["next"]
    left = shown(who.get(f"/q/prod/orders/{tab}{last}").content.decode())
    assert len(left) == 1
    scene.store.zrem(key, *left)
    html = who.get(f"/q/prod/orders/{tab}{last}").content.decode()
    assert len(rows(html)) == 25
    assert "25 of 25" in text(html)


@pytest.mark.parametrize("tab", LISTS)
def test_a_poll_of_a_jumped_list_reads_the_same_rows(hours, browser, tab):
    start, _ = hours
    at = f"/q/prod/orders/{tab}?at={start + 100 * MINUTE}"
    who = browser("viewer")
    whole = who.get(at).content.decode()
    assert shown(who.get(at, headers=HX).content.decode()) == shown(whole)


def test_a_job_that_leaves_the_set_between_the_round_trips_breaks_nothing(
    scene, browser, monkeypatch
):
    scene.pending(A)
    who = browser("viewer")
    who.get("/q/prod/orders/pending")
    begin = pages.begin_rows

    def leaving(keys, cut, second, third):
        scene.store.delete(scene.key("pending"), scene.key(f"job:{A}"))
        return begin(keys, cut, second, third)

    monkeypatch.setattr(pages, "begin_rows", leaving)
    (row,) = rows(who.get("/q/prod/orders/pending").content.decode())
    assert "row missing" in row


def test_a_zone_that_does_not_exist_is_said(hours, browser):
    html = get(browser, "dead", at="13:00", zone="Nowhere/<b>").content.decode()
    assert "No zone is called “Nowhere/<b>” here" in text(html)
    assert value(html, "at") == "13:00"


def test_a_time_of_another_zone_settles_to_an_address_without_it(hours, browser):
    answer = get(browser, "dead", at="2026-01-01 12:00", zone="Asia/Kathmandu")
    assert answer.status_code == 302
    at = QueryDict(answer["Location"].partition("?")[2]).dict()
    assert at.keys() == {"at"}
    assert moments.read(at["at"], 0).ms == 1_767_248_100_000
