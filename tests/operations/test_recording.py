"""What goes through the door is in the trail when the door closes, and what is not let through."""

from __future__ import annotations

import pytest
from django.db import OperationalError

from echomq_admin.emq.audit import tail
from echomq_admin.fleet import preferences
from echomq_admin.fleet.models import QueueChange
from echomq_admin.ledger import copying, notes, presses
from echomq_admin.ledger.models import Copied, Kind, Press, TrailEntry, TrailJob, job_key
from echomq_admin.operations import recording, services
from echomq_admin.operations.services import Call, Refused, Trouble
from tests.operations.conftest import dump
from tests.operations.scenes import IN_CONSOLE, ON_SERVER, A, Q, dead, pending, scene

pytestmark = pytest.mark.usefixtures("main")


def failing(*_, **__):
    raise OperationalError("disk is full")


@pytest.mark.parametrize("verb", ON_SERVER)
def test_each_action_is_in_the_trail_at_once_as_its_script_wrote_it(client, member, verb):
    call = scene(client, verb)
    services.perform(member("admin"), call)
    written = [entry for entry in tail(client, Q).entries if entry.op_id == "press-1"]
    copied = TrailEntry.objects.filter(kind=Kind.MOVED, op_id="press-1")
    assert [entry.stream_id for entry in copied] == [entry.entry_id for entry in written]
    assert [(entry.op, entry.actor) for entry in copied] == [(verb, "admin-user")] * len(written)
    assert len(written) == 1


def test_the_reason_of_a_press_stands_beside_what_it_did(client, member):
    dead(client)
    call = Call("requeue", "main", Q, (A,), op_id="click", reason="smtp is back")
    services.perform(member("operator"), call)
    assert TrailEntry.objects.get().reason == "smtp is back"


def test_the_steps_of_a_call_are_noted_once(client, member, monkeypatch):
    pending(client)
    noted = []
    monkeypatch.setattr(presses, "press", lambda *args: noted.append(args))
    for step in (0, 1, 2):
        services.perform(member("admin"), Call("drain", "main", Q, op_id="d", step=step))
    assert [args[2] for args in noted] == ["d"]


def test_a_refusal_before_the_door_is_on_record_as_one_of_the_door(client, member, caplog):
    call = Call("bury", "main", Q, (A,), op_id="click", reason="a guess")
    with pytest.raises(Refused) as caught:
        services.refuse(call, "ann", Refused("The confirmation is not yours."))
    assert caught.value.sentence == "The confirmation is not yours."
    entry = TrailEntry.objects.get()
    assert (entry.kind, entry.op, entry.actor, entry.op_id, entry.n, entry.sentence) == (
        Kind.REFUSED, "bury", "ann", "click", 1, "The confirmation is not yours.",
    )  # fmt: skip
    assert "refused: bury on main/orders" in caplog.text


def test_what_cannot_be_noted_is_not_sent(client, member, monkeypatch):
    call = scene(client, "requeue")
    before = dump(client)
    monkeypatch.setattr(presses, "press", failing)
    with pytest.raises(Trouble) as caught:
        services.perform(member("operator"), call)
    assert caught.value.sentence == (
        "The console's database could not note this (disk is full), and without a record nothing "
        "is sent. Nothing was changed. Press Requeue again."
    )
    assert dump(client) == before


def test_what_cannot_be_copied_at_once_is_left_to_the_agent(client, member, monkeypatch, caplog):
    call = scene(client, "requeue")
    monkeypatch.setattr(copying, "copy", failing)
    assert services.perform(member("operator"), call).sentence.startswith("1 requeued")
    assert "copied later" in caplog.text
    assert TrailEntry.objects.count() == 0
    assert Copied.objects.get().last_id == "0-0"
    monkeypatch.undo()
    copying.copy(services.servers.server("main"), Q)
    assert TrailEntry.objects.get().op == "requeue"


@pytest.mark.parametrize("verb", IN_CONSOLE)
def test_what_the_console_keeps_is_in_the_trail_in_the_words_of_its_answer(client, member, verb):
    pending(client)
    if verb == "forget_queue":
        preferences.add("main", Q, "x")
    if verb == "unhide_queue":
        preferences.change("main", Q, "x", hidden=True)
    args = {"note": "ours"} if verb == "set_queue" else {}
    call = Call(verb, "main", Q, args=args, reason="tidy")
    done = services.perform(member("admin"), call)
    entry = TrailEntry.objects.get()
    assert (entry.kind, entry.op, entry.actor) == (Kind.KEPT, verb, "admin-user")
    assert (entry.sentence, entry.reason) == (done.sentence, "tidy")
    assert (entry.server, bytes(entry.queue)) == ("main", b"orders")
    services.perform(member("admin"), call)
    assert TrailEntry.objects.count() == 1
    assert Press.objects.count() == 0


