"""What a list offers to do with its jobs: with those that are ticked, and with each by itself."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.console.places import Place
from echomq_admin.operations.action import Consent
from echomq_admin.operations.actions import ACTIONS

# By tab: what can work on the jobs of its list. The buttons of a row are for that one job.
_TICKED = {
    "pending": ("bury", "remove"),
    "active": ("bury", "remove"),
    "scheduled": ("promote_now", "bury", "remove"),
    "dead": ("requeue", "remove"),
}
_OWN = {"active": ("recover_now", "extend"), "scheduled": ("promote_now",), "dead": ("requeue",)}
# What an id whose row is missing or cannot be read is good for.
_LOST = "remove"
# The key of an action wherever it has a button.
KEYS = {
    "requeue": "r",
    "promote_now": "n",
    "recover_now": "v",
    "extend": "e",
    "bury": "b",
    "remove": "d",
}
# What has a button on the page of a job.
OF_JOB = frozenset({*KEYS, "update_payload"})
# Where rows and bars have less room than the whole label takes.
_SHORT = {"promote_now": "Promote", "recover_now": "Recover", "extend": "Extend"}
_BUSY = {"requeue": "Requeueing…", "promote_now": "Promoting…"}


@dataclass(frozen=True, slots=True)
class Offer:
    """The button of an action. `asks`: one job of it is asked about too, before it is done."""

    verb: str
    label: str
    url: str
    key: str
    asks: bool

    @property
    def own(self) -> str:
        """The words of the button of a row; dots say that it asks first."""
        return f"{self.short}…" if self.asks else self.short

    @property
    def short(self) -> str:
        return _SHORT.get(self.verb, self.label)

    @property
    def busy(self) -> str:
        return _BUSY.get(self.verb, "Working…")

    @property
    def none(self) -> str:
        return f"{self.short} ticked…"

    @property
    def one(self) -> str:
        return f"{self.short} 1 ticked…"

    @property
    def many(self) -> str:
        """The words for several ticked jobs, with # for their number."""
        return f"{self.short} # ticked…"


@dataclass(frozen=True, slots=True)
class Bar:
    """What a person may do from a list: `ticked` with all that are ticked, `own` with one row,
    `lost` with one whose row cannot be worked on. All are empty for who may do nothing here."""

    ticked: tuple[Offer, ...] = ()
    own: tuple[Offer, ...] = ()
    lost: Offer | None = None

    @property
    def is_any(self) -> bool:
        return bool(self.ticked or self.own)

    @property
    def url(self) -> str:
        """Where the form of the list goes that no button sends elsewhere."""
        return (*self.own, *self.ticked)[0].url

    @property
    def has_own(self) -> bool:
        """Whether a row may have a button."""
        return bool(self.own or self.lost)

    @property
    def uses(self) -> int:
        """How often the form value of a job stands in its row."""
        return bool(self.ticked) + max(len(self.own), int(self.lost is not None))


def bar(place: Place, user, tab: str) -> Bar:
    """What this user may do now from the list of a tab."""
    ticked = tuple(offer(place, verb) for verb in _TICKED[tab] if place.may(user, verb))
    own = tuple(offer(place, verb) for verb in _OWN.get(tab, ()) if place.may(user, verb))
    return Bar(ticked, own, next((one for one in ticked if one.verb == _LOST), None))


def offer(place: Place, verb: str) -> Offer:
    """The button of an action on jobs of this place."""
    action = ACTIONS[verb]
    fills_in = any(one.required for one in action.args)
    asks = fills_in or action.consent_for(1) is not Consent.CLICK
    return Offer(verb, action.label, place.url_of(verb), KEYS.get(verb, ""), asks)
