"""What the page of a job tells of what people did to it: the trail, and what is not copied yet."""

from __future__ import annotations

from django.contrib.auth.models import User

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import servers
from echomq_admin.ledger import copying
from echomq_admin.ledger.models import Copied, Gap, Kind, TrailJob, job_key
from echomq_admin.operations.services import Call, perform
from tests.console.scene import HX, A, B, tags, text
from tests.console.trails import NOON, entry, moved, note

URL = f"/q/prod/orders/job/{A}"


def told(browser, url: str = URL) -> str:
    answer = browser("viewer").get(f"{url}/trail", headers=HX | {"HX-Target": "trail"})
    assert answer.status_code == 200
    return text(answer.content.decode())


def copy() -> None:
    copying.copy(servers.server("prod"), "orders")


def requeue(scene, *job_ids: str, actor: str = "olena") -> None:
    for job_id in job_ids:
        scene.dead(job_id)
    EchoMQ(scene.store).requeue("orders", job_ids, actor=actor)


def test_what_was_copied_and_what_was_not_are_told_once_each(scene, browser):
    requeue(scene, A, B, actor="early")
    copy()
    requeue(scene, A, actor="late")
    said = told(browser)
    assert said.index("requeue by late") < said.index("requeue by early")
    assert said.count("this job: requeued") == 2
    assert "1 of the newest entries of the queue's audit is not in the trail yet" in said
    copy()
    said = told(browser)
    assert said.count("this job: requeued") == 2
    assert "not in the trail yet" not in said


def test_it_is_told_from_the_trail_when_the_stream_is_gone(scene, browser):
    requeue(scene, A)
    copy()
    scene.store.delete(scene.admin + b"audit")
    assert "requeue by olena" in told(browser)
    assert "Trail of the job" in text(browser().get(URL).content.decode())


def test_a_job_that_only_the_trail_names_was_here(scene, browser):
    scene.dead(B)
    entry(moved(A, "removed"), op="remove")
    said = text(browser().get(URL).content.decode())
    assert "audit of this queue names it" in said
    assert "remove by olena" in told(browser)


def test_reasons_and_refused_attempts_are_told_as_well(scene, browser):
    scene.dead(A)
    entry(moved(A), reason="mail is back")
    refused = note(Kind.REFUSED, "remove", "petro", server="prod", queue=b"orders")
    TrailJob.objects.create(entry=refused, job=job_key(A), at_ms=NOON)
    said = told(browser)
    assert "mail is back" in said
    assert "refused remove by petro" in said


def test_a_job_of_the_same_id_in_another_queue_is_another_job(scene, browser):
    scene.dead(A)
    entry(moved(A), queue=b"others", actor="petro")
    assert "Nothing is on record of it." in told(browser)


def test_more_news_than_are_read_are_not_said_to_be_all(scene, browser):
    requeue(scene, A)
    for _ in range(60):
        EchoMQ(scene.store).pause("orders", actor="olena")
        EchoMQ(scene.store).resume("orders", actor="olena")
    said = told(browser)
    assert "100 or more of the newest entries" in said
    assert "this job: requeued" not in said


def test_a_gap_of_its_queue_may_have_named_it(scene, browser):
    scene.dead(A)
    entry(moved(A))
    Gap.objects.create(
        server="prod", queue=b"orders", after_id="1-0", before_id=f"{NOON - 9}-0",
        found_at_ms=NOON, sentence="7 entries are lost.",
    )  # fmt: skip
    assert "7 entries are lost." in told(browser)


def test_a_stream_that_cannot_be_read_leaves_the_trail(scene, browser):
    scene.dead(A)
    entry(moved(A))
    scene.store.set(scene.admin + b"audit", "x")
    said = told(browser)
    assert "requeue by olena" in said
    assert "The audit stream cannot be read" in said


def test_a_stream_that_began_anew_is_read_whole(scene, browser):
    Copied.objects.create(server="prod", queue=b"orders", last_id="5-0")
    requeue(scene, A)
    assert "this job: requeued" in told(browser)


def test_a_requeue_can_be_undone_from_the_trail_of_the_job_by_whom_it_is_permitted(scene, browser):
    scene.dead(A)
    who = browser("operator")
    operator = User.objects.get(username="operator-olena")
    done = perform(operator, Call("requeue", "prod", "orders", [A]))
    copy()
    html = who.get(f"{URL}/trail").content.decode()
    undo = f"/q/prod/orders/undo/{done.call.op_id}"
    assert f'action="{undo}"' in html
    assert undo not in browser("viewer").get(f"{URL}/trail").content.decode()
    look = next(a["value"] for tag, a in tags(html) if a.get("name") == "look")
    answer = who.post(undo, {"back": "trail", "look": look}, follow=True)
    assert answer.redirect_chain[0][0].startswith("/trail?")
    assert f"job={A}" in answer.redirect_chain[0][0]
    assert scene.members("dead") == [A.encode()]
