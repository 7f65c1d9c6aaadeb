"""Who may do what, action by action: no page, no form and no switch lets anybody else."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User

from echomq_admin.console.acting.views import VERBS
from echomq_admin.fleet import servers
from echomq_admin.ledger.models import Kind, Press, TrailEntry
from echomq_admin.operations.actions import ACTIONS, Role
from echomq_admin.operations.models import Before, Trashed
from tests.console.scene import dump, text
from tests.console.walking import ON_LAPSED, asked_by, confirm, confirmation, url_of
from tests.operations import scenes

ROLES = ("anonymous", "nobody", "viewer", "operator", "admin")
EVERY = (*VERBS, *ON_LAPSED)
# Where one click is not all the consent that is needed.
CONFIRMED = [verb for verb in EVERY if ACTIONS[verb].consent_for(1) != "click"]


def may(role: str, verb: str) -> bool:
    return role == "admin" or (role == "operator" and ACTIONS[verb].role is Role.OPERATOR)


def may_look(role: str, verb: str) -> bool:
    """What they would do to lapsed leases may be looked at by everybody who may look at all."""
    return may(role, verb) or (verb in ON_LAPSED and role in {"viewer", "operator"})


def kept() -> tuple[int, ...]:
    """How much stands in the tables that acting writes to."""
    return tuple(table.objects.count() for table in (TrailEntry, Press, Before, Trashed))


def refused(role: str) -> int:
    return 302 if role == "anonymous" else 403


def call_of(client, verb: str) -> scenes.Call:
    """The scene of an action, on the server that these pages know."""
    made = scenes.scene(client, verb)
    Trashed.objects.update(server="prod")
    return scenes.Call(verb, "prod", made.queue, made.job_ids, made.tokens, made.args)


def give(role: str, name: str = "admin-olena") -> None:
    """Let a person have just this role from now on."""
    user = User.objects.get(username=name)
    user.groups.set(Group.objects.filter(name=role))


def test_the_actions_with_a_page_are_those_on_a_server_but_for_what_is_made_elsewhere():
    on_server = {verb for verb, action in ACTIONS.items() if action.changes == "server"}
    assert on_server - set(EVERY) == {"enqueue", "schedule", "return_to_dead"}
    assert set(EVERY) <= on_server


@pytest.mark.parametrize("verb", EVERY)
@pytest.mark.parametrize("role", ROLES)
def test_to_look_at_an_action_changes_nothing(prod, browser, role, verb):
    call = call_of(prod, verb)
    before = dump(prod), kept()
    who = browser(role, enforce_csrf_checks=True)
    for method in ("get", "head"):
        answer = getattr(who, method)(url_of(call), asked_by(call))
        assert answer.status_code == (200 if may_look(role, verb) else refused(role)), method
        assert (dump(prod), kept()) == before, method


@pytest.mark.parametrize("verb", EVERY)
def test_another_method_than_get_and_post_is_refused(prod, browser, verb):
    call = call_of(prod, verb)
    who = browser("admin")
    before = dump(prod), kept()
    for method in ("put", "patch", "delete", "options"):
        assert getattr(who, method)(url_of(call), asked_by(call)).status_code == 405, method
    assert (dump(prod), kept()) == before


@pytest.mark.parametrize("verb", EVERY)
@pytest.mark.parametrize("role", ROLES)
def test_a_form_without_its_token_is_refused_and_changes_nothing(prod, browser, role, verb):
    call = call_of(prod, verb)
    who = browser(role, enforce_csrf_checks=True)
    form = confirmation(who, call)
    fields = {**(form.fields if form else {}), **asked_by(call), "typed": call.queue}
    fields.pop("csrfmiddlewaretoken", None)
    before = dump(prod)
    for headers in ({}, {"HX-Request": "true"}, {"X-CSRFToken": "a" * 32}):
        assert who.post(url_of(call), fields, headers=headers).status_code == 403
        assert dump(prod) == before


@pytest.mark.parametrize("verb", EVERY)
@pytest.mark.parametrize("role", ROLES)
def test_a_press_without_confirmation_moves_only_where_the_press_is_one(prod, browser, role, verb):
    call = call_of(prod, verb)
    before = dump(prod)
    answer = browser(role).post(url_of(call), asked_by(call))
    is_bare = verb not in CONFIRMED
    if may(role, verb):
        assert answer.status_code == (302 if is_bare else 200)
    else:
        assert answer.status_code == refused(role)
    assert (dump(prod) != before) == (is_bare and may(role, verb))


@pytest.mark.parametrize("verb", EVERY)
@pytest.mark.parametrize("role", ROLES)
def test_a_whole_confirmation_moves_only_for_whom_it_is_permitted(prod, browser, role, verb):
    call = call_of(prod, verb)
    who = browser("admin", enforce_csrf_checks=True)
    form = confirmation(who, call)
    assert form is not None
    carried = {"csrfmiddlewaretoken": form.fields["csrfmiddlewaretoken"]}
    _become(who, role)
    before = dump(prod)
    answer = confirm(who, call, form, **carried)
    assert answer.status_code == (302 if may(role, verb) else refused(role))
    assert (dump(prod) != before) == may(role, verb)


@pytest.mark.parametrize("verb", EVERY)
def test_an_attempt_without_the_role_is_in_the_trail_once(prod, browser, verb):
    call = call_of(prod, verb)
    browser("viewer").post(url_of(call), asked_by(call))
    (entry,) = TrailEntry.objects.all()
    assert (entry.kind, entry.op, entry.actor) == (Kind.REFUSED, verb, "viewer-olena")
    assert f"takes the role {ACTIONS[verb].role}" in entry.sentence
    assert (entry.server, bytes(entry.queue)) == ("prod", b"orders")


def _become(who, role: str) -> None:
    """The confirmation is of an admin; what the person is by now decides."""
    if role == "anonymous":
        who.cookies.pop("sessionid")
    else:
        give(role)


@pytest.mark.parametrize("verb", CONFIRMED)
def test_a_confirmation_of_somebody_else_moves_nothing(prod, browser, verb):
    call = call_of(prod, verb)
    form = confirmation(browser("admin"), call)
    other = browser("operator")
    give("admin", "operator-olena")
    before = dump(prod)
    answer = other.post(url_of(call), {**form.fields, **asked_by(call), "typed": call.queue})
    assert answer.status_code == 200
    assert dump(prod) == before


def _read_only_console(settings, store, url: str) -> None:
    settings.EMQ_READ_ONLY = True


def _read_only_server(settings, store, url: str) -> None:
    settings.EMQ_SERVERS = f"prod={url}?read_only=1"


def _unknown_fence(settings, store, url: str) -> None:
    store.set("{emq}:version", "echomq:9.0.0")


SWITCHES = {
    "a read-only console": _read_only_console,
    "a read-only server": _read_only_server,
    "an unknown fence": _unknown_fence,
}


@pytest.mark.parametrize("verb", EVERY)
@pytest.mark.parametrize("switch", SWITCHES)
def test_where_nothing_may_be_written_no_form_writes_and_the_reason_is_told(
    prod, browser, settings, server_url, switch, verb
):
    call = call_of(prod, verb)
    who = browser("admin")
    form = confirmation(who, call)
    SWITCHES[switch](settings, prod, server_url)
    servers.forget()
    before = dump(prod)
    who.get(url_of(call), asked_by(call))
    who.post(url_of(call), asked_by(call))
    answer = confirm(who, call, form)
    assert dump(prod) == before
    page = who.get(answer["Location"]) if answer.status_code == 302 else answer
    assert "ead-only" in text(page.content.decode())
