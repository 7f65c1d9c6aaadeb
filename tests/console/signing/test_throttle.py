"""Too many failed sign-ins are refused for a while: by name and address, and by address alone."""

from __future__ import annotations

import re
from datetime import timedelta
from io import StringIO

import pytest
from axes.models import AccessAttempt
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from django.utils import timezone

from echomq_admin.console.signing import views
from tests.console.scene import text
from tests.console.signing.desk import PASSWORD, fails, later, tries

pytestmark = pytest.mark.usefixtures("olena")


def test_the_fifth_failure_locks_and_the_right_password_is_not_looked_at():
    assert fails(5, "olena") == [200, 200, 200, 200, 429]
    assert tries("olena", PASSWORD).status_code == 429


def test_another_address_and_another_name_are_not_locked_with_it():
    fails(5, "olena")
    assert tries("olena", PASSWORD, at="192.0.2.9").status_code == 302
    assert tries("petro").status_code == 200


def test_a_name_that_is_no_account_is_answered_alike():
    for name in ("olena", "nobody"):
        said = [text(tries(name).content.decode()) for _ in range(5)]
        assert said[0] == said[3]
        assert "Too many sign-ins failed" in said[4]
        assert AccessAttempt.objects.filter(username=name).exists()


def test_the_page_says_from_when_on_it_may_be_tried_again():
    fails(4, "olena")
    later(5)
    answer = tries("olena")
    said = text(answer.content.decode())
    # The oldest of the failures are forgotten together: four, five minutes ago.
    assert 9 * 60 <= int(answer["Retry-After"]) <= 15 * 60
    assert re.search(r"Try again at [\d :-]{8,16} UTC, in (9|1[0-5]) min;", said)
    assert "manage.py account NAME --unlock" in said
    assert 'value="olena"' in answer.content.decode()


def test_it_may_be_tried_again_after_the_time_and_not_before():
    fails(5, "olena")
    wait_s = int(tries("olena", PASSWORD)["Retry-After"])
    later(wait_s / 60 - 0.1)
    assert tries("olena", PASSWORD).status_code == 429
    later(0.2)
    assert tries("olena", PASSWORD).status_code == 302


def test_what_is_sent_while_it_is_locked_makes_it_no_longer():
    fails(5, "olena")
    later(10)
    fails(3, "olena")
    later(5.1)
    assert tries("olena", PASSWORD).status_code == 302


def test_the_time_that_is_told_is_the_same_at_each_further_try(monkeypatch):
    fails(5, "olena")
    told = set()
    for seconds in (0, 20, 41, 62):
        now = timezone.now() + timedelta(seconds=seconds)
        monkeypatch.setattr(views.timezone, "now", lambda now=now: now)
        said = text(tries("olena").content.decode())
        monkeypatch.undo()
        told.add(re.search(r"Try again at ([\d :-]{8,16}) UTC", said)[1])
    assert len(told) == 1


def test_a_sign_in_that_works_forgets_the_failures_before_it():
    fails(4, "olena")
    assert tries("olena", PASSWORD).status_code == 302
    assert fails(4, "olena") == [200] * 4


def test_other_browsers_of_one_address_count_together():
    made = [tries("olena", HTTP_USER_AGENT=f"browser {n}").status_code for n in range(5)]
    assert made == [200, 200, 200, 200, 429]


def test_one_address_that_tries_many_names_is_locked_for_all_of_them(settings):
    settings.AXES_FAILURE_LIMIT = 2
    made = [tries(f"name{n}").status_code for n in range(20)]
    assert made == [200] * 19 + [429]
    assert tries("olena", PASSWORD).status_code == 429
    assert tries("olena", PASSWORD, at="192.0.2.9").status_code == 302
    later(15.1)
    assert tries("olena", PASSWORD).status_code == 302


def test_behind_a_proxy_that_hides_the_browsers_no_address_is_locked_for_all(settings):
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.AXES_FAILURE_LIMIT = 2
    assert 429 not in [tries(f"name{n}").status_code for n in range(25)]


