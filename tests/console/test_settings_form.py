"""Two people at the settings of one queue, and where those settings are told."""

from __future__ import annotations

from echomq_admin.fleet import preferences
from tests.console.scene import tags, text
from tests.console.test_preferences import get, inputs, post


def test_a_save_changes_only_what_the_person_changed(scene, browser):
    scene.pending("JOBx")
    form = shown(get(browser("admin")))
    preferences.change("prod", "orders", "another", note="by another")
    post(browser("admin"), **form | {"lease_ms": "9"})
    own = preferences.own("prod", "orders")
    assert (own.lease_ms, own.note) == (9, "by another")


def test_what_another_changed_meanwhile_is_told_and_not_overwritten_unseen(scene, browser):
    scene.pending("JOBx")
    preferences.change("prod", "orders", "x", max_stalled=3, note="old")
    form = shown(get(browser("admin"))) | {"max_stalled": "5"}
    preferences.change("prod", "orders", "another", max_stalled=4, note="new")
    html = post(browser("admin"), **form)
    assert "Max stalled was changed meanwhile: it is 4 now. Nothing was saved." in text(html)
    assert inputs(html)["max_stalled"] == "5"
    assert "new</textarea>" in html
    assert preferences.own("prod", "orders").max_stalled == 4
    post(browser("admin"), **shown(html) | {"max_stalled": "5"})
    own = preferences.own("prod", "orders")
    assert (own.max_stalled, own.note) == (5, "new")


def test_what_the_form_showed_outlives_a_refusal(scene, browser):
    scene.pending("JOBx")
    form = shown(get(browser("admin"))) | {"max_stalled": "many"}
    html = post(browser("admin"), **form)
    preferences.change("prod", "orders", "another", max_stalled=4)
    html = post(browser("admin"), **shown(html) | {"max_stalled": "5"})
    assert "was changed meanwhile" in text(html)


def shown(html: str) -> dict[str, str]:
    """All fields of the settings' form as a browser would send them untouched."""
    form = html.split('action="/q/prod/orders/settings"')[1].split("</form>", maxsplit=1)[0]
    fields = {
        attrs["name"]: attrs.get("value") or ""
        for tag, attrs in tags(form)
        if tag == "input" and attrs["name"] != "csrfmiddlewaretoken"
    }
    return fields | {"note": text(form.split("<textarea")[1].split("\n")[1].split("</")[0])}


def test_the_note_of_a_queue_heads_its_pages(scene, browser):
    scene.pending("JOBx")
    preferences.change("prod", "orders", "x", note="call <Olena>")
    for tab in ("pending", "sweep"):
        assert "Note: call <Olena>" in text(get(browser("viewer"), f"/q/prod/orders/{tab}"))
    assert "Note: call" not in text(get(browser("admin")))


def test_a_viewer_previews_a_sweep_and_is_told_who_may_sweep(scene, browser):
    scene.active("JOBx", -1_000)
    html = get(browser("viewer"), "/q/prod/orders/sweep")
    assert "To sweep takes the role operator." in text(html)
    assert "1 lapsed: this sweep recovers 1" in text(html)
    assert 'name="op_id"' not in html
    assert "Preview sweep" in text(get(browser("viewer"), "/q/prod/orders/active"))
    assert 'name="op_id"' in get(browser("operator"), "/q/prod/orders/sweep")
