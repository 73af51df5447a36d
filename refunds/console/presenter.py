"""A case as its page shows it: rows turned into words, amounts and times. All of it has been read before."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from orders.models import Shipment
from refunds.console import codes, condition_words, sheet_words, targets, words, written
from refunds.console.forms import customers_zone
from refunds.console.tables import Line, Link, Table, Word
from refunds.console.timeline import by, speaker, timeline
from refunds.destinations import masked
from refunds.messages.sentences import account_named
from refunds.models import GatewayRefund, Incident, Notification, Pickup, Refund, RefundLine
from refunds.numbers import request_number
from refunds.pages.reasons import reason_text
from refunds.routing import Reading
from refunds.selectors.conditions import conditions
from refunds.selectors.desk import CaseFile
from refunds.services.rows import policy_of, sent_of
from refunds.states import FINAL_STATES, Goods, MovementKind, Proof, Remedy, Route, WayBack
from workers.ports import receipt_from


def word(of: Mapping[Any, Any], state: str) -> Word:
    tone = "danger" if state in words.BAD else "success" if state in words.GOOD else ""
    return Word(str(of.get(state, state)), tone)


def state_of(refund: Refund) -> Word:
    return Word(str(words.STATES[refund.state]), words.TONES.get(refund.state, ""))


def facts(case: CaseFile, now: datetime) -> list[tuple[str, str]]:
    """What stands at the head of the page, by label; what is not the case is left out."""
    refund, names = case.refund, case.names
    told = [
        (_("Request"), request_number(refund.number, refund.request_id)),
        (_("Route"), str(words.ROUTES.get(refund.route, refund.route))),  # type: ignore[call-overload]
        (_("Goods"), _goods(refund)),
        (_("Way back"), _way_back(refund)),
        (_("Instead of the money"), _instead(refund)),
        (_("Reason"), reason_text(refund.reason_code, policy_of(refund.policy_version_id).reasons)),
        (_("Customer's note"), refund.note),
        (
            pgettext("case", "Requested"),
            _by_and_at(by(refund.requested_by, refund.requested_role, names), refund.created_at),
        ),
        (_("Approved"), _by_and_at(by(refund.approved_by, "", names), refund.approved_at)),
        (_("Approved by the second person"), _by_and_at(by(refund.second_by, "", names), refund.second_at)),
        (_("Offered to the customer"), _offer(refund, names)),
        (_("Can be contested until"), written.moment(refund.contest_until)),
        (_("Proof of delivery"), _proof(refund)),
        (_("On hold until"), written.moment(refund.held_until)),
        (_("To be cancelled, says"), by(refund.cancel_wanted_by, "", names) if refund.cancel_wanted_by else ""),
        (_("Customer was told"), refund.rejection or str(words.REJECTIONS.get(refund.rejection_code, ""))),  # type: ignore[call-overload]
        (_("Assigned to"), refund.assignee.name if refund.assignee else _("nobody")),
        (_("Ended"), written.moment(refund.finished_at)),
        (_("Looked at next"), written.moment(refund.next_reconcile_at)),
    ]
    return [(label, text) for label, text in told if text]


def _proof(refund: Refund) -> str:
    if refund.proof == Proof.AWAITED:
        return _("asked for, until %(time)s") % {"time": written.moment(refund.proof_until)}
    if refund.proof:
        said = _("given") if refund.proof == Proof.GIVEN else _("there is none")
        return f"{said}\n{refund.proof_note}".strip()
    return ""


def _instead(refund: Refund) -> str:
    if refund.remedy == Remedy.MONEY:
        return ""
    replaced = _("order %(number)s") % {"number": refund.replaced_by} if refund.replaced_by else ""
    return pgettext("label", ": ").join(filter(None, [str(words.REMEDIES[Remedy.REPLACEMENT]), replaced]))


def _offer(refund: Refund, names: Mapping[str, str]) -> str:
    if refund.offered_minor is None:
        return ""
    amount = written.amount(refund.offered_minor, refund.currency)
    return f"{_listed(amount, by(refund.offered_by, '', names))}\n{refund.offer_note}"


def _thread(case: CaseFile) -> list[Table]:
    """What the customer and customer service wrote, the oldest first; none where nothing was."""
    heads = [_("Who"), pgettext("label", "Message"), _("When")]
    lines = [Line([speaker(m, case.names), m.text, written.moment(m.created_at)]) for m in case.thread]
    return [Table("thread", _("Messages with the customer"), heads, lines)] if lines else []


def _goods(refund: Refund) -> str:
    """What has never left does not come back."""
    if refund.route == Route.INSTANT:
        return ""
    return str(words.GOODS.get(refund.goods, refund.goods))  # type: ignore[call-overload]


def _way_back(refund: Refund) -> str:
    """Of goods that the customer has and sends back."""
    if refund.route != Route.PICKUP or refund.goods != Goods.RETURN:
        return ""
    way = str(words.WAYS_BACK[WayBack(refund.way_back)])
    boxes = _("%(count)s boxes") % {"count": refund.boxes}
    return _listed(way, boxes) if refund.boxes > 1 else way


def deadline_of(refund: Refund, now: datetime) -> dict[str, Any]:
    """When it has to be ended, how long that is, and whether it is over; a hold stops the clock."""
    if refund.deadline is None or refund.state in FINAL_STATES:
        return {}
    stands = refund.held_from if refund.held_until and refund.held_from else None
    shows = stands or now
    left = written.time_left(refund.deadline, shows)
    return {"at": written.moment(refund.deadline), "left": left, "over": refund.deadline <= shows, "held": bool(stands)}


def tables(case: CaseFile, now: datetime) -> list[Table]:
    return [
        *_thread(case),
        _lines(case.refund),
        _sheet(case.refund),
        _parcels(case, now),
        _money(case.refund),
        *targets.tables(case.refund, case.names),
        _messages(case.refund),
        _incidents(case, now),
        _conditions(case.refund, now),
    ]


def trail(case: CaseFile, *, after: int = 0) -> list[Any]:
    """What happened, newest first; `after`: after this event."""
    events = [event for event in case.events if event.seq > after]
    return timeline(events, currency=case.refund.currency, names=case.names)


def _by_and_at(who: str, at: datetime | None) -> str:
    return _listed(who, written.moment(at)) if at else ""


def _listed(*parts: object) -> str:
    return pgettext("list", ", ").join(map(str, parts))


def _beside(notes: Iterable[str | None]) -> str:
    return pgettext("list", "; ").join(filter(None, notes))


def _lines(refund: Refund) -> Table:
    heads = [_("Item"), _("Where"), _("Announced"), _("To be paid"), _("Inspection"), _("Amount")]
    lines = [_line(row, refund.currency) for row in refund.lines.all() if not row.is_adjustment]
    return Table("lines", _("Items"), heads, lines, frozenset({2, 3, 5}))


def _line(row: RefundLine, currency: str) -> Line:
    found = [f"{words.FOUND[name]} {getattr(row, name)}" for name in words.FOUND if getattr(row, name)]
    cells = [
        f"{row.order_line.name} · {row.order_line.sku}",
        words.PLACES[row.place],
        row.announced,
        row.quantity,
        _listed(*found) or "–",
        written.amount(row.amount_minor, currency),
    ]
    return Line(cells)


def _sheet(refund: Refund) -> Table:
    lines = [
        Line([sheet_label(entry), entry["quantity"] or "", written.amount(entry["amount_minor"], refund.currency)])
        for entry in refund.sheet.get("entries", ())
    ]
    total = Line([Word(_("Total"), "total"), "", Word(written.amount(refund.amount_minor, refund.currency), "total")])
    return Table(
        "sheet", _("How the amount came about"), ["", _("Units"), _("Amount")], [*lines, total], frozenset({1, 2})
    )


def sheet_label(entry: dict[str, Any]) -> str:
    kind, label = sheet_words.SHEET.get(entry["kind"]), str(entry["label"])
    if kind is None or (entry["kind"] == "discount" and label):
        return label
    return (
        f"{kind}{pgettext('label', ': ')}{label}"
        if entry["kind"] in sheet_words.NAMED_IN_SHEET and label
        else str(kind)
    )


def _parcels(case: CaseFile, now: datetime) -> Table:
    heads = [_("Parcel"), _("Carrier"), _("Tracking number"), _("State"), _("When")]
    reading = policy_of(case.refund.policy_version_id).reading(now)
    lines = [_shipment(row, reading) for row in case.shipments]
    lines += [_pickup(row, case.refund) for row in case.refund.pickups.all()]
    return Table("parcels", _("Parcels"), heads, lines)


def _shipment(row: Shipment, reading: Reading) -> Line:
    at, assumed_at = written.moment(row.delivered_at or row.shipped_at), reading.assumed_at(sent_of(row))
    cells = [_("To the customer"), row.carrier, row.tracking_number, word(words.SHIPMENTS, row.state), at]
    if assumed_at is None:
        return Line(cells)
    if reading.is_assumed(sent_of(row)):
        return Line(cells, _("counts as delivered: no carrier has said where it went"))
    later = _("counts as delivered from %(time)s on, if nobody says more")
    return Line(cells, later % {"time": written.moment(assumed_at)})


def _pickup(row: Pickup, refund: Refund) -> Line:
    zone = customers_zone(refund)
    slot = written.span(row.slot_from, row.slot_to, zone) if row.slot_from and row.slot_to else ""
    label = _("handed in with a label") if row.drop_off else ""
    missed = _("missed visits: %(count)s") % {"count": row.missed} if row.missed else ""
    refused = _("the courier says: %(reason)s") % {"reason": codes.in_words(row.refusal)} if row.refusal else ""
    state = word(words.PICKUPS, row.state)
    cells = [_("Home · %(number)s") % {"number": row.number}, row.carrier or row.account, row.waybill, state, slot]
    return Line(cells, _beside((label, missed, refused, _call(row))))


def _call(row: Pickup | GatewayRefund | Notification) -> str:
    return str(words.CALLS.get(row.call, ""))


def _money(refund: Refund) -> Table:
    heads = [_("Movement"), _("Payment"), _("Amount"), _("State"), _("Since")]
    return Table("money", _("Money"), heads, [_movement(m) for m in refund.gateway_refunds.all()], frozenset({2}))


#: What the states of money that does not move mean.
_OF_KIND = {MovementKind.VOID.value: words.HOLDS, MovementKind.EXCHANGE.value: words.EXCHANGES}


def _movement(row: GatewayRefund) -> Line:
    payment = f"{row.share.payment.account} · {row.share.payment.reference}"
    payment += f" → {_target(row)}" if row.target else ""
    at = written.moment(row.settled_at or row.accepted_at or row.first_sent_at)
    amount = written.amount(row.amount_minor, row.currency)
    notes = (row.gateway_refund_id, codes.in_words(row.failure_code), _call(row), *_receipt(row))
    states = words.MOVEMENTS | _OF_KIND.get(row.kind, {})
    return Line([row.number, payment, amount, word(states, row.state), at], _beside(notes))


def _target(row: GatewayRefund) -> str:
    return f"{row.target} {masked(row.payee)}" if row.payee else str(_("store credit"))


def _receipt(row: GatewayRefund) -> Iterator[str]:
    """What the gateway tells the books."""
    told = receipt_from(row.receipt)
    if told.receiving_account:
        yield _("to %(account)s") % {"account": account_named(told.receiving_account)}
    if told.bank_reference:
        yield _("bank reference %(reference)s") % {"reference": told.bank_reference}
    if told.settled_minor is not None:
        yield _("settled %(amount)s") % {"amount": written.amount(told.settled_minor, told.settled_currency)}
    if told.fee_minor:
        yield _("fee kept %(amount)s") % {"amount": written.amount(told.fee_minor, told.settled_currency)}


def _messages(refund: Refund) -> Table:
    heads = [_("Message"), _("Channel"), _("Recipient"), _("State"), _("When")]
    return Table("messages", _("Messages to the customer"), heads, [_message(m) for m in refund.notifications.all()])


def _message(row: Notification) -> Line:
    at = written.moment(row.sent_to_provider_at or row.created_at)
    kind = str(words.TEMPLATES.get(row.template, row.template))
    channel = str(words.MESSAGE_CHANNELS.get(row.channel, row.channel))
    return Line([kind, channel, row.recipient, word(words.MESSAGES, row.state), at], _call(row))


def _incidents(case: CaseFile, now: datetime) -> Table:
    lines = []
    for row in case.incidents:
        left = written.time_left(row.due_at, now) if not row.closed_at else ""
        lines.append(Line([to_incident(row), incident_state(row), written.moment(row.opened_at), left], row.note))
    return Table("incidents", _("Incidents"), [_("What"), _("State"), _("Opened"), _("Due")], lines)


def to_incident(row: Incident) -> Link:
    return Link(incident_name(row), reverse("console:incident", args=[row.pk]))


def incident_name(row: Incident) -> str:
    return str(words.INCIDENTS.get(row.kind, row.kind))


def incident_state(row: Incident) -> Word:
    return Word(_("Closed")) if row.closed_at else Word(_("Open"), "danger")


def _conditions(refund: Refund, now: datetime) -> Table:
    lines = [_condition(told, now) for told in conditions(refund)]
    heads = [_("Condition"), _("Holds"), _("Why"), _("For how long")]
    return Table("conditions", _("Conditions"), heads, lines)


def _condition(told: dict[str, Any], now: datetime) -> Line:
    moved = told["last_transition_time"]
    at = moved if isinstance(moved, datetime) else datetime.fromisoformat(moved)
    name = str(condition_words.CONDITIONS.get(told["type"], told["type"]))
    why = str(condition_words.REASONS.get(told["reason"], told["reason"]))
    return Line([name, str(condition_words.STATUSES[told["status"]]), why, written.ago(at, now)], _code_in(told))


def _code_in(told: dict[str, Any]) -> str:
    """What somebody outside has answered, which stands at the end of the condition's message."""
    if told["reason"] not in ("Failed", "Refused"):
        return ""
    answers = told["message"].rstrip(".").partition(": ")[2]
    return ", ".join(codes.in_words(code) for code in answers.split(", "))
