"""Who signed in and out, who failed to, and who was not let do a thing: all of it in the trail."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError
from django.test import Client

from echomq_admin.console import noting
from echomq_admin.ledger.models import TrailEntry, TrailJob, job_key
from tests.console.scene import HX, A, B, dump
from tests.console.signing.desk import PASSWORD, fails, sentences, trail, tries


def test_a_sign_in_and_a_sign_out_are_noted_with_the_address(olena):
    who = Client()
    tries("olena", PASSWORD, who=who)
    who.post("/logout/", REMOTE_ADDR="192.0.2.1")
    assert trail() == [("sign-in", "signed in", "olena"), ("sign-in", "signed out", "olena")]
    assert sentences() == [
        "olena signed in from 192.0.2.1.",
        "olena signed out from 192.0.2.1.",
    ]


def test_a_sign_out_of_nobody_and_a_look_at_the_page_are_not_noted(prod):
    Client().get("/login/")
    Client().post("/logout/")
    Client().post("/login/", {"username": "olena", "password": ""})
    assert trail() == []


def test_a_failed_sign_in_is_noted_and_so_is_the_one_that_locks_but_none_behind_it(olena):
    fails(9, "olena")
    assert trail() == [
        *[("sign-in", "sign-in failed", "olena")] * 4,
        ("sign-in", "locked out", "olena"),
    ]
    assert sentences()[0] == "A sign-in as olena failed from 192.0.2.1."
    assert sentences()[4] == (
        "A sign-in as olena failed from 192.0.2.1, one too many: "
        "sign-ins as olena from there are refused for 15 min."
    )


def test_what_was_typed_as_a_name_is_not_written_down_unless_it_is_one(olena, caplog):
    tries("Tr0ub4dor-and-3")
    assert trail() == [("sign-in", "sign-in failed", "")]
    assert sentences() == ["A sign-in as somebody without an account failed from 192.0.2.1."]
    assert "Tr0ub4dor" not in caplog.text
    assert "somebody without an account failed from 192.0.2.1" in caplog.text


def test_a_closed_account_is_noted_by_its_name(olena):
    User.objects.update(is_active=False)
    tries("olena", PASSWORD)
    assert trail() == [("sign-in", "sign-in failed", "olena")]


def test_a_name_that_would_turn_the_text_round_is_escaped(prod):
    User.objects.create_user("a\u202eb", password=PASSWORD)
    tries("a\u202eb", PASSWORD)
    assert sentences() == ["a\\u202eb signed in from 192.0.2.1."]


@pytest.mark.parametrize("headers", [{}, HX])
def test_a_press_without_the_role_is_noted_with_its_jobs(scene, browser, headers):
    scene.dead(A)
    before = dump(scene.store)
    answer = browser("viewer").post(
        "/q/prod/orders/requeue", {"job": [f"3:0:{A}", f"3:0:{B}"]}, headers=headers
    )
    assert answer.status_code == 403
    entry = TrailEntry.objects.get()
    assert (entry.kind, entry.op, entry.actor) == ("refused", "requeue", "viewer-olena")
    assert (entry.server, bytes(entry.queue), entry.n) == ("prod", b"orders", 2)
    assert entry.sentence.startswith("viewer-olena may not use Requeue: it takes the role operator")
    assert {bytes(job.job) for job in TrailJob.objects.all()} == {job_key(A), job_key(B)}
    assert dump(scene.store) == before


def test_presses_of_every_kind_are_noted(scene, browser):
    scene.dead(A)
    for path in ("sweep", "settings", "hide", "forget", "remove", "drain"):
        browser("viewer").post(f"/q/prod/orders/{path}", {"job": f"3:0:{A}"})
    browser("viewer").post("/s/prod/add", {"name": "more"})
    assert [op for _, op, _ in trail()] == [
        "sweep",
        "set_queue",
        "hide_queue",
        "forget_queue",
        "remove",
        "drain",
        "add_queue",
    ]


def test_a_look_that_is_refused_and_a_press_without_a_session_are_not_noted(scene, browser):
    browser("viewer").get("/s/prod/add")
    browser("nobody").get("/")
    browser("anonymous").post("/q/prod/orders/requeue", {"only": f"3:0:{A}"})
    browser("viewer", enforce_csrf_checks=True).post("/q/prod/orders/requeue")
    assert trail() == []


def test_a_press_that_names_its_jobs_wrongly_is_noted_all_the_same(scene, browser):
    browser("viewer").post("/q/prod/orders/requeue", {"job": ["nonsense"]})
    assert trail() == [("refused", "requeue", "viewer-olena")]


def test_only_the_first_of_many_jobs_are_found_by_their_ids(scene, browser):
    ids = [f"JOB{n:011}" for n in range(noting.MOST_JOBS + 5)]
    browser("viewer").post("/q/prod/orders/requeue", {"job": [f"3:0:{one}" for one in ids]})
    assert TrailEntry.objects.get().n == len(ids)
    assert TrailJob.objects.count() == noting.MOST_JOBS


def test_a_trail_that_takes_nothing_keeps_nobody_out(scene, browser, olena, monkeypatch, caplog):
    def broken(*_args, **_options):
        raise DatabaseError("disk full")

    monkeypatch.setattr("echomq_admin.ledger.notes.note", broken)
    assert tries("olena", PASSWORD).status_code == 302
    assert tries("olena").status_code == 200
    assert browser("viewer").post("/q/prod/orders/requeue").status_code == 403
    assert "not in the trail (disk full): olena signed in from 192.0.2.1." in caplog.text
