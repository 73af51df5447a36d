"""Every problem of the services in words that help: what it is, and what to do next. The codes are those of the API."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from orders.errors import Problem
from refunds.limits import CODES as LIMITS
from refunds.limits import NOT_CONFIGURED
from refunds.messages.sentences import joined
from refunds.states import RefundState


def trouble_text(problem: Problem) -> str:
    """For the person at the page, in his language; never the inside of anything."""
    make = TEXTS.get(problem.code)
    return make(problem.extra) if make else _by_status(problem.status)


def field_text(code: str, problem: Problem) -> str:
    """Of one field's error."""
    make = TEXTS.get(code)
    return make(problem.extra) if make else _by_status(422)


def none_left() -> str:
    return _("None of it is left: it is in another refund, or has been refunded.")


def _not_left(facts: Mapping[str, Any]) -> str:
    left = facts.get("left", 0)
    if not left:
        return none_left()
    return _("Only %(left)s can still be refunded.") % {"left": left}


def _too_late(facts: Mapping[str, Any]) -> str:
    if facts.get("state") == RefundState.CANCELLED:
        return _("It has been cancelled already: nothing more has to be done.")
    return _("It is too late for that: your refund has moved on meanwhile.")


def _excluded(facts: Mapping[str, Any]) -> str:
    if facts.get("unless_faulty"):
        return _("The shop does not take this back (%(rule)s), unless something is wrong with it.")
    return _("The shop does not take this back (%(rule)s).")


def _not_by_this_payment(facts: Mapping[str, Any]) -> str:
    text = _("The payment service that you paid with does not take this back.")
    can_be_credit = any("refund_to" in one for one in facts.get("alternatives", ()))
    instead = _("You can have it as store credit, or write to us.") if can_be_credit else _("Please write to us.")
    return f"{text} {instead}"


def _code_wrong(facts: Mapping[str, Any]) -> str:
    text = _("This is not the code we sent you. Please look at the newest message.")
    left = facts.get("trials_left")
    return joined([text, _("Tries left: %(left)s.") % {"left": left}]) if left else text


