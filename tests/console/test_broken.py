"""The console in its own way: a database in trouble, and requests that it cannot take."""

from __future__ import annotations

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import Group, User
from django.db import OperationalError
from django.test import Client

from echomq_admin.fleet import preferences
from echomq_admin.fleet.own_database import is_postgresql
from tests.console.scene import HX, Scene, text
from tests.locking import LOCKED, locked


def failing(*_: object, **__: object) -> None:
    raise OperationalError("disk I/O error")


def test_a_read_of_the_database_that_fails_is_a_sentence(scene, browser, monkeypatch):
    scene.pending("JOBx")
    who = browser("viewer")
    monkeypatch.setattr(preferences, "history", failing)
    answer = who.get("/q/prod/orders/settings")
    said = text(answer.content.decode())
    assert answer.status_code == 503
    helps = "See that DATABASE_URL" if is_postgresql() else "See that the folder of EMQ_DATA"
    assert f"own database cannot be used: disk I/O error. {helps}" in said
    answer = who.get("/q/prod/orders/settings", headers=HX)
    assert (answer.status_code, answer["Content-Type"][:10]) == (503, "text/plain")


def test_a_database_that_fails_all_the_way_is_a_sentence_too(prod, browser, monkeypatch):
    who = browser("viewer")
    for name in ("execute", "executemany"):
        monkeypatch.setattr(f"django.db.backends.utils.CursorWrapper.{name}", failing)
    answer = who.get("/")
    monkeypatch.undo()
    assert answer.status_code == 503
    assert "disk I/O error" in text(answer.content.decode())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/q/prod/orders/hide", {"hidden": "1"}),
        ("/q/prod/orders/settings", {"note": "x"}),
        ("/q/prod/orders/forget", {}),
        ("/s/prod/add", {"name": "more"}),
        ("/q/prod/orders/requeue", {}),
    ],
)
def test_a_locked_database_is_told_and_never_called_a_wrong_request(
    settings, server_url, client, path, fields
):
    settings.EMQ_SERVERS = f"prod={server_url}"
    Scene(client, "orders").pending("JOBx")
    Group.objects.get_or_create(name="admin")
    user, _ = User.objects.get_or_create(username="olena", is_superuser=True)
    preferences.add("prod", "orders", "x")
    who = Client()
    who.force_login(user)
    with locked():
        answer = who.post(path, fields)
    said = text(answer.content.decode())
    assert answer.status_code in {200, 503}
    assert LOCKED in said
    assert "EMQ_HOSTS" not in said
    assert preferences.own("prod", "orders") == preferences.Own()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("password", ["long enough 1", "wrong"])
def test_a_sign_in_while_the_database_is_locked_is_told_so_and_counts_as_nothing(
    settings, server_url, password
):
    settings.EMQ_SERVERS = f"prod={server_url}"
    User.objects.create_user("olena", password="long enough 1")
    with locked():
        answer = Client().post("/login/", {"username": "olena", "password": password})
    assert answer.status_code == 503
    assert f"{LOCKED}. Another process holds it." in text(answer.content.decode())
    assert not AccessAttempt.objects.exists()
    assert Client().get("/login/").status_code == 200


@pytest.mark.parametrize("checks", [True, False])
def test_a_form_that_is_too_large_is_told_so(scene, browser, checks):
    scene.pending("JOBx")
    who = browser("admin", enforce_csrf_checks=checks)
    who.get("/q/prod/orders/settings")
    answer = who.post("/q/prod/orders/requeue", {"note": "x" * 5_100_000})
    said = text(answer.content.decode())
    assert answer.status_code == 413
    assert "larger than the 5,000,000 bytes" in said
    assert "EMQ_HOSTS" not in said


def test_too_many_fields_are_told_so(scene, browser, settings):
    scene.pending("JOBx")
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 3
    answer = browser("operator").post("/q/prod/orders/requeue", {"only": list("abcdef")})
    assert answer.status_code == 413
    assert "more than the 3 things" in text(answer.content.decode())


def test_a_strange_host_is_told_which_setting_names_it(browser, prod):
    answer = browser("viewer").get("/", headers={"host": "elsewhere.example"})
    assert answer.status_code == 400
    assert "EMQ_HOSTS" in text(answer.content.decode())


def test_what_anyone_can_send_leaves_one_line_in_the_log(caplog):
    import logging

    from echomq_admin.console.log import NoTraceOfTheWire

    record = logging.LogRecord("django.security.X", 40, "", 1, "no", (), (ValueError, None, None))
    assert NoTraceOfTheWire().filter(record)
    assert record.exc_info is None
