"""The one thing a customer wants to know of a refund: how it stands, what he must do and by when, what comes next."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from django.utils.translation import gettext as _

from refunds.messages.sentences import joined
from refunds.pages.codes import CodeAsked
from refunds.pages.facts import Part
from refunds.pages.presenters import ended
from refunds.pages.presenters.told import Told, Tone
from refunds.pages.presenters.words import Words
from refunds.parcels import HANDED_OVER
from refunds.states import Goods, MovementState, PickupState, RefundState, Remedy, Route

#: So many seconds between two looks, by how fast things move.
LOOK_EVERY = {Tone.MOVING: 2, Tone.WAITING: 5, Tone.ACT: 5, Tone.TROUBLE: 30}


def tell(part: Part, words: Words) -> Told:
    told = _TELL[part.state](part, words)
    return replace(told, todo=_enter_code(part.code, told, words)) if part.code and not part.is_final else told


def _enter_code(code: CodeAsked, told: Told, words: Words) -> str:
    """Where money came back, it says already where that is to go."""
    facts = {"to": code.to, "until": words.moment(code.until)}
    enter = _("Please enter below the code that we sent to %(to)s, by %(until)s.") % facts
    return enter if told.tone is Tone.TROUBLE else joined(filter(None, [enter, told.todo]))


def nothing_to_do() -> str:
    return _("You need not do anything now.")


def look_every(parts: tuple[Part, ...], words: Words) -> int:
    """Seconds until the page looks again; 0: never, all has ended."""
    return min((LOOK_EVERY[tell(part, words).tone] for part in parts if not part.is_final), default=0)


def _requested(part: Part, words: Words) -> Told:
    headline = _("We have your request")
    if part.deadline:
        lead = _(
            "We are making sure that the goods are not sent, by %(deadline)s at the latest. Then the money goes back."
        )
        return Told(Tone.WAITING, headline, lead % {"deadline": words.moment(part.deadline)})
    return Told(Tone.MOVING, headline, _("It is being looked at this very moment."))


def _in_review(part: Part, words: Words) -> Told:
    if part.cancel_wanted:
        return _leaving()
    if part.answer_by:
        return _asked(part.answer_by, words)
    if part.proof_until:
        return _being_proved(part.proof_until, words)
    headline = _("Customer service is looking at your request")
    if part.held_until:
        return Told(Tone.WAITING, headline, _on_hold(part.held_until, words))
    lead = _("We will write to you when it is decided.")
    if part.deadline:
        lead = _("You should have an answer by %(deadline)s.") % {"deadline": words.moment(part.deadline)}
    return Told(Tone.WAITING, headline, lead, _keep_away(part))


def _on_hold(until: datetime, words: Words) -> str:
    return _("It has been put on hold, and goes on by %(until)s at the latest.") % {"until": words.moment(until)}


def _asked(until: datetime, words: Words) -> Told:
    lead = _("Your refund is decided once you have answered.")
    todo = _("Please answer below by %(until)s.") % {"until": words.moment(until)}
    return Told(Tone.ACT, _("We have a question for you"), lead, todo)


def _being_proved(until: datetime, words: Words) -> Told:
    lead = _("By what we know it was delivered. We have asked the carrier to prove that, by %(until)s at the latest.")
    said = joined([lead % {"until": words.moment(until)}, _("Then we decide, and write to you.")])
    return Told(
        Tone.WAITING,
        _("We are looking for your parcel"),
        said,
        _("Please ask your neighbours too, and tell us below if you find it."),
    )


def _keep_away(part: Part) -> str:
    """What to do with a parcel that is still coming."""
    has_it = part.received or any(event.kind == "shipment.arrival_confirmed" for event in part.happened)
    if part.route is not Route.INTERCEPT or part.goods is not Goods.RETURN or has_it:
        return ""
    return _("Your parcel is still on its way: if it is brought to you, please do not accept it.")


def _offered(part: Part, words: Words) -> Told:
    amount = words.amount(part.offered_minor, part.currency)
    whole = words.amount(part.amount_minor, part.currency)
    lead = _("We offer you %(amount)s instead of the whole refund of %(whole)s, and you keep the goods.")
    lead = joined([lead % {"amount": amount, "whole": whole}, _if_declined()])
    todo = _("Please accept or decline it below.")
    if part.deadline and not part.on_hold:
        todo = _("Please accept or decline it below by %(until)s.") % {"until": words.moment(part.deadline)}
    return Told(Tone.ACT, _("We have made you an offer"), lead, todo)


def _if_declined() -> str:
    return _("If you decline, or do not answer, customer service looks at it again. You lose nothing by that.")


def _awaiting_return(part: Part, words: Words) -> Told:
    if part.cancel_wanted:
        return _leaving()
    if part.parcel is None:
        return _no_parcel_yet(part, words)
    if part.parcel.state in HANDED_OVER:
        lead = _("When it has arrived and has been checked, the refund follows.")
        return Told(Tone.WAITING, _("Your parcel is on its way back to us"), lead)
    if part.parcel.state is PickupState.MISSED:
        lead = _("A new visit is being booked. Until then your time to hand over the parcel stands still.")
        return Told(Tone.ACT, _("The courier did not get your parcel"), lead, _("Please keep the parcel ready."))
    return _hand_in(part, words) if part.parcel.drop_off else _courier_comes(part, words)


def _hand_in(part: Part, words: Words) -> Told:
    if not part.parcel or part.parcel.state is not PickupState.BOOKED:
        lead = _("A label is being made, with which you send the goods back.")
        return Told(Tone.ACT, _("Your refund has been approved"), lead, _pack(part, words))
    lead = _("Hand your parcel in at a branch of the carrier. When we have checked the goods, the refund follows.")
    if part.parcel.label:
        lead = _(
            "Print the label, put it on your parcel and hand it in. When we have checked the goods, the refund follows."
        )
    return Told(Tone.ACT, _("Please send the goods back"), lead, _pack(part, words))


def _no_parcel_yet(part: Part, words: Words) -> Told:
    headline = _("Your refund has been approved")
    if part.goods is Goods.ALREADY_SENT:
        lead = _("When the parcel you sent has arrived and has been checked, the refund follows.")
        return Told(Tone.ACT, headline, lead, _say_number(part, words))
    if part.route is Route.INTERCEPT and any(event.kind == "intercept.refused" for event in part.happened):
        lead = _("The parcel could not be stopped, and comes to you.")
        return Told(Tone.WAITING, headline, lead, _("You may accept it: a courier will then fetch it."))
    if part.route is Route.INTERCEPT:
        lead = _("We are having the parcel stopped on its way to you. When it is back with us, the refund follows.")
        return Told(Tone.WAITING, headline, lead, _keep_away(part))
    return Told(Tone.ACT, headline, _("A courier is being booked to fetch the goods."), _pack(part, words))


def _say_number(part: Part, words: Words) -> str:
    text = _("Please tell us below which carrier has it, and its tracking number.")
    if not part.deadline or part.on_hold:
        return text
    else_ = _("If the goods have not arrived by %(deadline)s, we look into what became of them.")
    return joined([text, else_ % {"deadline": words.moment(part.deadline)}])


def _courier_comes(part: Part, words: Words) -> Told:
    visit = part.parcel.visit if part.parcel else None
    if visit is None:
        lead = _("A courier is being booked to fetch the goods.")
        return Told(Tone.ACT, _("Your refund has been approved"), lead, _pack(part, words))
    lead = _("The courier comes on %(visit)s. When we have checked the goods, the refund follows.")
    return Told(
        Tone.ACT, _("A courier comes to fetch the goods"), lead % {"visit": words.visit(visit)}, _pack(part, words)
    )


def _pack(part: Part, words: Words) -> str:
    pack = _("Please pack the goods and put a note with the number %(request)s into the parcel.")
    text = pack % {"request": part.request}
    if part.deadline and not part.on_hold:
        until = _("Hand it over by %(deadline)s: after that the request expires.")
        text = joined([text, until % {"deadline": words.moment(part.deadline)}])
    return text


def _leaving() -> Told:
    lead = _("We are calling the courier off. The refund is cancelled as soon as the courier confirms.")
    return Told(Tone.WAITING, _("Your cancellation is on its way"), lead)


def _inspecting(part: Part, words: Words) -> Told:
    lead = _("When they have been checked, the refund follows.")
    if part.deadline and not part.on_hold:
        lead = _("They will be checked by %(deadline)s; then the refund follows.") % {
            "deadline": words.moment(part.deadline)
        }
    return Told(Tone.WAITING, _("We have your goods and are checking them"), lead)


def _refunding(part: Part, words: Words) -> Told:
    if part.held_until:
        return Told(Tone.WAITING, _("Your refund is approved"), _on_hold(part.held_until, words))
    if part.remedy is Remedy.REPLACEMENT and not part.replaced_by:
        return _replacing(part, words)
    if part.lacks_second:
        lead = _("Before the money is sent, a second person here has to agree. We will write to you when it is sent.")
        return Told(Tone.WAITING, _("Your refund is being checked once more"), lead)
    if any(money.by_hand for money in part.money):
        lead = _("It is paid by hand, in the way agreed with you. We will write to you as soon as that is done.")
        return Told(Tone.WAITING, _("Your refund is approved"), lead)
    if any(money.state is MovementState.PENDING for money in part.money):
        lead = _("The payment service has it and is carrying it out.")
        return Told(Tone.WAITING, _("Your refund is being paid"), lead)
    return Told(Tone.MOVING, _("Your refund is being paid"), _("The payment service is being told right now."))


def _replacing(part: Part, words: Words) -> Told:
    lead = _("We will write to you as soon as it has been ordered for you.")
    if part.deadline and part.amount_minor:
        else_ = _("If we cannot do that by %(deadline)s, you get your money: %(amount)s.")
        amount = words.amount(part.amount_minor, part.currency)
        lead = joined([lead, else_ % {"deadline": words.moment(part.deadline), "amount": amount}])
    return Told(Tone.WAITING, _("We send you a replacement"), lead)


_S = RefundState
_TELL: dict[RefundState, Callable[[Part, Words], Told]] = {
    _S.REQUESTED: _requested,
    _S.IN_REVIEW: _in_review,
    _S.OFFERED: _offered,
    _S.AWAITING_RETURN: _awaiting_return,
    _S.INSPECTING: _inspecting,
    _S.REFUNDING: _refunding,
    _S.REFUNDED: ended.refunded,
    _S.PARTIALLY_REFUNDED: ended.partially_refunded,
    _S.FAILED: ended.failed,
    _S.REJECTED: ended.rejected,
    _S.EXPIRED: ended.expired,
    _S.CANCELLED: ended.cancelled,
}
