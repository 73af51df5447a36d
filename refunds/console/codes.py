"""The codes of gateways and couriers in words. One of their own that is not here is shown as it came."""

from django.utils.translation import gettext_lazy as _

WORDS = {
    "already_collected": _("collected already"),
    "amount_differs": _("the gateway holds another amount"),
    "amount_not_expressible": _("the gateway has no such amount"),
    "bad_address": _("no such address"),
    "charge_for_pending_refund_disputed": _("the payment is disputed"),
    "declined": _("declined"),
    "expired_or_canceled_card": _("card expired or closed"),
    "failed": _("no reason given"),
    "insufficient_funds": _("not enough money in the account"),
    "lost_or_stolen_card": _("card lost or stolen"),
    "merchant_request": _("taken back by the shop"),
    "never_sent": _("it could not be sent in time"),
    "funds_taken": _("the payment's money went to something else before"),
    "none_available": _("no courier free"),
    "processing": _("the gateway is still at work on it"),
    "rate_limited": _("too many calls"),
    "too_late": _("too late"),
    "unknown": _("no reason given"),
    "unknown_parcel": _("the courier does not know the parcel"),
}


def in_words(code: str) -> str:
    return str(WORDS.get(code, code))
