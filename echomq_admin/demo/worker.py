"""A worker: it claims, renews its leases while it works, and says how each job ended."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from echomq_admin.emq import Claim, EchoMQ, EmqStale, EmqState, Gone

log = logging.getLogger(__name__)
_LOST = (Gone, EmqStale, EmqState)
_ALWAYS = 1_000_000


@dataclass(frozen=True)
class Plan:
    """How one claim goes: so much work, then done, or failed with an error, or silence."""

    work_s: float = 0.0
    error: str | bytes | None = None
    silent: bool = False


@dataclass(frozen=True)
class Source:
    """Where to claim: the flat queue, or its lanes."""

    queue: str
    lanes: bool = False


@dataclass(frozen=True)
class Habits:
    """A kind of worker. It renews each lease after a third of it."""

    sources: tuple[Source, ...]
    plan: Callable[[Claim], Plan]
    hands: int = 1
    lease_ms: int = 10_000
    max_attempts: int = 3
    backoff_ms: int = 4_000


@dataclass
class _Held:
    queue: str
    claim: Claim
    plan: Plan
    done_s: float
    renew_s: float


class Worker:
    """One process's share of the work. `beat` never blocks for the length of a job."""

    def __init__(self, emq: EchoMQ, habits: Habits) -> None:
        self._emq, self._habits = emq, habits
        self._held: list[_Held] = []
        self._turn = 0

    def beat(self) -> None:
        """Renew, finish and claim whatever is due now."""
        for held in list(self._held):
            if time.monotonic() >= held.done_s:
                self._finish(held)
            elif time.monotonic() >= held.renew_s:
                self._renew(held)
        while len(self._held) < self._habits.hands and self._claim():
            pass

    def leave(self) -> None:
        """Hand the unfinished jobs back, so that they need not wait for their leases."""
        for held in self._held:
            self._retry(held, 0, _ALWAYS, "handed back: the worker was stopped")
        self._held.clear()

    def _claim(self) -> bool:
        """Take one job of the next source that has one."""
        sources = self._habits.sources
        for _ in sources:
            source = sources[self._turn % len(sources)]
            self._turn += 1
            take = self._emq.claim_lane if source.lanes else self._emq.claim
            claim = take(source.queue, self._habits.lease_ms)
            if claim:
                self._begin(source.queue, claim)
                return True
        return False

    def _begin(self, queue: str, claim: Claim) -> None:
        plan = self._habits.plan(claim)
        if plan.silent:
            log.info("%s %s: silent at attempt %d", queue, claim.job_id, claim.attempts)
            return
        now_s = time.monotonic()
        held = _Held(queue, claim, plan, now_s + plan.work_s, now_s + self._renew_after_s)
        self._held.append(held)

    @property
    def _renew_after_s(self) -> float:
        return self._habits.lease_ms / 3000

    def _renew(self, held: _Held) -> None:
        claim = held.claim
        held.renew_s = time.monotonic() + self._renew_after_s
        try:
            self._emq.extend(held.queue, claim.job_id, claim.attempts, self._habits.lease_ms)
        except _LOST as reason:
            self._lost(held, reason)
            self._held.remove(held)

    def _finish(self, held: _Held) -> None:
        claim, error = held.claim, held.plan.error
        self._held.remove(held)
        if error is not None:
            delay_ms = self._habits.backoff_ms * 2 ** (claim.attempts - 1)
            self._retry(held, min(delay_ms, 60_000), self._habits.max_attempts, error)
            return
        try:
            self._emq.complete(held.queue, claim.job_id, claim.attempts)
        except _LOST as reason:
            self._lost(held, reason)
        else:
            if claim.attempts > 1:
                log.info("%s %s: done at attempt %d", held.queue, claim.job_id, claim.attempts)

    def _retry(self, held: _Held, delay_ms: int, most: int, error: str | bytes) -> None:
        claim = held.claim
        try:
            self._emq.retry(held.queue, claim.job_id, claim.attempts, delay_ms, most, error)
        except _LOST as reason:
            self._lost(held, reason)

    def _lost(self, held: _Held, reason: Exception) -> None:
        log.info("%s %s: no longer ours (%s)", held.queue, held.claim.job_id, reason)
