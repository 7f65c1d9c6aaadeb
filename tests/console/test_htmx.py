"""Page and fragment are one template; what fails under htmx is said, never swallowed."""

from __future__ import annotations

import pytest

from tests.console.scene import HX, A, tags, text

PATHS = ["/", *(f"/q/prod/orders/{tab}" for tab in ("active", "pending", "dead", "audit", "sweep"))]


@pytest.mark.parametrize("path", PATHS)
def test_a_fragment_is_the_inside_of_the_page(scene, browser, path):
    scene.dead(A)
    who = browser()
    whole = who.get(path).content.decode()
    part = who.get(path, headers=HX).content.decode()
    assert "<html" in whole
    assert "<html" not in part
    assert part.strip().startswith("<nav")
    inside = whole.split('id="live"', 1)[1]
    assert [tag for tag, _ in tags(part)] == [
        tag for tag, _ in tags(inside.split(">", 1)[1].split("</main>")[0] + "</main>")
    ]


@pytest.mark.parametrize("header", ["HX-History-Restore-Request", "HX-Boosted"])
def test_a_restored_page_is_a_whole_one(scene, browser, header):
    scene.dead(A)
    answer = browser().get("/q/prod/orders/dead", headers=HX | {header: "true"})
    assert "<html" in answer.content.decode()
    assert "HX-Request" in answer["Vary"]


def test_a_session_that_is_gone_leads_to_the_sign_in_page_and_back(scene, browser):
    scene.dead(A)
    headers = HX | {"HX-Current-URL": "http://testserver/q/prod/orders/dead?rows=50"}
    way = "/login/?next=/q/prod/orders/dead%3Frows%3D50"
    answer = browser("anonymous").get("/", headers=headers)
    assert (answer["HX-Redirect"], answer.content) == (way, b"")
    answer = browser("anonymous").post("/q/prod/orders/requeue", headers=headers)
    assert (answer["HX-Redirect"], answer.content) == (f"{way}&pressed=1", b"")


def test_another_hosts_address_is_no_way_back(scene, browser):
    headers = HX | {"HX-Current-URL": "https://evil.example/x"}
    assert browser("anonymous").get("/", headers=headers)["HX-Redirect"] == "/login/?next=/"


def test_a_missing_right_is_one_sentence(scene, browser):
    answer = browser("viewer").post("/q/prod/orders/requeue", headers=HX)
    assert answer.status_code == 403
    assert answer["Content-Type"].startswith("text/plain")
    assert "it takes the role operator" in answer.content.decode()


def test_a_queue_that_is_gone_is_one_sentence(scene, browser):
    answer = browser().get("/q/prod/nope/dead", headers=HX)
    assert answer.status_code == 404
    assert answer["Content-Type"].startswith("text/plain")
    assert "prod has no queue “nope”" in answer.content.decode()


def test_an_address_that_is_none_is_one_sentence(scene, browser):
    answer = browser().get("/nowhere", headers=HX)
    assert answer.status_code == 404
    assert answer["Content-Type"].startswith("text/plain")


def test_a_wrong_method_is_one_sentence(scene, browser):
    answer = browser().post("/", headers=HX)
    assert answer.status_code == 405
    assert answer["Content-Type"].startswith("text/plain")


def test_an_old_token_is_one_sentence_that_names_the_ways_out(scene, browser):
    answer = browser(enforce_csrf_checks=True).post(
        "/q/prod/orders/requeue", {"csrfmiddlewaretoken": "x" * 64}, headers=HX
    )
    said = answer.content.decode()
    assert answer.status_code == 403
    assert answer["Content-Type"].startswith("text/plain")
    assert "Reload the page" in said
    assert "EMQ_ORIGINS" in said


def test_a_failure_of_the_console_itself_is_one_sentence(scene, browser, monkeypatch):
    scene.dead(A)

    def broken(*_args, **_options):
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr("echomq_admin.emq.reads.dead_page", broken)
    who = browser(raise_request_exception=False)
    answer = who.get("/q/prod/orders/dead", headers=HX)
    assert answer.status_code == 500
    assert "broken on purpose" not in answer.content.decode()
    assert answer["Content-Type"].startswith("text/plain")
    whole = who.get("/q/prod/orders/dead")
    assert "The console failed" in text(whole.content.decode())


def test_an_answer_for_the_page_to_a_form_that_asked_for_a_dialog_says_where_it_goes(
    scene, browser
):
    scene.dead(A)
    headers = {"HX-Request": "true", "HX-Target": "dialog"}
    answer = browser().post("/q/prod/orders/requeue", {}, headers=headers, follow=True)
    assert answer["HX-Retarget"] == "#live"
    assert answer["HX-Reswap"] == "morph:innerHTML"
    assert "no job was ticked" in text(answer.content.decode())


def test_an_outcome_stays_in_its_address_until_it_is_dismissed(scene, browser):
    scene.dead(A)
    who = browser()
    answer = who.post("/q/prod/orders/requeue", {"only": f"3:0:{A}"})
    assert "did=" in answer["Location"]
    for _ in range(2):
        html = who.get(answer["Location"], headers=HX).content.decode()
        assert " requeued" in text(html)
    dismiss = next(a["href"] for tag, a in tags(html) if tag == "a" and a["href"].startswith("?"))
    assert " requeued" not in text(who.get("/q/prod/orders/dead" + dismiss).content.decode())
