"""The trail of a refund in words: what happened, who did it, when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from orders.roles import Role
from refunds.console import codes, written
from refunds.console.words import INCIDENTS, PICKUPS, REMEDIES, ROLES, ROUTES, SHIPMENTS, STATES
from refunds.models import CaseMessage, RefundEvent

#: By kind; what is in brackets comes from the event's data, see `_facts`.
TEXTS = {
    "refund.requested": gettext_lazy("Refund of %(amount)s requested"),
    "refund.in_review": gettext_lazy("A person must look"),
    "refund.awaiting_return": gettext_lazy("Approved: the goods come back first"),
    "refund.inspecting": gettext_lazy("Received: to be inspected"),
    "refund.refunding": gettext_lazy("The money is to be paid back"),
    "refund.credit_note_issued": gettext_lazy("The shop has issued credit note %(note)s"),
    "refund.failed": gettext_lazy("The money could not be paid back"),
    "refund.rejected": gettext_lazy("Rejected"),
    "refund.rerouted": gettext_lazy("Goes another way now: %(route)s"),
    "refund.second_approved": gettext_lazy("A second person has approved %(amount)s"),
    "refund.second_bypassed": gettext_lazy("%(amount)s was let pass without a second person"),
    "refund.policy_changed": gettext_lazy("Goes on by a new version of its policy"),
    "refund.contested": gettext_lazy("The customer does not agree"),
    "refund.reopened": gettext_lazy("It is looked at again"),
    "refund.box_inspected": gettext_lazy("A box was inspected, more are to come"),
    "refund.inspected": gettext_lazy("Inspected after it was paid"),
    "goods.disposed": gettext_lazy("It was said what becomes of the goods"),
    "case.message": gettext_lazy("A message was written"),
    "refund.acknowledged": gettext_lazy("Customer told that the request has arrived"),
    "refund.reminded": gettext_lazy("Customer reminded"),
    "refund.goods_received": gettext_lazy("The warehouse has the goods"),
    "refund.cancel_requested": gettext_lazy("To be cancelled, as soon as the courier confirms"),
    "refund.cancel_dropped": gettext_lazy("Not cancelled after all: the goods are on their way or here"),
    "refund.held": gettext_lazy("Put on hold until %(until)s"),
    "refund.resumed": gettext_lazy("Hold ended"),
    "refund.shipped_after_refund": gettext_lazy("Shipped although refunded"),
    "refund.delivered_after_refund": gettext_lazy("Delivered although refunded"),
    "shipment.stop_requested": gettext_lazy("The shop is asked not to ship it"),
    "shipment.stopped": gettext_lazy("The units stay"),
    "shipment.left": gettext_lazy("The units count as left"),
    "shipment.assumed_delivered": gettext_lazy("A parcel counts as delivered: no carrier has said where it went"),
    "shipment.arrival_confirmed": gettext_lazy("The customer has the parcel, he says: no carrier does"),
    "carrier.proof_requested": gettext_lazy("Proof of the delivery is asked for, until %(until)s"),
    "carrier.proof_given": gettext_lazy("The delivery is proved"),
    "carrier.proof_missing": gettext_lazy("There is no proof of the delivery"),
    "intercept.accepted": gettext_lazy("The carrier stops the parcel"),
    "intercept.refused": gettext_lazy("The carrier does not stop the parcel (%(reason)s)"),
    "pickup.labelled": gettext_lazy("The label was made"),
    "refund.drop_off_chosen": gettext_lazy("To be handed in with a label: no courier comes"),
    "pickup.rebooked": gettext_lazy("Another time for the courier: from %(slot_from)s"),
    "pickup.refused": gettext_lazy("The courier does not take it (%(reason)s)"),
    "pickup.surplus": gettext_lazy("A second booking at the courier: called off"),
    "gateway_refund.intended": gettext_lazy("%(amount)s is to be sent again"),
    "gateway_refund.pending": gettext_lazy("The gateway has accepted %(amount)s"),
    "gateway_refund.succeeded": gettext_lazy("%(amount)s paid back"),
    "gateway_refund.released": gettext_lazy("The hold on %(amount)s has ended: nothing was taken"),
    "gateway_refund.still_held": gettext_lazy(
        "The gateway did not end the hold on %(amount)s: to be refunded once captured"
    ),
    "gateway_refund.failed": gettext_lazy("The gateway refused %(amount)s (%(failure_code)s)"),
    "gateway_refund.reversed": gettext_lazy("The bank sent %(amount)s back"),
    "gateway_refund.cancelled": gettext_lazy("%(amount)s is not to be sent any more"),
    "gateway_refund.external": gettext_lazy("%(amount)s paid outside"),
    "gateway_refund.exchanged": gettext_lazy("%(amount)s pays for the order that replaces the goods"),
    "gateway_refund.unanswered": gettext_lazy("%(amount)s was sent, and no answer came: the gateway is asked"),
    "gateway_refund.not_there": gettext_lazy("The gateway knows nothing of %(amount)s: it was not paid"),
    "gateway_refund.not_done": gettext_lazy("Somebody has made sure that %(amount)s was not sent"),
    "target.asked": gettext_lazy("A code went to the customer, to confirm where the money goes"),
    "target.code_refused": gettext_lazy("A code was entered that does not hold"),
    "target.set": gettext_lazy("The money goes elsewhere"),
    "refund.external_recorded": gettext_lazy("Recorded: %(amount)s was paid in another way (%(reference)s)"),
    "gateway_refund.surplus": gettext_lazy("The gateway holds a second refund of %(amount)s"),
    "gateway_refund.surplus_ended": gettext_lazy("The second refund of %(amount)s has ended"),
    "gateway_refund.replaced": gettext_lazy("Paid anew under another number"),
    "refund.parcel_doubted": gettext_lazy("The parcel is said not to be what was announced"),
    "refund.remedy_set": gettext_lazy("What the customer gets: %(remedy)s"),
    "refund.replacement_wanted": gettext_lazy("The shop is asked to send another one by %(until)s"),
    "refund.replacement_overdue": gettext_lazy("The shop has not sent another one in time: the money is paid"),
    "refund.replaced": gettext_lazy("Order %(order)s replaces the goods"),
    "refund.box_received": gettext_lazy("A further box is here"),
    "refund.parcel_matched": gettext_lazy("A parcel nobody knew of is of this refund"),
    "pickup.no_show": gettext_lazy("The courier did not come: he is called off, another is asked"),
    "carrier.claim_due": gettext_lazy("The courier lost it: he owes us %(amount)s"),
    "pickup.corrected": gettext_lazy("Parcel home: tracking number corrected"),
    "case.evidence": gettext_lazy("Photo %(photo)s received"),
    "incident.closed": gettext_lazy("Incident closed: %(incident)s"),
    "dispute.opened": gettext_lazy("Dispute opened"),
    "dispute.won": gettext_lazy("Dispute won"),
    "dispute.lost": gettext_lazy("Dispute lost"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened; `kind` is the machine's word for it."""

    at: str
    text: str
    author: str
    kind: str