#: What a code that was entered may lack.
OF_CODES = ("code_wrong", "code_expired", "code_spent")
TEXTS: dict[str, Any] = {
    "not_found": lambda _x: _("This link is not valid, or has run out."),
    "refund_not_found": lambda _x: _("There is no such refund for this order."),
    "order_not_found": lambda _x: _("There is no such order."),
    "units_not_left": _not_left,
    "more_than_bought": lambda facts: _("You bought only %(bought)s of it.") % {"bought": facts.get("bought", 0)},
    "excluded": lambda facts: _excluded(facts) % {"rule": facts.get("rule", "")},
    "window_over": lambda facts: (
        _("The time to give this back is over, unless something is wrong with it.")
        if facts.get("unless_faulty")
        else _("The time to give this back is over.")
    ),
    "channel_closing": lambda _x: _("This shop is being closed and takes no new requests. Please write to us."),
    "channel_gone": lambda _x: _("This shop is closed for good and takes no new requests. Please write to us."),
    "sold_as_set": lambda facts: _("Sold as a set: return all %(units)s.") % {"units": facts.get("units", "")},
    "not_overpaid": lambda _x: _("Nothing was paid too much, or it is in a refund already."),
    "no_replacements": lambda _x: _("This shop pays the money back. Please write to us if you want another one."),
    "payer_only": lambda _x: _("The refund goes to whoever paid, so only they can ask for it."),
    "asked_too_often": lambda facts: (
        _("You have asked for it several times, and it was rejected (%(numbers)s). Please write to us.")
        % {"numbers": ", ".join(facts.get("refunds", ()))}
    ),
    "nothing_left": lambda _x: _("Nothing of this order is left that could be refunded."),
    "nothing_chosen": lambda _x: _("Choose at least one item."),
    "unknown_line": lambda _x: _("This item is not part of the order any more."),
    "not_captured": lambda _x: _("It has not been charged yet, so there is nothing to pay back."),
    "money_not_left": lambda _x: _("What is left of your payment does not cover it. Please write to us."),
    **dict.fromkeys((*LIMITS, NOT_CONFIGURED), _not_by_this_payment),
    "no_store_credit": lambda _x: _("Store credit is not possible for this order."),
    "outcome_open": lambda _x: _("We are asking the bank what became of the money. Please try again later."),
    "code_wrong": _code_wrong,
    "code_expired": lambda _x: _("The code has run out. Please ask for another."),
    "code_spent": lambda _x: _("A wrong code was entered too often. Please ask for another."),
    "no_code_sent": lambda _x: _("There is no code to enter any more. Please ask for another."),
    "too_many_codes": lambda _x: _("We have sent you several codes already. Please try again in an hour."),
    "contact_changed": lambda _x: _(
        "Your phone number and e-mail address were changed within the last day, so we cannot send a code. "
        "Please write to us."
    ),
    "money_claimed": lambda _x: _("It is too late for that: the money is being sent."),
    "no_offer": lambda _x: _("There is no offer any more that you could answer."),
    "refunded_at_once": lambda _x: _("The money is on its way already: no photos are needed."),
    "not_contestable": lambda _x: _("The time to contest it is over, or it is being looked at again already."),
    "taken_since": lambda _x: _("It is in another refund by now. Please write to us."),
    "not_cancellable": _too_late,
    "wrong_state": _too_late,
    "stale_version": _too_late,
    "already_collected": lambda _x: _("It is too late for that: the courier has the parcel."),
    "goods_received": lambda _x: _("It is too late for that: the goods are with us."),
    "being_stopped": lambda _x: _(
        "The parcel is being turned round. Only if it is brought to you after all can that be done."
    ),
    "goods_returned": lambda _x: _("It is too late for that: the parcel is back with us."),
    "cancel_requested": lambda _x: _("It is being cancelled: we are waiting for the courier's word."),
    "not_fetched": lambda _x: _("These goods are not fetched by a courier."),
    "label_given": lambda _x: _("You have a label already."),
    "not_delivered": lambda _x: _("These goods have not been brought to you yet: there is nothing to send back."),
    "not_on_its_way": lambda _x: _("We know already what became of the parcel: nothing more has to be done."),
    "no_photo": lambda _x: _("This is no JPEG, PNG or WebP photo, or it is broken."),
    "photo_too_large": lambda _x: _("This photo is too large: at most 10 MB."),
    "photo_too_detailed": lambda _x: _("This photo has too many pixels: at most 40 million."),
    "photo_not_found": lambda _x: _("There is nothing at this address."),
    "too_many_photos": lambda facts: (
        _("We have %(stored)s photos already, and keep at most %(most)s.")
        % {"stored": facts.get("stored", 0), "most": facts.get("most", 0)}
    ),
    "too_large": lambda _x: _("That was too large to be sent. Please send less at once."),
    "out_of_range": lambda _x: _("Please choose a time within the next 90 days."),
    "idempotency_key_in_use": lambda _x: _("We are working on it this very moment."),
    "form_incomplete": lambda _x: _("This form did not arrive whole. Please look at it and send it again."),
    "idempotency_key_reused": lambda _x: _("This form was used before. Please look at it and send it again."),
    "busy": lambda _x: _("Somebody else is working on this order. Please try again in a moment; nothing is lost."),
    "starting": lambda _x: _("We are just starting. Please try again in a moment; nothing is lost."),
    "unavailable": lambda _x: _("We cannot be reached right now. Please try again in a moment; nothing is lost."),
    "too_many_requests": lambda facts: (
        _("Too many tries in a short time. Please try again in %(minutes)s min.") % {"minutes": facts["minutes"]}
    ),
    "changed": lambda _x: _("Something has changed since you looked. Please look at it again before you confirm."),
}


def _by_status(status: int) -> str:
    if status == 404:
        return _("There is nothing at this address.")
    if status == 403:
        return _("This cannot be done from this page. Please write to us.")
    if status in (400, 405, 422):
        return _("This could not be read. Please look at it and send it again.")
    if status == 409:
        return _("That is not possible as things stand now. Nothing has been changed.")
    return _("Something went wrong on our side. Please try again in a moment; nothing is lost.")