def test_behind_proxies_the_browser_is_told_by_the_header_that_they_write(settings):
    settings.EMQ_PROXIES = 1
    for n in range(5):
        # The left part is what the browser claims, another one each time.
        header = f"203.0.113.{n}, 198.51.100.7"
        last = tries("olena", at="10.0.0.1", HTTP_X_FORWARDED_FOR=header)
    assert last.status_code == 429
    other = tries("olena", PASSWORD, at="10.0.0.1", HTTP_X_FORWARDED_FOR="198.51.100.8")
    assert other.status_code == 302


def test_without_proxies_nobody_chooses_an_address_by_a_header():
    made = [tries("olena", HTTP_X_FORWARDED_FOR=f"203.0.113.{n}").status_code for n in range(5)]
    assert made[-1] == 429


def test_all_addresses_of_one_network_of_ipv6_count_as_one():
    made = [tries("olena", at=f"2001:db8:0:7::{n}").status_code for n in range(1, 6)]
    assert made[-1] == 429
    assert tries("olena", PASSWORD, at="2001:db8:0:8::1").status_code == 302


def test_one_site_of_ipv6_that_tries_one_name_from_many_networks_is_locked_for_it(settings):
    settings.AXES_FAILURE_LIMIT = 2
    made = [tries("olena", at=f"2001:db8:0:{n:x}::1").status_code for n in range(1, 21)]
    assert made == [200] * 19 + [429]
    locked = tries("olena", PASSWORD, at="2001:db8:0:ff::1")
    assert locked.status_code == 429
    assert 0 < int(locked["Retry-After"]) <= 15 * 60
    # Nobody else is kept out, nor the owner from anywhere else.
    assert tries("petro", at="2001:db8:0:ff::1").status_code == 200
    assert tries("olena", PASSWORD, at="192.0.2.9").status_code == 302


def test_a_locked_site_is_free_after_the_time_and_by_an_admin(settings):
    settings.AXES_FAILURE_LIMIT = 2
    here = "2001:db8:0:ff::1"
    for release in (lambda: later(15.1), lambda: call_command("account", "olena", "--unlock")):
        for n in range(1, 21):
            tries("olena", at=f"2001:db8:0:{n:x}::1")
        assert tries("olena", PASSWORD, at=here).status_code == 429
        release()
        assert tries("olena", PASSWORD, at=here).status_code == 302


def test_an_admin_unlocks_a_name_at_once_and_the_addresses_it_was_tried_from(settings):
    settings.AXES_FAILURE_LIMIT = 2
    fails(1, "olena")
    assert [tries(f"name{n}").status_code for n in range(19)][-1] == 429
    out = StringIO()
    call_command("account", "olena", "--unlock", stdout=out)
    assert out.getvalue() == "olena may try to sign in again. Failed sign-ins forgotten: 20.\n"
    assert tries("olena", PASSWORD).status_code == 302


def test_unlocking_says_when_there_is_nothing_to_unlock():
    out = StringIO()
    call_command("account", "olena", "--unlock", stdout=out)
    assert "No sign-in had failed." in out.getvalue()
    for args in (("nobody", "--unlock"), ("olena", "--unlock", "--close")):
        with pytest.raises(CommandError):
            call_command("account", *args, stdout=out)


def test_a_form_without_name_or_password_is_no_attempt():
    for name, password in (("olena", ""), ("", "x"), ("", ""), ("o" * 151, "x"), ("a\0b", "x")):
        assert tries(name, password).status_code == 200
    assert not AccessAttempt.objects.exists()


def test_what_is_kept_of_a_failure_holds_no_password_and_no_token():
    tries("olena", "s3cret-guess", data={"csrfmiddlewaretoken": "t0ken", "next": "/"})
    kept = str(AccessAttempt.objects.values().get())
    assert "s3cret" not in kept
    assert "t0ken" not in kept


@pytest.mark.parametrize("where", ["get_or_create", "filter"])
def test_a_database_in_trouble_is_told_as_that_and_not_as_a_failure(monkeypatch, where):
    def broken(*_args, **_options):
        raise DatabaseError("database is locked")

    monkeypatch.setattr(f"django.db.models.query.QuerySet.{where}", broken)
    answer = tries("olena")
    assert answer.status_code == 503
    assert "own database cannot be used: database is locked" in text(answer.content.decode())
