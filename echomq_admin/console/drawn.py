"""The records that the row templates place: every text in them is ready."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.console.payloads import Sight

# A link that is longer is not repeated in its row.
_LONGEST_MORE = 200


@dataclass(frozen=True, slots=True)
class Pips:
    """A stall count as dots: `on` filled, `off` empty; `text` is the number or "?".

    `why` says in words what the dots mean.
    """

    text: str
    on: range
    off: range
    why: str


@dataclass(frozen=True, slots=True)
class Stamp:
    """The score of a row as an instant: `ms`, or `None` for one that is none, which `text` then
    shows as it is; `is_due` when it has come."""

    ms: float | None
    text: str
    is_due: bool


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job of a list. `key` carries id, attempts and stalls as seen to the action; `help` says
    what to do about a `fault`; `odd` says how the row and its list disagree. `href` is empty for
    an id that is too long for an address, `lane_href` for a lane without a page, and `key` where
    the person can do nothing with the job. `is_movable`: more can be done with it than to remove
    it. `more_href` is a link to be repeated, of short ids only."""

    dom_id: str
    key: str
    is_movable: bool
    name: str
    href: str
    fault: str
    help: str
    odd: str
    state: str
    attempts: str
    stalls: Pips
    lane: str
    lane_href: str
    parent: str
    error: Sight
    payload: Sight
    progress: Sight
    minted_ms: int | None
    stamp: Stamp
    refusal: str
    ticked: bool

    @property
    def more_href(self) -> str:
        return self.href if len(self.href) <= _LONGEST_MORE else ""

    @property
    def error_id(self) -> str:
        return self.dom_id + "e"

    @property
    def payload_id(self) -> str:
        return self.dom_id + "p"

    @property
    def progress_id(self) -> str:
        return self.dom_id + "g"

    @property
    def fault_id(self) -> str:
        return self.dom_id + "f"


@dataclass(frozen=True, slots=True)
class Countdown:
    """What is left of a lease. `fill` is how much of the bar (0 to 100) is left on the page's
    scale."""

    phase: str
    left: str
    remaining_ms: float | None
    fill: float


@dataclass(frozen=True, slots=True)
class Renewed:
    """The renewals of a lease. `sign` is "renewed", "silent" (it was renewed, and is no more as
    it used to be), "none" or "unknown"; `count` and `text` say it, the latter before `ago_ms`, how
    long ago the last was, `None` where no time follows; `why` explains it."""

    sign: str
    count: str
    text: str
    ago_ms: int | None
    why: str
    since_ms: int | None = None


@dataclass(frozen=True, slots=True)
class LeaseRow:
    """A job in flight; `fate` is what the next sweep does with a lapsed one, "?" when unknown.
    `sign_ms` is when it was last renewed, going by the settings, `None` when that cannot be told;
    `renewed` is what the agent saw of it."""

    job: JobRow
    lease: Countdown
    fate: str
    dies: bool
    sign_ms: float | None
    renewed: Renewed


@dataclass(frozen=True, slots=True)
class FateRow:
    """A row of the sweep's preview."""

    dom_id: str
    name: str
    fault: str
    phase: str
    left: str
    remaining_ms: float | None
    attempts: str
    stalls: Pips
    fate: str
    dies: bool
