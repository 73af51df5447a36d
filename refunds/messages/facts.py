"""Everything one message is made of, gathered at its claim, so that rendering needs nothing else."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from refunds.messages.kept import Kept
from refunds.messages.language import LOCALES
from refunds.messages.moved import Moved, Way, way_of
from refunds.states import Goods, RefundState, Rejection, Remedy, Route


@dataclass(frozen=True, slots=True)
class Item:
    """So many units of one thing that the refund is about, `elsewhere` of them not with the customer, what the
    inspection found of those that came back, and how many were asked for and not approved (`denied`)."""

    name: str
    quantity: int
    accepted: int = 0
    damaged: int = 0
    wrong_item: int = 0
    missing: int = 0
    elsewhere: int = 0
    denied: int = 0

    @property
    def announced(self) -> int:
        """The units that were inspected, or should have been; 0 before the inspection."""
        return self.accepted + self.damaged + self.wrong_item + self.missing


class Outward(StrEnum):
    """Of the parcels on their way out: what may be said of them to who is to get them."""

    STOPPED = "stopped"  # the carrier is asked to, or does
    COMES = "comes"  # one cannot be stopped: nobody can be asked, or the carrier will not
    BACK = "back"  # nothing of it is on its way any more


@dataclass(frozen=True, slots=True)
class Visit:
    """The courier's time at the customer's door, aware. Only one that is booked and not over yet."""

    starts_at: datetime
    ends_at: datetime


@dataclass(frozen=True, slots=True)
class MessageFacts:
    """One message of one refund to one person; or of an order alone, then without `refund` and `request`.

    `identity` is the same for every attempt, `thread` for every message of the request; both without brackets.
    `refund` is the number of this refund, of which the request has `parts`; customers see `request` alone, and at the
    address `page` how it stands; an SMS has no room for that, and none.
    Amounts are in the minor unit of `currency`; `unsent_minor` is what a closed one does not send any more, beside its
    amount. `adjusted` are the names of lines whose price is lowered. `announced`: he was told before that the money was
    sent. All times are aware; `country` (ISO 3166, two letters) says how the customer's clock shows them. `asked`: the
    customer himself asked for it, as far as we know; `by_shop`: the shop gave it by itself. `funded`: who paid for
    discounts and gets how much of that back. `deadline`: until when he has to hand the goods over, or to take an offer;
    None when no such clock runs. `offered_minor`: what he may have and keep the goods, for `offer_note`; `said`: what
    was written to him, and `answer_by`: until when a question waits for him. `proof_until`: by when the carrier is to
    prove that it was delivered. `again`: he was told of a visit before.
    `label`: where the label is, and `waybill` the number of the parcel that he hands in with it.
    `rejection` is the kind of rejection, `reason` the agent's words if it was his. `instrument`: where the money was
    last said to go, or of a `code` where it would, `payee` the end of what the account there knows him by; `code`: with
    which he proves that change. `remedy`: what he is to get, `replaced_by`: the order that he got instead of the money.
    `locale`: how he writes dates and amounts (`locale_for`), where it is told.
    """

    template: str
    channel: str
    language: str
    to: str
    identity: str
    thread: str
    refund: str
    request: str
    order: str
    page: str
    requested_at: datetime
    currency: str
    amount_minor: int
    moved: Moved = Moved()
    unsent_minor: int = 0
    kept: tuple[Kept, ...] = ()
    adjusted: tuple[str, ...] = ()
    announced: bool = False
    part: int = 1
    parts: int = 1
    items: tuple[Item, ...] = ()
    note: str = ""
    customer: str = ""
    country: str = ""
    asked: bool = True
    by_shop: bool = False
    funded: tuple[tuple[str, int], ...] = ()
    state: str = ""
    route: str = ""
    goods: str = ""
    outward: str = Outward.STOPPED.value
    reason: str = ""
    rejection: str = ""
    deadline: datetime | None = None
    visit: Visit | None = None
    again: bool = False
    label: str = ""
    waybill: str = ""
    remedy: str = Remedy.MONEY.value
    replaced_by: str = ""
    instrument: str = ""
    payee: str = ""
    code: str = ""
    offered_minor: int = 0
    offer_note: str = ""
    said: str = ""
    answer_by: datetime | None = None
    proof_until: datetime | None = None
    shop: str = ""
    contact: str = ""
    sender: str = ""
    locale: str = ""

    @property
    def written_in(self) -> str:
        return self.locale or LOCALES[self.language]

    @property
    def way(self) -> Way:
        return way_of(self.amount_minor, self.moved)

    @property
    def gets_another(self) -> bool:
        """No money, but another one of the same."""
        return self.remedy == Remedy.REPLACEMENT

    @property
    def waits(self) -> bool:
        """The goods are still awaited: a courier who missed them comes again."""
        return self.state == RefundState.AWAITING_RETURN

    @property
    def stops(self) -> bool:
        """The parcel is to be stopped before it reaches the customer."""
        return self.route == Route.INTERCEPT and self.outward == Outward.STOPPED

    @property
    def comes(self) -> bool:
        """The parcel is on its way to the customer, and nobody can stop it."""
        return self.route == Route.INTERCEPT and self.outward == Outward.COMES

    @property
    def is_back(self) -> bool:
        """The parcel is with us again, or lost: nothing of it will reach the customer."""
        return self.route == Route.INTERCEPT and self.outward == Outward.BACK

    @property
    def was_sent(self) -> bool:
        """The customer says that he has sent the goods back already."""
        return self.goods == Goods.ALREADY_SENT

    @property
    def refused(self) -> bool:
        """The goods came back, and none of them was accepted."""
        return self.rejection == Rejection.NOTHING_ACCEPTED

    @property
    def lapsed(self) -> bool:
        """Nobody has looked at it in the time there was."""
        return self.rejection == Rejection.NOT_REVIEWED
