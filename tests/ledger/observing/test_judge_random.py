"""Random worlds: whatever happens between two looks, no ending is told that was none, and none is
told of another kind; while looks are close enough, every stall and every reap is told."""

from __future__ import annotations

import os
from collections import Counter
from random import Random

import pytest

from echomq_admin.emq.sights import Active
from echomq_admin.emq.touches import Touches
from echomq_admin.ledger.endings.book import Finding
from echomq_admin.ledger.endings.models import EndingKind
from echomq_admin.ledger.observing.findings import _findings, _over
from echomq_admin.ledger.observing.looks import Look
from echomq_admin.ledger.observing.watch import Watch
from tests.ledger.observing.world import OPERATOR, Truth, World

LEASE_MS = 3_000
SEEDS = int(os.environ.get("SEEDS", "60"))
UNCERTAIN = EndingKind.UNCERTAIN
SURE = set(EndingKind) - {UNCERTAIN}
STALLS = {EndingKind.RECOVERED, EndingKind.DEAD}


class Watched:
    """A world that is looked at, and what was told of it."""

    def __init__(self, seed: int, backoff_ms: int) -> None:
        self.random = Random(seed)
        self.world = World(self.random, LEASE_MS, backoff_ms)
        self.watch = Watch(shortest_ms=LEASE_MS, backoff_ms=backoff_ms)
        self.told: list[Finding] = []
        self.gaps: list[tuple[int, int]] = []
        self.lives: list[tuple[int, dict[str, int]]] = []
        self.look()

    def look(self) -> None:
        world, watch = self.world, self.watch
        look = Look(world.now, world.now, world.now)
        active: Active = world.active()
        wanted = watch.news(active, look, 100, 100)
        seen = watch.take(active, wanted, world.rows(wanted), look)
        dead = {name.encode() for name, job in world.jobs.items() if job.state == "dead"}
        found = _findings(_over([seen]), Touches(world.touches), dead)
        self.told += [finding for _, finding in found]
        watch.entered([])
        if seen.gap:
            self.gaps.append(seen.gap[:2])
        self.lives.append((world.now, {name: job.life for name, job in world.jobs.items()}))
        world.looked = world.now
        world.is_in_gap = False

    def run(self, looks: int) -> None:
        for _ in range(looks):
            is_gap = self.random.random() < 0.05
            span = 20_000 if is_gap else self.random.choice((200, 200, 900))
            self.world.is_in_gap = is_gap
            until = self.world.now + span
            while self.world.now < until:
                self.world.step()
            self.look()

    def is_lost(self, truth: Truth) -> bool:
        """Whether the next look found no row of that life, or there was none."""
        lives = next((lives for at, lives in self.lives if at >= truth.at), {})
        return lives.get(truth.job) != truth.life

    def is_in_gap(self, at: int) -> bool:
        return any(start < at <= end for start, end in self.gaps)


@pytest.fixture(scope="module")
def runs() -> list[Watched]:
    made = [Watched(seed, (0, 500, 2_000)[seed % 3]) for seed in range(40)]
    for run in made:
        run.run(250)
    return made


def of_lease(run: Watched, finding: Finding) -> list[Truth]:
    """The true ends of a lease within the span that is told."""
    after = finding.ended_ms - max(finding.within_ms, 1)
    return [
        truth
        for truth in run.world.truths
        if (truth.job, truth.attempts) == (finding.job_id, finding.attempts)
        and after < truth.at <= finding.ended_ms
    ]


def test_no_ending_is_told_that_was_none_or_of_another_kind(runs):
    counts: Counter[EndingKind] = Counter()
    for run in runs:
        for finding in run.told:
            counts[finding.kind] += 1
            if finding.kind in SURE:
                true = [truth.kind for truth in of_lease(run, finding)]
                assert finding.kind in true, (finding, true)
    # It is no test of a mute observer.
    assert min(counts[kind] for kind in SURE - {OPERATOR}) > 50


def test_a_stall_is_told_with_its_count(runs):
    for run in runs:
        for finding in run.told:
            if finding.kind in STALLS:
                true = [truth.stalled for truth in of_lease(run, finding)]
                assert finding.stalled in true, (finding, true)


def test_no_lease_is_told_twice(runs):
    for run in runs:
        for finding in run.told:
            if finding.kind in SURE:
                same = [
                    other for other in run.told
                    if (other.job_id, other.attempts, other.kind, other.ended_ms)
                    == (finding.job_id, finding.attempts, finding.kind, finding.ended_ms)
                ]  # fmt: skip
                assert len(same) == 1


@pytest.mark.parametrize("kinds", [STALLS, {EndingKind.REAPED}], ids=["stalls", "reaps"])
def test_while_looks_are_close_enough_none_is_missed(runs, kinds):
    for run in runs:
        for truth in run.world.truths:
            if truth.kind not in kinds or run.is_in_gap(truth.at) or is_beyond(run, truth):
                continue
            assert [
                finding
                for finding in run.told
                if (finding.job_id, finding.attempts) == (truth.job, truth.attempts)
                and finding.ended_ms - max(finding.within_ms, 1) < truth.at <= finding.ended_ms
            ], truth


def is_beyond(run: Watched, truth: Truth) -> bool:
    """Whether no look could tell, or need: an operator ended it, nothing is left of the job, its
    worker failed after that, or nobody has looked since."""
    if truth.is_by_hand:
        return True
    lease = (truth.job, truth.life, truth.attempts)
    return lease in run.world.blurred or run.is_lost(truth)
