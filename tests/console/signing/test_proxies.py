"""Presses through proxies: what comes along with them, and what mends those that are refused."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.console.scene import A, dump, text, value
from tests.console.signing.desk import PASSWORD

TLS = {"X-Forwarded-Proto": "https", "Host": "testserver"}
PRESS = "/q/prod/orders/requeue"


def signed_in(headers: dict[str, str]) -> tuple[Client, str]:
    """A browser that has signed in through the proxy, and a token of its session."""
    who = Client(enforce_csrf_checks=True, headers=headers)
    token = value(who.get("/login/").content.decode(), "csrfmiddlewaretoken")
    data = {"csrfmiddlewaretoken": token, "username": "olena", "password": PASSWORD}
    assert who.post("/login/", data)["Location"] == "/"
    return who, value(who.get("/").content.decode(), "csrfmiddlewaretoken")


def press(who: Client, token: str, **headers: str):
    data = {"csrfmiddlewaretoken": token, "only": f"3:0:{A}"}
    return who.post(PRESS, data, headers=headers)


@pytest.fixture
def tls_proxy(settings) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")


@pytest.mark.usefixtures("tls_proxy")
def test_a_press_through_a_proxy_that_ends_tls_is_taken(scene, olena):
    scene.dead(A)
    who, token = signed_in(TLS | {"Origin": "https://testserver"})
    assert press(who, token, Origin="https://testserver").status_code == 302
    assert scene.members("dead") == []


@pytest.mark.usefixtures("tls_proxy")
def test_a_press_from_an_address_that_the_proxy_hides_takes_its_setting(scene, olena, settings):
    scene.dead(A)
    seen = {"Origin": "https://ops.example.org"}
    for origins, status in (([], 403), (["https://ops.example.org"], 302)):
        settings.CSRF_TRUSTED_ORIGINS = origins
        who, token = signed_in(TLS | {"Referer": "https://testserver/"})
        assert press(who, token, **seen).status_code == status


@pytest.mark.parametrize("origin", ["https://testserver", "null", "https://evil.example"])
def test_a_press_whose_origin_does_not_fit_is_refused_with_the_settings_that_mend_it(
    scene, olena, origin
):
    scene.dead(A)
    who, token = signed_in({})
    before = dump(scene.store)
    answer = press(who, token, Origin=origin)
    said = text(answer.content.decode())
    assert answer.status_code == 403
    assert "EMQ_ORIGINS" in said
    assert "EMQ_TLS_PROXY" in said
    assert dump(scene.store) == before


def test_what_a_browser_claims_of_a_proxy_is_not_believed(scene, olena):
    scene.dead(A)
    who, token = signed_in({})
    assert press(who, token, Origin="https://testserver", **TLS).status_code == 403
    assert scene.members("dead") == [A.encode()]
