"""Truth and ledger, held against each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tests.chaos.book import SLACK_MS, Entry, Span
from tests.chaos.truth import BEAT_MS, DEATHS, FAILED, OPERATOR, REAPED, STALLS, Ended, Truth

# Looks that are further apart than this may miss what comes between: on a busy machine.
SOON_MS = BEAT_MS // 2
# Looks that are further apart are a gap: two thirds of a lease.
APART_MS = 2 * BEAT_MS


@dataclass
class Verdict:
    """`wrong` and `invented` are entries that say what was not so, `wrong` in words, of the leases
    `mistaken`. What has no entry is `unseen` where it was in a span in which the ledger says that
    it did not see, `traceless` where the row was gone before the next look had to be, and else
    `missed`.

    `unsure` were entered as uncertain, by an entry that is `avoidable` where the observer had
    looked soon before and after. `harmless` are uncertain entries of leases that ended well.
    `unentered` counts the deaths of each queue that have no entry.
    """

    truth: Truth
    right: list[tuple[Ended, Entry]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    mistaken: list[Ended] = field(default_factory=list)
    invented: list[Entry] = field(default_factory=list)
    missed: list[Ended] = field(default_factory=list)
    unseen: list[Ended] = field(default_factory=list)
    traceless: list[Ended] = field(default_factory=list)
    unsure: list[tuple[Ended, Entry]] = field(default_factory=list)
    avoidable: list[Entry] = field(default_factory=list)
    harmless: list[Entry] = field(default_factory=list)
    unentered: Counter[str] = field(default_factory=Counter)

    @property
    def faults(self) -> list[object]:
        """Everything for which there is no excuse: empty when the ledger can be relied on. That a
        death by attempts has no entry is none, as long as the ledger says how many have none."""
        missed = [ended for ended in self.missed if ended.kind != FAILED]
        return [*self.wrong, *self.invented, *missed]

    @property
    def doubtful(self) -> list[tuple[str, str]]:
        """The queue and the id of each job of which the ledger does not say all."""
        unsure = _first(self.unsure)
        leases = [*self.mistaken, *self.invented, *self.missed, *unsure, *self.harmless]
        return sorted({(one.queue, one.job) for one in leases})

    def report(self) -> str:
        """One line of figures a kind."""
        lines = []
        for kind in (*STALLS, REAPED, FAILED, OPERATOR):
            parts = {
                "right": _first(self.right),
                "unsure": _first(self.unsure),
                "missed": self.missed,
                "unseen": self.unseen,
                "traceless": self.traceless,
            }
            counted = (
                f"{sum(ended.kind == kind for ended in some)} {name}"
                for name, some in parts.items()
            )
            lines.append(f"{kind:<10} {self.truth.counts[kind]:>5}: {', '.join(counted)}")
        sources = Counter(entry.source for _, entry in self.right)
        lines.append(
            f"sources {dict(sources)}, {self.truth.revived} leases revived, "
            f"{len(self.harmless)} that ended well told as uncertain"
        )
        return "\n".join([*lines, *map(str, self.faults)])


def _first(pairs: Iterable[tuple[Ended, Entry]]) -> list[Ended]:
    return [ended for ended, _ in pairs]


def judge(truth: Truth, entries: Iterable[Entry], spans: Sequence[Span]) -> Verdict:
    """Hold each lease of the truth against its entries."""
    verdict = Verdict(truth)
    ended, closed, told = (_by_lease(leases) for leases in (truth.endings, truth.closed, entries))
    for lease in ended.keys() | told.keys():
        _Match(verdict, ended[lease], closed[lease], told[lease], spans).make()
    verdict.unentered = _unentered(verdict)
    return verdict


def misstated(verdict: Verdict, stated: Mapping[str, int | None]) -> list[str]:
    """Where the stated number of deaths without an entry is not the true one."""
    queues = verdict.truth.deaths.keys() | stated.keys()
    return [
        f"{queue}: stated {stated.get(queue)}, true {verdict.unentered[queue]}"
        for queue in sorted(queues)
        if stated.get(queue) != verdict.unentered[queue]
    ]


def _unentered(verdict: Verdict) -> Counter[str]:
    entered = Counter(ended.queue for ended, entry in verdict.right if entry.kind in DEATHS)
    return Counter({queue: count - entered[queue] for queue, count in verdict.truth.deaths.items()})


def _by_lease(leases: Iterable[Ended | Entry]) -> defaultdict[tuple, list]:
    found = defaultdict(list)
    for one in leases:
        found[one.lease].append(one)
    return found


class _Match:
    """The endings of one (queue, job, attempts), of whatever life, and what is told of them."""

    def __init__(
        self,
        verdict: Verdict,
        ended: Sequence[Ended],
        closed: Sequence[Ended],
        entries: Sequence[Entry],
        spans: Sequence[Span],
    ) -> None:
        self._verdict, self._spans = verdict, spans
        self._ended, self._closed, self._told = list(ended), list(closed), list(entries)

    def make(self) -> None:
        found = self._pair(lambda ended, entry: ended.kind == entry.kind and _fits(ended, entry))
        self._verdict.right += found
        for ended, entry in found:
            self._details(ended, entry)
        self._lives(found)
        unsure = self._pair(lambda ended, entry: entry.kind == "uncertain" and _fits(ended, entry))
        self._verdict.unsure += unsure
        for ended, entry in unsure:
            if self._is_in_sight(ended, entry):
                self._verdict.avoidable.append(entry)
            if ended.kind in (*STALLS, OPERATOR) and self._is_in_sight(ended, entry):
                self._wrong(ended, f"was in sight, and is told as {entry}")
        self._errors()
        self._rest()

    def _pair(self, suits) -> list[tuple[Ended, Entry]]:
        """Take away those that belong together, the earliest first."""
        pairs = []
        for entry in list(self._told):
            ended = next((ended for ended in self._ended if suits(ended, entry)), None)
            if ended:
                pairs.append((ended, entry))
                self._ended.remove(ended)
                self._told.remove(entry)
        return pairs

    def _errors(self) -> None:
        """What is told of a lease that did end, but not so, or not then."""
        for ended, entry in self._pair(_fits) + self._pair(lambda *_: True):
            self._wrong(ended, f"is told as {entry}")

    def _rest(self) -> None:
        for entry in self._told:
            is_harmless = entry.kind == "uncertain" and any(
                _fits(closed, entry) for closed in self._closed
            )
            (self._verdict.harmless if is_harmless else self._verdict.invented).append(entry)
        verdict = self._verdict
        for ended in self._ended:
            if self._is_blind(ended):
                verdict.unseen.append(ended)
            elif verdict.truth.is_traceless(ended, APART_MS):
                verdict.traceless.append(ended)
            else:
                verdict.missed.append(ended)

    def _details(self, ended: Ended, entry: Entry) -> None:
        """What an entry says beside its kind."""
        pairs = {"stalled": (ended.stalled, entry.stalled)} if ended.kind in STALLS else {}
        if (*ended.lease[:2], ended.life) not in self._verdict.truth.ghosts:
            pairs["lane"] = (ended.lane, entry.lane)
        if ended.kind == FAILED:
            pairs["error"] = (ended.error, entry.error)
        if ended.deadline and entry.deadline and not self._is_blind(ended):
            pairs["deadline"] = (ended.deadline, entry.deadline)
        if ended.by == "operator":
            pairs["source"] = ("script", entry.source)
        for name, (so, told) in pairs.items():
            if so != told:
                self._wrong(ended, f"{name} is told as {told}: {entry}")

    def _wrong(self, ended: Ended, what: str) -> None:
        self._verdict.wrong.append(f"{ended}: {what}")
        self._verdict.mistaken.append(ended)

    def _lives(self, found: list[tuple[Ended, Entry]]) -> None:
        """A revived lease is of the same life, that of a job enqueued again is not. Scripts alone
        cannot tell the two apart."""
        seen = [pair for pair in found if not self._is_blind(pair[0])]
        for (ended, entry), (later, other) in pairwise(seen):
            if later.n and entry.source == other.source == "script":
                continue
            # A claim that makes the row of an id gives it the number that it had before.
            if (*later.lease[:2], later.life) in self._verdict.truth.ghosts:
                continue
            if (ended.life == later.life) != (entry.life == other.life):
                self._wrong(ended, f"life and that of {later}: {entry}, {other}")

    def _is_in_sight(self, ended: Ended, entry: Entry) -> bool:
        """Whether the observer looked soon before and soon after, and could see what was left. The
        job of a revived lease waits all the while: a claim alone looks like a reap and a claim."""
        if ended.kind not in STALLS and (ended.n or self._verdict.truth.is_traceless(ended)):
            return False
        return entry.within_ms < SOON_MS and not self._is_blind(ended)

    def _is_blind(self, ended: Ended) -> bool:
        return any(span.holds(ended.queue, ended.t) for span in self._spans)


def _fits(ended: Ended, entry: Entry) -> bool:
    """Whether an entry tells of this instant."""
    if entry.source == "script":
        return entry.ended_ms == ended.t and entry.within_ms == 0
    first_ms = entry.ended_ms - entry.within_ms
    return first_ms - SLACK_MS <= ended.t <= entry.ended_ms + SLACK_MS
