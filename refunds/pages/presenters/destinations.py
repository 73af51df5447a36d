"""Where the money of a refund goes or has gone, payment by payment, and by when it is there."""

from collections import Counter
from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from orders.typed import single_line
from refunds.messages.moved import Money, Way
from refunds.messages.sentences import account_named, joined
from refunds.pages.facts import Part
from refunds.pages.presenters.sheets import Row
from refunds.pages.presenters.words import Words
from refunds.states import PAID_STATES, MovementState, RefundState


def goes_to(payments: Iterable[Money], currency: str, words: Words) -> tuple[Row, ...]:
    """What goes the same way is one row."""
    amounts = Counter[str]()
    for money in payments:
        if money.state is not MovementState.CANCELLED:
            amounts[_to(money)] += money.amount_minor
    return tuple(Row(label, words.amount(minor, currency)) for label, minor in amounts.items())


def _to(money: Money) -> str:
    """As the gateway names the account, where it has."""
    if money.is_payout and money.account and money.state is not MovementState.REVERSED:
        return _("To the account %(account)s") % {"account": single_line(money.account)}
    if money.way in _TO and money.state is not MovementState.REVERSED:
        return str(_TO[money.way])
    named = {"account": account_named(money.account), "reference": single_line(money.reference)}
    if money.state is MovementState.REVERSED:
        return (_("Came back from %(account)s (payment %(reference)s)") if money.account else _CAME_BACK) % named
    return (_("To %(account)s (payment %(reference)s)") if money.account else _BACK_TO) % named


_CAME_BACK = gettext_lazy("Came back to us (payment %(reference)s)")
_BACK_TO = gettext_lazy("To your original payment method (payment %(reference)s)")
_TO = {
    Way.RELEASED: gettext_lazy("Hold that is released, not charged"),
    Way.DISPUTED: gettext_lazy("Paid by your bank, by your dispute"),
    Way.EXCHANGED: gettext_lazy("For another one of the same, instead of the money"),
    Way.AGREED: gettext_lazy("In the way agreed with you"),
    Way.CREDIT: gettext_lazy("As store credit"),
}


def money_by(part: Part, words: Words) -> str:
    """By when the money is there; empty where there is none to wait for."""
    if not part.amount_minor or part.state in _NO_MONEY or part.gets_another:
        return ""
    if part.state in PAID_STATES:
        return _sent_on(part, words)
    if part.state is RefundState.FAILED:
        return _("Once we know where it is to go.") if part.moved.returned_minor else _("As soon as it is settled.")
    if part.lacks_second:
        return _("Usually 1 to 3 working days after a second person here has agreed.")
    ways = {money.way for money in part.money if money.state is not MovementState.CANCELLED}
    return str((_CREDIT_BY if ways == {Way.CREDIT} else _BY)[part.state in _SOON]) if ways != {Way.RELEASED} else ""


def _sent_on(part: Part, words: Words) -> str:
    """Store credit is there with the refund; what others have paid is no matter of ours."""
    sent = max((m.at for m in part.money if m.at and m.way is Way.ORIGINAL and m.state is _DONE), default=None)
    credit = [_("Your store credit is there.")] if part.moved.credit_minor else []
    if not sent:
        return joined(credit)
    text = _("Sent on %(moment)s; usually there after 1 to 3 working days.") % {"moment": words.moment(sent)}
    return joined([text, *credit])


_DONE = MovementState.SUCCEEDED
_NO_MONEY = frozenset({RefundState.REJECTED, RefundState.EXPIRED, RefundState.CANCELLED})
_SOON = frozenset({RefundState.REQUESTED, RefundState.REFUNDING})
#: By whether nothing stands in its way any more.
_BY = {
    True: gettext_lazy("Usually 1 to 3 working days from now."),
    False: gettext_lazy(
        "Usually 1 to 3 working days after it has been approved and, where goods come back, they have been checked."
    ),
}
_CREDIT_BY = {
    True: gettext_lazy("As soon as the refund is carried out."),
    False: gettext_lazy("As soon as it has been approved and, where goods come back, they have been checked."),
}
