"""Requeue from the page of the job: the page itself says what became of it."""

from __future__ import annotations

from tests.console.scene import A, G, tags, text, value

URL = f"/q/prod/orders/job/{A}"
POST = "/q/prod/orders/requeue"


def form(who) -> dict[str, str]:
    html = who.get(URL).content.decode()
    only = next(a["value"] for tag, a in tags(html) if tag == "button" and a.get("name") == "only")
    return {"op_id": value(html, "op_id"), "back": value(html, "back"), "only": only}


def test_one_press_requeues_and_comes_back_to_the_job(scene, browser):
    scene.dead(A, group=G)
    who = browser("operator")
    answer = who.post(POST, form(who), follow=True)
    assert answer.redirect_chain[0][0].startswith(URL + "?did=")
    said = text(answer.content.decode())
    assert f"{A} requeued" in said
    assert "queues / prod / orders / lane " + G in said
    assert scene.members(f"g:{G}:pending") == [A.encode()]


def test_a_job_that_is_dead_no_longer_is_refused_on_its_page(scene, browser):
    scene.dead(A)
    who = browser("operator")
    pressed = form(who)
    scene.store.zrem(scene.key("dead"), A)
    scene.store.zadd(scene.key("pending"), {A: 0})
    answer = who.post(POST, pressed, follow=True)
    assert answer.status_code == 200
    assert "no longer dead: it is waiting again or was taken by a worker." in text(
        answer.content.decode()
    )
    assert scene.members("pending") == [A.encode()]


def test_the_attempts_that_were_seen_fence_the_press(scene, browser):
    scene.dead(A)
    who = browser("operator")
    pressed = form(who)
    scene.store.hset(scene.key(f"job:{A}"), "attempts", 4)
    answer = who.post(POST, pressed, follow=True)
    assert "changed meanwhile" in text(answer.content.decode())
    assert scene.members("dead") == [A.encode()]
