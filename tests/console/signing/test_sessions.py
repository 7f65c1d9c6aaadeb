"""Sessions that ended, began anew or were never there, and forms from before that."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.console.scene import HX, A, dump, tags, text, value
from tests.console.signing.desk import PASSWORD

LIST = "/q/prod/orders/dead?rows=50"
BACK = "/login/?next=/q/prod/orders/dead%3Frows%3D50"


def sign_in(who: Client, **data: str):
    page = who.get("/login/").content.decode()
    token = {"csrfmiddlewaretoken": value(page, "csrfmiddlewaretoken")}
    return who.post("/login/", token | {"username": "olena", "password": PASSWORD} | data)


def links(html: str) -> set[str]:
    return {attrs.get("href") or "" for tag, attrs in tags(html) if tag == "a"}


def test_a_press_after_the_session_ended_leads_back_to_its_list_and_says_it_was_not_done(
    scene, browser
):
    scene.dead(A)
    before = dump(scene.store)
    referer = {"Referer": f"http://testserver{LIST}"}
    answer = browser("anonymous").post(
        "/q/prod/orders/requeue", {"only": f"3:0:{A}"}, headers=referer
    )
    assert answer["Location"] == f"{BACK}&pressed=1"
    page = browser("anonymous").get(answer["Location"]).content.decode()
    assert "what you pressed was not done" in text(page)
    assert value(page, "next") == LIST
    assert dump(scene.store) == before


@pytest.mark.parametrize(
    "referer", ["https://evil.example/x", "//evil.example", "javascript:alert(1)", "", "http://["]
)
def test_a_press_from_elsewhere_leads_back_to_the_first_page(scene, browser, referer):
    answer = browser("anonymous").post("/q/prod/orders/requeue", headers={"Referer": referer})
    assert answer["Location"] == "/login/?next=/&pressed=1"


def test_a_form_from_before_a_new_sign_in_is_refused_with_the_way_back(scene, olena):
    scene.dead(A)
    before = dump(scene.store)
    who = Client(enforce_csrf_checks=True)
    sign_in(who)
    old = value(who.get(LIST).content.decode(), "csrfmiddlewaretoken")
    who.post("/logout/", {"csrfmiddlewaretoken": old})
    sign_in(who)
    data = {"csrfmiddlewaretoken": old, "only": f"3:0:{A}"}
    referer = {"Referer": f"http://testserver{LIST}"}
    answer = who.post("/q/prod/orders/requeue", data, headers=referer)
    html = answer.content.decode()
    assert answer.status_code == 403
    assert "The sign-in has changed since this page was loaded" in text(html)
    assert "Nothing was changed." in text(html)
    assert LIST in links(html)
    said = who.post("/q/prod/orders/requeue", data, headers=HX)
    assert said["Content-Type"].startswith("text/plain")
    assert "Reload the page" in said.content.decode()
    assert dump(scene.store) == before


def test_a_sign_in_page_that_another_tab_made_old_leads_on(prod, olena):
    who = Client(enforce_csrf_checks=True)
    old = value(who.get("/login/").content.decode(), "csrfmiddlewaretoken")
    sign_in(who)
    data = {"csrfmiddlewaretoken": old, "username": "olena", "password": PASSWORD, "next": LIST}
    answer = who.post("/login/", data)
    html = answer.content.decode()
    assert answer.status_code == 403
    assert "Another tab of this browser has signed in as olena meanwhile." in text(html)
    assert LIST in links(html)
    data["next"] = "//evil.example"
    assert not [to for to in links(who.post("/login/", data).content.decode()) if "evil" in to]


def test_a_sign_in_without_cookies_says_what_is_missing_and_offers_the_page_again(prod, olena):
    data = {"username": "olena", "password": PASSWORD, "next": LIST}
    answer = Client(enforce_csrf_checks=True).post("/login/", data)
    html = answer.content.decode()
    assert answer.status_code == 403
    assert "allow cookies for this address" in text(html)
    assert BACK in links(html)


def test_two_signs_in_at_once_of_one_browser_are_two_sessions_and_one_works_on(prod, olena):
    first, second = Client(), Client()
    sign_in(first)
    sign_in(second)
    first.post("/logout/")
    assert first.get("/").status_code == 302
    assert second.get("/").status_code == 200


@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_nobody_is_signed_out_by_a_link(prod, browser, method):
    who = browser("viewer")
    assert getattr(who, method)("/logout/").status_code == 405
    assert who.get("/").status_code == 200


@pytest.mark.parametrize(
    "asked",
    [
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "https:evil.example",
        "http://testserver.evil.example/",
        "javascript:alert(1)",
        "\x00//evil.example",
        "/%0d%0aLocation:%20https://evil.example",
        " //evil.example",
    ],
)
def test_no_sign_in_leads_to_another_host(prod, olena, asked):
    who = Client()
    page = who.get("/login/", {"next": asked}).content.decode()
    for way in (value(page, "next") or "/", sign_in(who, next=asked)["Location"]):
        assert way[0] == "/"
        assert way[1:2] not in {"/", "\\"}
        assert "\n" not in way


def test_a_password_that_was_changed_ends_the_sessions_before_it(prod, olena):
    who = Client()
    sign_in(who)
    olena.set_password("another one 2")
    olena.save()
    assert who.get("/")["Location"].startswith("/login/")


def test_a_closed_account_is_out_at_its_next_request(prod, olena):
    who = Client()
    sign_in(who)
    olena.is_active = False
    olena.save()
    assert who.get("/")["Location"].startswith("/login/")
