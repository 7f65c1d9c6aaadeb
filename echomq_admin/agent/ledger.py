"""What only the agent that leads a server does: observe its leases, take its samples, look through
its dead jobs."""

from __future__ import annotations

import logging
from abc import abstractmethod
from threading import Event
from typing import Generic, TypeVar

from django.db import IntegrityError

from echomq_admin.agent.work import OnServer, Work
from echomq_admin.fleet.servers import Server, trouble
from echomq_admin.ledger.observing import turns
from echomq_admin.ledger.observing.found import Finder
from echomq_admin.ledger.observing.lead import Lead, Lost, Term
from echomq_admin.ledger.observing.observer import Observer
from echomq_admin.ledger.samples.sampling import Sampler

_HOLD_EVERY_S = 1.0
_SAMPLE_EVERY_S = 10.0
# How soon an agent that begins to lead begins its works.
_WATCH_S = 0.5
# So long the lead is kept at the end, until what the observer knows is saved.
_SAVE_S = 0.3

T = TypeVar("T")

log = logging.getLogger(__name__)


def works_of_ledger(server: Server, stop: Event) -> list[Work]:
    """The works on one server that go by one lead."""
    lead = Lead(server.name)
    observing = Observing(server, stop, _HOLD_EVERY_S, lead)
    return [
        Leading(server, stop, lead, observing),
        observing,
        Sampling(server, stop, _SAMPLE_EVERY_S, lead),
        LookingForDeaths(server, stop, turns.EVERY_S, lead),
    ]


class UnderLead(OnServer, Generic[T]):
    """Done by something that is made for each term of the lead and knows only what it saw in it."""

    def __init__(self, server: Server, stop: Event, every_s: float, lead: Lead) -> None:
        super().__init__(server, stop, every_s)
        self._lead = lead
        self._term: Term | None = None
        self._doer: T | None = None

    def _do(self) -> float | None:
        doer = self._of_this_term()
        if doer is None:
            return _WATCH_S
        try:
            return self._go(doer)
        except Lost:
            self._drop()
            return _WATCH_S
        except IntegrityError:
            # A row that it goes by is there no more.
            self._drop()
            raise

    def _of_this_term(self) -> T | None:
        term = self._lead.term
        if term != self._term:
            self._drop()
            if term is not None and term.is_held:
                self._term, self._doer = term, self._made(term)
        return self._doer

    def _drop(self) -> None:
        self._term = self._doer = None

    @abstractmethod
    def _made(self, term: Term) -> T:
        """What does the work in this term."""

    @abstractmethod
    def _go(self, doer: T) -> float | None:
        """One round, as `_do`. Raises `Lost`."""

    def _troubled(self, error: Exception) -> None:
        # A server that is out of reach is told of by the passes over its keys.
        log.debug("%s", trouble(self._server, error))

    def _failed(self, sentence: str, unforeseen: Exception | None = None) -> None:
        super()._failed(sentence, unforeseen)
        if unforeseen is not None:
            # What it remembers may be half of a round; all that counts is in the database.
            self._drop()


class Observing(UnderLead[Observer]):
    """Looks at the leases of one server, and enters how they end."""

    what = "observe"
    unwritten = "what is seen of the leases of {server} cannot be kept"
    again = "the leases of {server} are observed again"

    def __init__(self, server: Server, stop: Event, every_s: float, lead: Lead) -> None:
        super().__init__(server, stop, every_s, lead)
        self.is_saved = Event()

    def _made(self, term: Term) -> Observer:
        return Observer(self._server, term)

    def _go(self, doer: Observer) -> float:
        return doer.beat()

    def _leave(self) -> None:
        self._at_last(self._save)
        self.is_saved.set()
        super()._leave()

    def _save(self) -> None:
        if self._doer is None:
            return
        try:
            self._doer.close()
        except Lost:
            log.debug("the lead of %s was lost at the end", self._server.name)


class Leading(OnServer):
    """Keeps the lead, or waits for it."""

    what = "lead"
    unwritten = "whether this agent observes {server} is not known"
    again = "it is known again which agent observes {server}"

    def __init__(self, server: Server, stop: Event, lead: Lead, observing: Observing) -> None:
        super().__init__(server, stop, _HOLD_EVERY_S)
        self._lead = lead
        self._observing = observing

    def _do(self) -> None:
        self._lead.hold()

    def _leave(self) -> None:
        self._observing.is_saved.wait(_SAVE_S)
        self._at_last(self._lead.give_up)
        super()._leave()


class Sampling(UnderLead[Sampler]):
    """Takes the samples of the queues of one server."""

    what = "sample"
    unwritten = "samples of {server} cannot be kept"
    again = "samples of {server} are kept again"

    def _made(self, term: Term) -> Sampler:
        return Sampler(self._server, term)

    def _go(self, doer: Sampler) -> float:
        return doer.take()


class LookingForDeaths(UnderLead[Finder]):
    """Looks through the dead jobs of one server for deaths that nobody saw."""

    what = "find deaths"
    unwritten = "jobs found dead on {server} cannot be entered"
    again = "jobs found dead on {server} are entered again"

    def _made(self, term: Term) -> Finder:
        return Finder(self._server, term)

    def _go(self, doer: Finder) -> None:
        doer.step(self._stop)
