"""The lists of the console as tables: a row per refund, order or incident."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from orders.models import Order
from refunds.actions import AGENTS, Action
from refunds.console import presenter, words, written
from refunds.console.acts import seen_by
from refunds.console.tables import Line, Link, Table, Word
from refunds.models import Incident, Refund
from refunds.states import FINAL_STATES, RefundState


def refunds(found: Iterable[Refund], now: datetime, *, me: str) -> Table:
    """`me` is who looks: whether he requested one himself is said."""
    heads = [pgettext("label", "Refund"), _("Order"), _("Customer"), _("Amount"), _("State"), _("Route")]
    lines = [_refund(refund, now, me) for refund in found]
    return Table("refunds", "", [*heads, _("Deadline"), _("Assigned to")], lines, frozenset({3}))


def orders(found: Iterable[Order]) -> Table:
    heads = [_("Order"), _("Customer"), _("Amount"), _("State"), _("Refunds"), _("Ordered")]
    return Table("orders", "", heads, [_order(order) for order in found], frozenset({2}))


def incidents(found: Iterable[Incident], now: datetime) -> Table:
    heads = [_("What"), _("Order"), pgettext("label", "Refund"), _("Opened"), _("Due")]
    return Table("incidents", "", heads, [_incident(incident, now) for incident in found])


def to_order(order: Order) -> Link:
    return Link(order.number, reverse("console:order", args=[order.pk]))


def to_case(refund: Refund) -> Link:
    return Link(refund.number, reverse("console:case", args=[refund.number]))


def due(incident: Incident, now: datetime) -> Any:
    left = written.time_left(incident.due_at, now)
    return Word(left, "over") if incident.due_at <= now else left


def _refund(refund: Refund, now: datetime, me: str) -> Line:
    cells = [
        to_case(refund),
        to_order(refund.order),
        refund.order.customer_name or refund.order.customer_email,
        written.amount(refund.amount_minor, refund.currency),
        [presenter.state_of(refund), *_more_of_its_state(refund, me)],
        words.ROUTES.get(refund.route, refund.route),  # type: ignore[call-overload]
        _deadline(refund, now),
        refund.assignee.name if refund.assignee else "–",
    ]
    has_ended = refund.state in FINAL_STATES
    return Line(cells, tick="" if has_ended else f"{refund.number} {seen_by(Action.APPROVE, refund)}")


def _more_of_its_state(refund: Refund, me: str) -> list[Word]:
    told = [Word(_("on hold"))] if refund.held_until else []
    if refund.state == RefundState.IN_REVIEW and refund.requested_role in AGENTS:
        told.append(
            Word(_("requested by me") if refund.requested_by == me else _("requested by a colleague"), "warning")
        )
    return told


def _deadline(refund: Refund, now: datetime) -> Any:
    told = presenter.deadline_of(refund, now)
    if not told:
        return "–"
    return Word(told["left"], "over") if told["over"] else told["left"]


def _order(order: Order) -> Line:
    return Line(
        [
            to_order(order),
            order.customer_name or order.customer_email,
            written.amount(order.total_minor, order.currency),
            words.ORDER_STATES.get(order.state, order.state),
            words.ORDER_REFUND_STATES.get(order.refund_state, ""),  # type: ignore[call-overload]
            written.moment(order.ordered_at),
        ]
    )


def _incident(incident: Incident, now: datetime) -> Line:
    return Line(
        [
            presenter.to_incident(incident),
            to_order(incident.order) if incident.order else "",
            to_case(incident.refund) if incident.refund else "–",
            written.moment(incident.opened_at),
            due(incident, now),
        ]
    )
