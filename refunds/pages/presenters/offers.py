"""What of an order can be refunded, where it is, and why not."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from orders.typed import single_line
from refunds.messages.sentences import joined
from refunds.pages.presenters.rules import rules_of, words_that_help
from refunds.pages.presenters.terms import Terms
from refunds.pages.presenters.words import Words
from refunds.states import Place, Remedy, Route, WayBack

_PLACES = {
    Place.UNSHIPPED: gettext_noop("not sent yet"),
    Place.IN_TRANSIT: gettext_noop("on the way to you"),
    Place.DELIVERED: gettext_noop("delivered"),
}
#: Where the units of a route are, and what a refund of them means in a word.
_WHERE = {
    Route.INSTANT: (_PLACES[Place.UNSHIPPED], gettext_noop("refunded at once")),
    Route.INTERCEPT: (_PLACES[Place.IN_TRANSIT], gettext_noop("the parcel is stopped, if it still can be")),
    Route.PICKUP: (_PLACES[Place.DELIVERED], gettext_noop("a courier fetches it from you")),
    Route.REFUND_ONLY: (gettext_noop("not to be sent back"), gettext_noop("customer service looks at it")),
}
_WHAT_HAPPENS = {
    Route.INSTANT: gettext_noop("It has not been sent: the money goes back at once."),
    Route.INTERCEPT: gettext_noop(
        "It is on its way: customer service looks at it, and has the parcel stopped if it can."
    ),
    Route.PICKUP: gettext_noop(
        "You have it: customer service looks at it; then a courier fetches it and it is checked."
    ),
    Route.REFUND_ONLY: gettext_noop("Nothing has to be sent back: customer service looks at it."),
}
_STOPPED = gettext_noop("refunded as soon as the shop confirms that it is not sent")
_STOPPED_THEN = gettext_noop(
    "It has not been sent: the money goes back as soon as the shop confirms that it will not be."
)
_LOOKED_AT = gettext_noop("refunded; a large amount is looked at first")
_LOOKED_AT_THEN = gettext_noop("It has not been sent: customer service looks at it, then the money goes back.")
_NO_MONEY_THEN = gettext_noop("It has not been sent, and is cancelled at once.")
_APPROVED_THEN = gettext_noop("You have it: a courier fetches it and it is checked.")
_HANDED_IN = gettext_noop(
    "You have it: customer service looks at it; then you get a label, hand it in, and it is checked."
)
_HANDED_IN_THEN = gettext_noop("You have it: you get a label, hand it in, and it is checked.")


@dataclass(frozen=True, slots=True)
class Offer:
    """A line of the order. `left` of its `quantity` units can be refunded, `freely` without a reason, for `amount`, the
    others for one of the `reasons`; `where` says where they are, `why_not` why none is left, and `requests` which
    requests have them; `rules` are what the policy says of giving it back."""

    pk: int
    name: str
    quantity: int
    left: int
    freely: int
    amount: str
    where: tuple[str, ...]
    routes: frozenset[Route]
    rules: tuple[str, ...] = ()
    why_not: str = ""
    requests: tuple[str, ...] = ()
    reasons: frozenset[str] = frozenset()

    @property
    def needs_reason(self) -> bool:
        """None of it is to be had but for one of `reasons`."""
        return bool(self.left) and not self.freely


def offer_of(line: Mapping[str, Any], pk: int, requests: Mapping[str, str], words: Words, terms: Terms) -> Offer:
    """From a line as `GET /orders/{number}` answers it; `requests` are request numbers by refund number."""
    open_ = line["refundable"]
    why_not, helped = open_["why_not"], [one for one in open_["limited"] if words_that_help(one, terms)]
    ways = Counter[Route]()
    for way in (way for found in (open_, *helped) for way in found["routes"]):
        ways[Route(way["route"])] += way["quantity"]
    is_barred = not open_["quantity"] and bool(open_["limited"])
    holders = [requests[number] for number in why_not["refunds"] if number in requests] if why_not else []
    return Offer(
        pk=pk,
        name=single_line(line["name"]),
        quantity=line["quantity"],
        left=open_["quantity"] + sum(one["quantity"] for one in helped),
        freely=open_["quantity"],
        amount=words.amount(open_["amount_minor"], terms.currency) if open_["quantity"] else "",
        where=tuple(_where(way, quantity, terms) for way, quantity in ways.items()),
        routes=frozenset(ways),
        rules=rules_of(open_, terms, words),
        why_not=_why_not(why_not["code"]) if why_not and not is_barred else "",
        requests=tuple(dict.fromkeys(holders)),
        reasons=frozenset(code for one in helped for code in one["reasons"]),
    )


def _where(route: Route, quantity: int, terms: Terms) -> str:
    place, outcome = _WHERE[route]
    if route is Route.INSTANT and terms.policy.looks_first(terms.most_minor, terms.currency):
        outcome = _LOOKED_AT
    elif route is Route.INSTANT and terms.policy.awaits_stop(terms.most_minor):
        outcome = _STOPPED
    return _("%(count)s %(place)s: %(outcome)s") % {"place": _(place), "count": quantity, "outcome": _(outcome)}


def what_happens(route: Route, amount_minor: int, terms: Terms, way_back: WayBack | None = None) -> str:
    """To a part of so much; where nothing is paid back, no money is promised. `way_back`: None as the policy has it."""
    if route is Route.INSTANT and not amount_minor:
        return _(_NO_MONEY_THEN)
    if route is Route.INSTANT and terms.policy.looks_first(amount_minor, terms.currency):
        return _(_LOOKED_AT_THEN)
    if route is Route.INSTANT and terms.policy.awaits_stop(amount_minor):
        return _(_STOPPED_THEN)
    if route is Route.PICKUP and (way_back or terms.policy.way_back) == WayBack.DROP_OFF:
        return _(_HANDED_IN_THEN if terms.policy.approve_returns else _HANDED_IN)
    if route is Route.PICKUP and terms.policy.approve_returns:
        return _(_APPROVED_THEN)
    return _(_WHAT_HAPPENS[route])


def instead(remedy: Remedy, routes: Collection[Route]) -> str:
    """What the customer gets for what he was sent, where that is not his money."""
    if remedy is Remedy.MONEY or all(route is Route.INSTANT for route in routes):
        return ""
    text = _("You get another one of the same. If the shop cannot send you one, you get the money.")
    if any(route is Route.INSTANT for route in routes):
        return joined([text, _("For what has not been sent the money goes back.")])
    return text


def place_text(place: Place) -> str:
    return _(_PLACES[place])


def _why_not(code: str) -> str:
    """That the shop is closing is said once, of the whole order."""
    return {
        "channel_closing": "",
        "in_refund": _("All of it is in a refund already."),
        "refunded": _("All of it has been refunded."),
        "refunded_in_part": _("A part of it has been refunded. Please write to us about the rest."),
        "not_captured": _("It has not been charged yet, so there is nothing to pay back."),
    }.get(code, _("What is left of your payment does not cover it. Please write to us."))


def is_delivered(offers: Sequence[Offer]) -> bool:
    """Whether a courier may have to come."""
    return any(Route.PICKUP in offer.routes for offer in offers)


def has_left(offers: Sequence[Offer]) -> bool:
    """Whether any of it was sent, so that it matters where the goods are."""
    return any(offer.routes & {Route.PICKUP, Route.INTERCEPT} for offer in offers)
