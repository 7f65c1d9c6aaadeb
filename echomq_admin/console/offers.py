"""What a list offers to do with its jobs: with those that are ticked, and with each by itself."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.console.places import Place
from echomq_admin.operations.action import Consent
from echomq_admin.operations.actions import ACTIONS

# What an id whose row is missing or cannot be read is good for.
_LOST = "remove"


@dataclass(frozen=True, slots=True)
class Offer:
    """The button of an action. `asks`: one job of it is asked about too, before it is done;
    `harms`: it takes jobs out of the queue."""

    verb: str
    label: str
    short: str
    url: str
    key: str
    busy: str
    asks: bool
    harms: bool

    @property
    def own(self) -> str:
        """The words of the button of a row; dots say that it asks first."""
        return f"{self.short}…" if self.asks else self.short

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
    mine = [action for action in ACTIONS.values() if place.may(user, action.verb)]
    ticked = tuple(offer(place, action.verb) for action in mine if tab in action.ticked_on)
    own = tuple(offer(place, action.verb) for action in mine if tab in action.own_on)
    return Bar(ticked, own, next((one for one in ticked if one.verb == _LOST), None))


def offer(place: Place, verb: str) -> Offer:
    """The button of an action on jobs of this place."""
    action = ACTIONS[verb]
    fills_in = any(one.required for one in action.args)
    asks = fills_in or action.consent_for(1) is not Consent.CLICK
    return Offer(
        verb=verb,
        label=action.label,
        short=action.short or action.label,
        url=place.url_of(verb),
        key=action.key,
        busy=action.busy,
        asks=asks,
        harms=action.harms,
    )
