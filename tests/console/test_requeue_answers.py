"""What a requeue answers when reality has moved on, and when it is asked twice."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ
from tests.console.pressing import DEAD, URL, confirm, press
from tests.console.scene import HX, A, B, C, dump, keys_of, rows, text, value


def test_what_is_missing_or_moved_is_said_beside_what_was_requeued(scene, browser):
    for job_id in (A, B, C):
        scene.dead(job_id)
    who = browser()
    found = keys_of(who.get(DEAD).content.decode())
    scene.store.delete(scene.key(f"job:{B}"))
    scene.store.zrem(scene.key("dead"), C)
    scene.store.zadd(scene.key("pending"), {C: 0})
    answer = confirm(who, A, B, C, keys=found)
    said = text(answer.content.decode())
    assert answer.status_code == 200
    assert "1 requeued, 1 row missing, 1 no longer dead" in said
    assert f"{C} : no longer dead" in said
    assert "row missing" in next(row for row in rows(answer.content.decode()) if B in row)


def test_a_conflict_is_said_on_the_page_that_stays(scene, browser):
    scene.many_dead(3)
    scene.dead(A)
    who = browser()
    found = keys_of(who.get(DEAD).content.decode())
    scene.store.zrem(scene.key("dead"), A)
    scene.store.zadd(scene.key("pending"), {A: 0})
    answer = who.post(URL, {"only": found[A]}, headers=HX, follow=True)
    html = answer.content.decode()
    assert answer.status_code == 200
    assert "<html" not in html
    assert "no longer dead" in text(html)
    assert len(rows(html)) == 3


def test_a_press_that_came_too_late_is_no_alarm(scene, browser):
    scene.dead(A)
    who = browser()
    found = keys_of(who.get(DEAD).content.decode())
    scene.store.zrem(scene.key("dead"), A)
    scene.store.zadd(scene.key("pending"), {A: 0})
    html = who.post(URL, {"only": found[A]}, follow=True).content.decode()
    said = text(html)
    assert f"{A} not requeued" in said
    assert 'class="note soon"' in html
    assert "note lapsed" not in html
    assert "Reload the list" not in said
    assert "Attempts are kept" not in said


def test_the_page_and_its_cursor_stay_after_the_action(scene, browser):
    made = scene.many_dead(60)
    who = browser()
    first = who.get(DEAD + "?rows=25").content.decode()
    cursor = first.split('rel="next" href="?')[1].split('"')[0].replace("&amp;", "&")
    second = who.get(f"{DEAD}?{cursor}").content.decode()
    job_id = made[60 - 30]
    data = {"look": value(second, "look"), "only": keys_of(second)[job_id]}
    answer = who.post(URL, data, follow=True)
    assert cursor in answer.redirect_chain[-1][0]
    assert made[60 - 31] in text(answer.content.decode())


def test_ticks_of_refused_jobs_stay(scene, browser):
    scene.dead(A, attempts=3)
    scene.dead(B)
    who = browser()
    found = keys_of(who.get(DEAD).content.decode())
    scene.store.hset(scene.key(f"job:{A}"), "attempts", 4)
    answer = confirm(who, A, B, keys=found)
    row = next(part for part in answer.content.decode().split("<tr ")[1:] if A in part)
    assert " checked" in row
    assert "changed" in text(row)


def test_the_token_that_was_seen_fences_the_job(scene, browser):
    scene.dead(A, attempts=3)
    who = browser()
    found = keys_of(who.get(DEAD).content.decode())
    assert found[A].startswith("3:")
    scene.store.hset(scene.key(f"job:{A}"), "attempts", 4)
    answer = who.post(URL, {"only": found[A]}, follow=True)
    assert "changed meanwhile" in text(answer.content.decode())
    assert scene.members("dead") == [A.encode()]


def test_a_double_click_moves_a_job_once_even_when_it_dies_between(scene, browser):
    scene.dead(A)
    who = browser()
    html = who.get(DEAD).content.decode()
    data = {"op_id": value(html, "op_id"), "only": keys_of(html)[A]}
    first = who.post(URL, data, follow=True)
    scene.store.zrem(scene.key("pending"), A)
    scene.store.zadd(scene.key("dead"), {A: 0})
    second = who.post(URL, data, follow=True)
    assert " requeued" in text(first.content.decode())
    assert " requeued" in text(second.content.decode())
    assert scene.members("dead") == [A.encode()]
    assert scene.store.xlen(scene.admin + b"audit") == 1


def test_a_job_that_died_again_is_another_call_of_the_same_form(scene, browser):
    scene.dead(A, attempts=3)
    who = browser()
    html = who.get(DEAD).content.decode()
    data = {"op_id": value(html, "op_id"), "only": keys_of(html)[A]}
    who.post(URL, data)
    scene.store.zrem(scene.key("pending"), A)
    scene.dead(A, attempts=4)
    who.post(URL, data | {"only": keys_of(who.get(DEAD).content.decode())[A]})
    assert scene.members("pending") == [A.encode()]


def test_two_buttons_of_one_form_are_two_calls(scene, browser):
    scene.dead(A)
    scene.dead(B)
    who = browser()
    html = who.get(DEAD).content.decode()
    found = keys_of(html)
    for job_id in (A, B):
        who.post(URL, {"op_id": value(html, "op_id"), "only": found[job_id]})
    assert scene.members("pending") == [A.encode(), B.encode()]


def test_fifty_one_jobs_that_fail_fast_are_moved_once_each_and_a_second_user_moves_none(
    scene, browser
):
    made = scene.many_dead(51)
    one, two = browser("operator"), browser("admin")
    found = keys_of(one.get(DEAD + "?rows=100").content.decode())
    first = confirm(one, *made, keys=found)
    queue = EchoMQ(scene.store)
    while claim := queue.claim("orders", 1000):
        queue.retry("orders", claim.job_id, claim.attempts, 0, 1, "failed fast")
    second = confirm(two, *made, keys=found)
    assert "51 requeued" in text(first.content.decode())
    assert "0 requeued, 51 changed meanwhile" in text(second.content.decode())
    assert all(scene.field(job_id, "attempts") == b"4" for job_id in made)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"ids": "<b>x</b>"},
        {"job": "<b>x</b>", "shown": "1"},
        {"only": "3"},
        {"only": "x:y:z"},
        {"only": "1:0:~%%%"},
        {"only": "1:0:"},
        {"only": "9" * 6000 + ":0:" + A},
    ],
)
def test_a_form_that_no_page_wrote_moves_nothing_and_is_answered_in_words(scene, browser, data):
    scene.dead(A)
    before = dump(scene.store)
    answer = browser().post(URL, data, follow=True)
    html = answer.content.decode()
    assert answer.status_code == 200
    assert "<b>x</b>" not in html
    assert "Nothing was changed" in text(html)
    assert dump(scene.store) == before


def test_after_a_script_flush_the_button_still_works(scene, browser):
    scene.dead(A)
    scene.dead(B)
    who = browser()
    press(who, A)
    scene.store.script_flush()
    press(who, B)
    assert scene.members("pending") == [A.encode(), B.encode()]
