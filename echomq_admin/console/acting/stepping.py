"""Actions that go on in bounded steps: as many as a request has time for, then the next request.

A step needs no new consent: its form carries what was agreed to. Whoever closes the page leaves a
queue of which the steps so far are done, whole, and no other; sent twice, a step is done once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import monotonic

from django.http import HttpRequest, HttpResponse

from echomq_admin.console import outcomes, words
from echomq_admin.console.acting import queues
from echomq_admin.console.acting.answers import Way, guarded, refuse, to, told
from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.acting.marching import March, Strange
from echomq_admin.console.htmx import is_fragment, show
from echomq_admin.console.outcomes import Outcome
from echomq_admin.console.places import Place
from echomq_admin.emq import reads
from echomq_admin.fleet import discovery
from echomq_admin.fleet.snapshot import refresh
from echomq_admin.operations import looks
from echomq_admin.operations.action import Action
from echomq_admin.operations.failures import FAILURES
from echomq_admin.operations.sentences import stranded
from echomq_admin.operations.services import (
    ROUNDS,
    Call,
    Done,
    NotAllowed,
    Refused,
    Unreachable,
    perform,
    steps,
)

# The field that carries a march, and the one that ends it.
KEY, STOP = "march", "stop"
# How long a request works before it answers.
WORKS_S = 1.5
_BY_NUMBER = (
    "Only their number is held to: where some of those shown had gone, others that came since may "
    "have been deleted in their place."
)
_STRANGE = (
    "Nothing was changed by this: the page that goes on was not written by the console for you, "
    "or a day ago. Open the confirmation again."
)


def start(way: Way, asked: Asked, call: Call) -> HttpResponse:
    """Begin a call that its confirmation covers."""
    kinds = ["pending", "scheduled"] if call.args.get("include_schedule") else ["pending"]
    if asked.action.verb == "obliterate":
        kinds = []
    where = call.server, call.queue
    march = March(
        actor=way.request.user.get_username(),
        verb=call.action,
        server=where[0],
        queue=where[1],
        op_id=call.op_id,
        total=queues.shown_number(asked, *kinds),
        back=way.back,
        reason=call.reason,
        args=dict(call.args),
        is_named=bool(kinds) and queues.named_all(asked, *kinds),
    )
    return _work(way, march)


def go_on(request: HttpRequest, place: Place, action: Action) -> HttpResponse:
    """Go on with a call, or stop it, as the form of its progress asks."""
    where = place.server.name, place.queue
    try:
        march = March.read(request.POST[KEY], request.user.get_username(), action.verb, *where)
    except Strange:
        return refuse(request, place.url("queue_pending"), _STRANGE)
    way = Way(request, place, action.label, march.back, march.op_id)
    if outcomes.is_ended(request, march.op_id):
        # A step that the page sent beside a stop, or after it.
        return _leave(request, to(march.back, march.op_id))
    if STOP in request.POST:
        stopped = _stopped(place, action, march)
        return _leave(request, told(request, march.back, march.op_id, stopped))
    return _leave(request, _work(way, march))


def _leave(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """From the page of the steps to another, which is loaded whole: that of the steps reads
    nothing anew, and where it was opened by itself its frame never does."""
    if is_fragment(request) and answer.status_code == 302:
        return HttpResponse(headers={"HX-Redirect": answer["Location"]})
    return answer


def _work(way: Way, march: March) -> HttpResponse:
    return guarded(way, lambda: _march(way, march))


def _march(way: Way, march: March) -> HttpResponse:
    until, now, done = monotonic() + WORKS_S, march, None
    try:
        for step in _steps(way, march):
            now, done = step
            if monotonic() > until:
                break
    except (Unreachable, NotAllowed):
        raise
    except Refused as refused:
        if not now.step:
            raise
        return _broken(way, now, refused)
    return _answer(way, _counted(way.place, now), done)


def _answer(way: Way, march: March, done: Done | None) -> HttpResponse:
    refresh(way.place.server)
    if done is not None and _goes_on(march, done):
        return _progress(way, march)
    return told(way.request, way.back, march.op_id, _finished(way.place, march, done))


def _steps(way: Way, march: March) -> Iterator[tuple[March, Done]]:
    """The steps from here on, each with how far it brought the call. Those of an obliterate know
    the lanes that the one before found; a drain takes in each what is left of the number shown."""
    user = way.request.user
    if march.verb == "obliterate":
        for done in steps(user, march.call):
            march = march.after(done)
            yield march, done
        return
    done = None
    while done is None or _goes_on(march, done):
        done = perform(user, march.call)
        march = march.after(done)
        yield march, done


def _goes_on(march: March, done: Done) -> bool:
    if march.verb == "drain":
        return done.more and march.left > 0
    return done.more and march.finds < ROUNDS


def _counted(place: Place, march: March) -> March:
    """An obliterate does not say how many jobs it deleted: what is left says it."""
    if march.verb != "obliterate":
        return march
    try:
        lanes = discovery.lanes_of(place.server.name, place.queue)
        jobs = reads.hoard(place.server.client, place.queue, lanes).jobs
    except FAILURES:
        return march
    left = sum(count or 0 for count in jobs.values())
    return replace(march, gone=max(march.gone, march.total - left, 0))


def _progress(way: Way, march: March) -> HttpResponse:
    context = {
        "place": way.place,
        "march": march,
        "label": way.label,
        "url": way.place.url_of(march.verb),
        "carried": march.signed(),
        "percent": 100 * march.gone // march.total if march.total else 0,
        "back_url": march.back,
    }
    return show(way.request, "console/progress.html", context)


def _finished(place: Place, march: March, done: Done | None) -> Outcome:
    sentence = done.sentence if done else ""
    more = bool(done and done.more)
    if march.verb == "drain":
        were = "was" if march.total == 1 else "were"
        shown = f" of {words.jobs(march.total)} shown"
        if not _is_known(march):
            shown = f", {march.total:,} {were} shown"
        sentence = f"queue {place.name} drained: {words.jobs(march.gone)} deleted{shown}"
        return Outcome("done", sentence, _drained(march, more), at_ms=place.now_ms)
    note = f"{words.jobs(march.total)} of it {'was' if march.total == 1 else 'were'} shown before."
    return Outcome("part" if more else "done", sentence, note, at_ms=place.now_ms)


def _is_known(march: March) -> bool:
    """Whether those that went are those that were shown: each by its name, and in one step."""
    return march.is_named and march.step == 1


def _drained(march: March, more: bool) -> str:
    said = []
    if march.left:
        were = "was" if march.left == 1 else "were"
        least = "" if _is_known(march) else "At least "
        said.append(f"{least}{march.left:,} {were} claimed, moved or deleted by others meanwhile.")
    if march.stranded:
        said.append(f"{stranded(march.stranded).capitalize()}.")
    if more:
        said.append("Others came since the confirmation and were left.")
    if not _is_known(march):
        said.append(_BY_NUMBER)
    return " ".join(said) or "Those there when it began were those shown."


def _stopped(place: Place, action: Action, march: March) -> Outcome:
    """What is done stays done; nothing of the rest is touched. A step beside the stop may have
    begun already: then what is known is the least that was done."""
    least = "" if looks.is_begun(place.server, march.call) is False else "at least "
    sentence = (
        f"{action.label} stopped: {least}{words.jobs(march.gone)} of {march.total:,} deleted, the "
        "rest stays"
    )
    note = "The queue stays paused." if march.verb == "obliterate" else ""
    return Outcome("part", sentence, note, at_ms=place.now_ms)


def _broken(way: Way, march: March, refused: Refused) -> HttpResponse:
    """The door refused a later step: what went before it is said along."""
    march = _counted(way.place, march)
    note = f"Before that {words.jobs(march.gone)} of {march.total:,} had been deleted."
    return told(way.request, way.back, march.op_id, Outcome("refused", refused.sentence, note))