def test_a_change_without_its_entry_is_no_change(client, member, monkeypatch):
    pending(client)
    monkeypatch.setattr(notes, "note", failing)
    with pytest.raises(Trouble):
        services.perform(member("admin"), Call("hide_queue", "main", Q))
    assert not preferences.own("main", Q).hidden
    assert QueueChange.objects.count() == 0


def test_a_refusal_is_on_record_with_the_jobs_it_was_about(client, member):
    pending(client)
    call = Call("bury", "main", Q, (A,), {}, {"reason": "poison"}, "click", reason="a guess")
    with pytest.raises(Refused) as caught:
        services.perform(member("operator"), call)
    entry = TrailEntry.objects.get()
    assert (entry.kind, entry.op, entry.actor, entry.op_id, entry.n) == (
        Kind.REFUSED, "bury", "operator-user", "click", 1,
    )  # fmt: skip
    assert (entry.sentence, entry.reason) == (caught.value.sentence, "a guess")
    assert TrailJob.objects.get().job == job_key(A)


def test_a_refusal_that_cannot_be_noted_is_a_refusal_all_the_same(
    client, member, monkeypatch, caplog
):
    monkeypatch.setattr(notes, "note", failing)
    with pytest.raises(Refused, match="There is no action"):
        services.perform(member("admin"), Call("explode", "main", Q))
    assert "a refusal is not in the trail: disk is full" in caplog.messages


@pytest.mark.parametrize("odd", ["\udcff\0" * 300, "\ud800" * 300])
def test_a_refusal_in_hostile_words_is_noted(member, odd):
    with pytest.raises(Refused):
        services.perform(member("admin"), Call(odd, odd, odd, (odd,), op_id=odd))
    assert TrailEntry.objects.get().op.startswith(("\\xff\\x00", "\\ud800"))


def test_a_call_of_which_every_job_was_refused_is_on_record_as_refused(client, member):
    pending(client)
    call = Call("requeue", "main", Q, (A,), op_id="late", reason="try")
    services.perform(member("operator"), call)
    (made,) = TrailEntry.objects.all()
    assert (made.kind, made.op, made.op_id, made.n) == (Kind.REFUSED, "requeue", "late", 1)
    assert made.sentence.startswith("0 requeued, 1 no longer dead")
    assert TrailJob.objects.get().entry == made


def test_a_press_that_is_refused_again_at_once_is_on_record_once(client, member, monkeypatch):
    call = Call("requeue", "main", "nowhere", tuple(f"J{n}" for n in range(300)), op_id="again")
    for _ in range(3):
        with pytest.raises(Refused):
            services.perform(member("operator"), call)
    assert TrailEntry.objects.get().n == 300
    assert TrailJob.objects.count() == recording.MOST_JOBS

    later = notes.host_ms() + recording.AGAIN_MS + 1
    monkeypatch.setattr(notes, "host_ms", lambda: later)
    with pytest.raises(Refused):
        services.perform(member("operator"), call)
    assert TrailEntry.objects.count() == 2


def test_a_press_that_is_refused_by_the_script_again_is_on_record_once(client, member):
    pending(client)
    for _ in range(2):
        services.perform(member("operator"), Call("requeue", "main", Q, (A,), op_id="late"))
    assert TrailEntry.objects.count() == 1


def test_a_call_that_was_done_before_says_so_and_when(client, member):
    pending(client)
    services.perform(member("operator"), Call("pause", "main", Q, op_id="one"))
    resume = Call("resume", "main", Q, op_id="two")
    assert services.perform(member("operator"), resume).note == ""
    services.perform(member("operator"), Call("pause", "main", Q, op_id="three"))

    again = services.perform(member("operator"), resume)
    at_ms = TrailEntry.objects.get(op_id="two").at_ms
    assert again.note == (
        f"This was done before, at {recording.moment(at_ms)}, and nothing was done now."
    )


def test_a_call_that_moved_some_of_its_jobs_is_only_on_record_as_its_script_wrote_it(
    client, member
):
    dead(client)
    services.perform(member("operator"), Call("requeue", "main", Q, (A, "JOBnowhere")))
    assert [entry.kind for entry in TrailEntry.objects.all()] == [Kind.MOVED]
