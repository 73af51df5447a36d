"""The words of conditions: what is observed, whether it holds, and why."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from refunds.console.words import PICKUPS, ROUTES, STATES

CONDITIONS = {
    "RouteDecided": _("Route decided"),
    "MoneyMoved": _("Money moved"),
    "ShipmentStopped": _("Kept from leaving"),
    "AwaitingCreditNote": _("Waits for its credit note"),
    "Succeeded": _("Ended well"),
    "ShippedAfterRefund": _("Shipped although refunded"),
    "DeliveredAfterRefund": _("Delivered although refunded"),
    "OutcomeUnknown": _("Outcome unknown"),
    "OrphanedEffect": _("Money moved beside this refund"),
    "FundsTaken": _("Others have taken the money"),
    "DisputeOpen": _("Dispute open"),
    "AwaitingCapture": _("Waits for the capture"),
    "AwaitingReplacement": _("Waits for the order that replaces it"),
    "Unreachable": _("Customer cannot be reached"),
    "PickupBooked": _("Courier booked"),
    "GoodsReceived": _("Goods received"),
    "ParcelAsAnnounced": _("Parcel as announced"),
    "ApprovalConformant": _("Approved as it has to be"),
    "OnHold": _("On hold"),
    "CustomerNotified": _("Customer told"),
}
#: Of a condition; a state, route or parcel's state stands there in capitals (`AwaitingReturn`).
REASONS = {state.title().replace("_", ""): text for of in (STATES, ROUTES, PICKUPS) for state, text in of.items()} | {
    "AwaitingConfirmation": _("somebody has to say so"),
    "WaitsForGateway": _("the gateway takes the next refund of this payment later"),
    "NumberMissing": _("the shop has not named its number yet"),
    "Confirmed": _("said so"),
    "HasLeft": _("they have left all the same"),
    "NotConfirmed": _("nobody said so in time: they count as left"),
    "NotYet": _("not yet"),
    "PaidByHand": _("a person pays it, and records it"),
    "NothingToMove": _("nothing to pay back"),
    "Succeeded": _("all of it paid back"),
    "Reversed": _("the bank sent it back"),
    "Refused": _("the courier does not come"),
    "NoAnswer": _("no answer from the gateway: being asked"),
    "Pending": _("the gateway has accepted it"),
    "LeftAllTheSame": _("the goods left all the same"),
    "ArrivedAllTheSame": _("the goods arrived all the same"),
    "MovedAfterEnd": _("under its number, after it had ended"),
    "SecondRefund": _("a second time under its number"),
    "PaidElsewhere": _("the payment's money went to something else before"),
    "MoneyWithheld": _("the customer's bank withholds the money, and decides first"),
    "NoOrderYet": _("the shop has not stated it yet"),
    "NotCaptured": _("the money is held and was not captured"),
    "WrongParcel": _("another parcel came"),
    "WeightDiffers": _("it weighs something else"),
    "NoContact": _("neither e-mail address nor phone number"),
    "Missing": _("a second person has to approve it"),
    "Invalid": _("what was approved has changed"),
    "Approved": _("a second person has approved it"),
    "Bypassed": _("it was let pass without a second person"),
    "Unknown": _("what was approved cannot be read"),
    "Held": _("somebody stopped the clock"),
    "NotDelivered": _("a message could not be delivered"),
    "Sending": _("a message is on its way"),
    "Sent": _("every message has been handed on"),
}
STATUSES = {
    "True": pgettext_lazy("condition", "yes"),
    "False": pgettext_lazy("condition", "no"),
    "Unknown": pgettext_lazy("condition", "not known yet"),
}
