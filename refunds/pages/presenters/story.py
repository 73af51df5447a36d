"""The timeline: what has happened to a refund, as far as it is the customer's business."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from refunds.pages.facts import Happened, Part
from refunds.pages.presenters.words import Words

#: What is told of an event; others are the engine's own affair.
TOLD = {
    "refund.requested": gettext_noop("The refund was requested"),
    "shipment.stop_requested": gettext_noop("The shop was told not to send the goods"),
    "shipment.stopped": gettext_noop("The goods were kept from being sent"),
    "shipment.left": gettext_noop("The goods have left already, as far as is known"),
    "refund.in_review": gettext_noop("Customer service began to look at it"),
    "refund.offered": gettext_noop("We made you an offer"),
    "refund.awaiting_return": gettext_noop("It was approved"),
    "refund.contested": gettext_noop("You said that you do not agree"),
    "refund.reopened": gettext_noop("It is looked at again"),
    "refund.box_inspected": gettext_noop("One of your parcels was checked"),
    "refund.rejected": gettext_noop("It was not approved"),
    "refund.held": gettext_noop("It was put on hold"),
    "refund.resumed": gettext_noop("It goes on"),
    "refund.reminded": gettext_noop("We reminded you of the parcel"),
    "intercept.accepted": gettext_noop("The carrier is stopping the parcel"),
    "intercept.refused": gettext_noop("The parcel could not be stopped any more"),
    "shipment.delivered": gettext_noop("The parcel was delivered to you"),
    "shipment.arrival_confirmed": gettext_noop("You said that the parcel has arrived"),
    "shipment.refused": gettext_noop("The parcel was not accepted at the door"),
    "shipment.returning": gettext_noop("The parcel turned back"),
    "shipment.returned": gettext_noop("The parcel is back with us"),
    "shipment.lost": gettext_noop("The parcel was lost on its way to you"),
    "pickup.booked": gettext_noop("A courier was booked"),
    "pickup.labelled": gettext_noop("The label for your parcel was made"),
    "refund.drop_off_chosen": gettext_noop("You chose to hand the parcel in"),
    "pickup.rebooked": gettext_noop("Another time for the courier was asked for"),
    "pickup.cancelled": gettext_noop("A visit of the courier was called off"),
    "pickup.missed": gettext_noop("The courier did not get the parcel"),
    "pickup.collected": gettext_noop("The courier took the parcel"),
    "pickup.in_transit": gettext_noop("The parcel is on its way to us"),
    "pickup.corrected": gettext_noop("You corrected the number of your parcel"),
    "pickup.lost": gettext_noop("The parcel was lost on its way to us"),
    "pickup.received": gettext_noop("The parcel arrived"),
    "refund.goods_received": gettext_noop("The warehouse has the goods"),
    "refund.parcel_doubted": gettext_noop("Something about the parcel has to be cleared up"),
    "refund.inspecting": gettext_noop("The goods are being checked"),
    "refund.refunding": gettext_noop("The payment was set going"),
    "refund.refunded": gettext_noop("The refund was carried out"),
    "refund.partially_refunded": gettext_noop("A part of the refund was carried out"),
    "target.asked": gettext_noop("A code was sent, to confirm that the money goes elsewhere"),
    "target.set": gettext_noop("It was decided that the money goes elsewhere"),
    "refund.replacement_wanted": gettext_noop("The shop was asked to send you another one"),
    "refund.replacement_overdue": gettext_noop("The shop could not send you another one: you get the money"),
    "refund.replaced": gettext_noop("Another one was ordered for you"),
    "refund.second_approved": gettext_noop("A second person has agreed"),
    "refund.failed": gettext_noop("The money could not be sent"),
    "refund.expired": gettext_noop("It expired"),
    "refund.cancel_requested": gettext_noop("You asked to cancel it"),
    "refund.cancel_dropped": gettext_noop("It could not be cancelled any more"),
    "refund.cancelled": gettext_noop("It was cancelled"),
}


#: After these only money that comes back can make it fail.
_PAID = ("refund.refunded", "refund.partially_refunded")


@dataclass(frozen=True, slots=True)
class Step:
    """`iso` is the moment for machines, `at` for the reader."""

    text: str
    at: str
    iso: str


def story(part: Part, words: Words) -> tuple[Step, ...]:
    """Oldest first; what is said twice in a row is said once."""
    steps: list[Step] = []
    for happened in part.happened:
        if happened.kind in TOLD:
            step = _step(happened, words)
            if happened.kind == "refund.failed" and any(before.kind in _PAID for before in part.happened):
                step = replace(step, text=_("Money that we had sent you came back to us"))
            if not steps or steps[-1].text != step.text:
                steps.append(step)
    return tuple(steps)


def _step(happened: Happened, words: Words) -> Step:
    text = _(TOLD[happened.kind])
    if happened.kind == "pickup.booked" and happened.data.get("slot_from"):
        at = datetime.fromisoformat(happened.data["slot_from"])
        text = _("A courier was booked for %(time)s") % {"time": words.moment(at)}
    return Step(text, words.moment(happened.at), happened.at.isoformat())