def timeline(events: Sequence[RefundEvent], *, currency: str, names: Mapping[str, str]) -> list[Entry]:
    """Newest first. `names`: of principals, by reference."""
    return [
        Entry(written.moment(event.occurred_at), text_of(event, currency, names), author(event, names), event.kind)
        for event in reversed(events)
    ]


def author(event: RefundEvent, names: Mapping[str, str]) -> str:
    return by(event.actor, event.role, names)


def by(reference: str, role: str, names: Mapping[str, str]) -> str:
    """A name with its role; customers and the engine have none."""
    if reference in names:
        name = names[reference]
        return _("%(name)s (%(role)s)") % {"name": name, "role": ROLES[Role(role)]} if role else name
    kind = reference.partition(":")[0]
    return str(ROLES[Role(kind)]) if kind in (Role.CUSTOMER, Role.SYSTEM) else reference


def speaker(said: CaseMessage, names: Mapping[str, str]) -> str:
    """Who says it; the customer by whoever wrote it down for him."""
    if said.role == Role.CUSTOMER and said.author in names:
        return _("The customer, by %(name)s") % {"name": names[said.author]}
    return by(said.author, said.role, names)


def text_of(event: RefundEvent, currency: str, names: Mapping[str, str]) -> str:
    if event.kind == "refund.assigned":
        return _assigned(event, names)
    subject, _dot, state = event.kind.partition(".")
    if event.kind in TEXTS:
        return str(TEXTS[event.kind]) % _facts(event.data, currency)
    if subject == "refund" and state in STATES:
        return str(STATES[state])  # type: ignore[index]
    if subject == "pickup" and state in PICKUPS:
        return _("Parcel home: %(state)s") % {"state": PICKUPS[state]}  # type: ignore[index]
    if subject == "shipment" and state in SHIPMENTS:
        return _("Outward parcel: %(state)s") % {"state": SHIPMENTS[state]}  # type: ignore[index]
    return event.kind


def _assigned(event: RefundEvent, names: Mapping[str, str]) -> str:
    to = event.data.get("to")
    if left := event.data.get("left"):
        return _("Given back: %(name)s has left") % {"name": names.get(left, left)}
    return _("Given to %(name)s") % {"name": names.get(to, to)} if to else _("Given back")


def _facts(data: Mapping[str, Any], currency: str) -> dict[str, str]:
    route = data.get("route", "")
    return {
        "photo": str(data.get("photo", "")),
        "note": str(data.get("number", "")),
        "amount": written.amount(data.get("amount_minor", 0), data.get("currency", currency)),
        "route": str(ROUTES.get(route, route)),
        "remedy": str(REMEDIES.get(data.get("remedy", ""), "")),
        "order": str(data.get("order", "")),
        "until": _time(data, "until"),
        "slot_from": _time(data, "slot_from"),
        "reason": codes.in_words(str(data.get("reason", ""))),
        "incident": str(INCIDENTS.get(data.get("kind", ""), "")),
        "reference": str(data.get("reference", "")),
        "failure_code": codes.in_words(str(data.get("failure_code", ""))),
    }


def _time(data: Mapping[str, Any], name: str) -> str:
    at = data.get(name)
    return written.moment(datetime.fromisoformat(at)) if at else ""
