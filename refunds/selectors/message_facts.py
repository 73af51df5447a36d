"""What a message tells, read for a whole batch in three statements, and one more where it tells what somebody wrote."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings

from orders.roles import Role
from orders.states import ShipmentState
from orders.typed import is_mail_address, is_phone_number
from refunds import records
from refunds.cuts import unsent_of
from refunds.destinations import code_of, masked
from refunds.messages.facts import Item, MessageFacts, Visit
from refunds.messages.kept import adjusted_of, kept_of
from refunds.messages.language import language_for, locale_for
from refunds.messages.moved import Money, moved_of
from refunds.models import Notification
from refunds.numbers import request_number
from refunds.policy import BUILT_IN
from refunds.routing import UNREPORTED
from refunds.selectors.addresses import domain_of, order_link
from refunds.selectors.credit_accounts import credit_accounts
from refunds.selectors.said import what_was_said
from refunds.states import HeldFor, Initiator, MovementKind, MovementState, PickupState, Proof, RefundState, Remedy

#: Tells the code that proves a change of where the money goes, to whom it was drawn for.
CODE = "target_code"

_CASES = """
SELECT r.id, r.number, r.request_id, r.currency, r.amount_minor, r.note, r.created_at,
    (SELECT count(*) FROM refunds_refund s WHERE s.order_id = r.order_id AND s.request_id = r.request_id),
    (SELECT count(*) FROM refunds_refund s
        WHERE s.order_id = r.order_id AND s.request_id = r.request_id AND s.id <= r.id),
    r.initiator = %s AND (r.requested_role = %s OR r.reason_code <> '' OR r.note <> ''), r.initiator,
    coalesce(r.sheet->'funded', '{}'), coalesce(r.sheet->'entries', '[]'),
    r.state, r.route, r.goods, coalesce(parcels.outward, 'stopped'), r.rejection, r.rejection_code,
    CASE WHEN r.state = ANY(%b::text[]) OR (r.state = %s AND r.remedy = %s) THEN r.deadline END,
    r.remedy, r.replaced_by,
    coalesce(r.offered_minor, 0), r.offer_note, CASE WHEN r.held_for = %s THEN r.held_until END,
    CASE WHEN r.proof = %s THEN r.proof_until END, p.slot_from, p.slot_to,
    CASE WHEN p.drop_off THEN p.label_url ELSE '' END, CASE WHEN p.drop_off THEN p.waybill ELSE '' END,
    (SELECT min(n.event_seq) FROM refunds_notification n WHERE n.refund_id = r.id AND n.template = 'pickup_booked'),
    (SELECT min(n.event_seq) FROM refunds_notification n WHERE n.refund_id = r.id AND n.template LIKE 'refunded%%'),
    o.id, o.number, o.customer_name, o.customer_email, o.customer_phone, o.customer_locale,
    coalesce(r.pickup_address->>'country', o.shipping_address->>'country', ''),
    coalesce(set_to.instrument, ''), coalesce(set_to.payee, ''),
    coalesce(asked.instrument, ''), coalesce(asked.payee, ''),
    coalesce(asked.code_salt, ''), coalesce(asked.code_to, ''),
    c.name, c.contact, c.sender, c.default_locale
FROM refunds_refund r JOIN orders_order o ON o.id = r.order_id JOIN orders_channel c ON c.id = o.channel_id
LEFT JOIN refunds_pickup p ON p.id = (
    SELECT max(v.id) FROM refunds_pickup v WHERE v.refund_id = r.id AND NOT v.unwanted
) AND p.state = %s AND (p.slot_to > refundry_now() OR p.drop_off)
LEFT JOIN LATERAL (
    SELECT CASE WHEN bool_and(s.state = ANY(%b::text[])) THEN 'back'
        WHEN bool_or(
            s.state = %s AND (s.tracking_number = '' OR (s.call = 'idle' AND s.attempt > 0 AND s.failures = 0))
        ) THEN 'comes' END AS outward
    FROM refunds_refundline u JOIN orders_shipment s ON s.id = u.shipment_id WHERE u.refund_id = r.id AND u.quantity > 0
) parcels ON true
LEFT JOIN LATERAL (
    SELECT t.instrument, t.payee FROM refunds_targetchange t
    WHERE t.refund_id = r.id AND t.confirmed_at IS NOT NULL ORDER BY t.id DESC LIMIT 1
) set_to ON true
LEFT JOIN refunds_targetchange asked
    ON asked.refund_id = r.id AND asked.confirmed_at IS NULL AND asked.ended_at IS NULL
WHERE r.id = ANY(%b::bigint[])
"""
_ITEMS = """
SELECT u.refund_id, l.name, sum(u.quantity)::int,
    sum(u.accepted)::int, sum(u.damaged)::int, sum(u.wrong_item)::int, sum(u.missing)::int,
    coalesce(sum(u.quantity) FILTER (
        WHERE s.state IS DISTINCT FROM %s AND (s.assumed_at > refundry_now()) IS NOT FALSE
    ), 0)::int,
    (sum(u.announced)
        - coalesce(nullif(sum(u.accepted + u.damaged + u.wrong_item + u.missing), 0), sum(u.quantity)))::int
FROM refunds_refundline u JOIN orders_orderline l ON l.id = u.order_line_id
LEFT JOIN LATERAL (
    SELECT p.state, CASE WHEN p.state = ANY(%b::text[])
        THEN coalesce(p.delivery_known_at, greatest(p.shipped_at, CASE WHEN p.state = %s THEN p.sent_at END)
            + make_interval(secs => coalesce((v.spec->>'delivered_after_seconds')::int, %s))) END AS assumed_at
    FROM orders_shipment p, refunds_refund r JOIN refunds_policyversion v ON v.id = r.policy_version_id
    WHERE p.id = u.shipment_id AND r.id = u.refund_id
) s ON true
WHERE u.refund_id = ANY(%b::bigint[]) GROUP BY u.refund_id, l.id ORDER BY u.refund_id, l.position, l.id
"""
#: For `_ITEMS`: what has arrived, and as `refunds.routing.Reading` has it, which parcels count as delivered in time,
#: and in what time.
_ITEM_STATES = (
    str(ShipmentState.DELIVERED),
    sorted(map(str, UNREPORTED)),
    str(ShipmentState.INTERCEPTING),
    BUILT_IN.delivered_after_seconds,
)
_MONEY = """
SELECT m.refund_id, p.reference, m.amount_minor, m.state, m.settled_at,
    coalesce(m.receipt->>'receiving_account', ''), m.kind,
    m.payee = '' AND (m.target <> '' OR p.account = ANY(%b::text[])), m.payee <> '', m.number, m.replaced_by
FROM refunds_gatewayrefund m
JOIN orders_paymentshare s ON s.id = m.share_id JOIN orders_payment p ON p.id = s.payment_id
WHERE m.refund_id = ANY(%b::bigint[]) ORDER BY m.id
"""
#: What says that money was sent; should it come back, that gets a message of its own.
_ANNOUNCING = ("refunded", "refunded_at_once", "closed_in_part")
#: For `_CASES`: on whose wish it was, who surely asked himself, when a deadline is the customer's, or a question,
#: which visit is still
#: to come, which parcels reach nobody any more, and which ones nobody has stopped.
_CASE_STATES = (
    str(Initiator.CUSTOMER),
    str(Role.CUSTOMER),
    [str(RefundState.AWAITING_RETURN), str(RefundState.OFFERED)],
    str(RefundState.REFUNDING),
    str(Remedy.REPLACEMENT),
    str(HeldFor.CUSTOMER),
    str(Proof.AWAITED),
    str(PickupState.BOOKED),
    [str(ShipmentState.RETURNED), str(ShipmentState.LOST)],
    str(ShipmentState.SHIPPED),
)


class _Case(NamedTuple):
    """A row of `_CASES`, in its order."""

    refund_id: int
    number: str
    request_id: int
    currency: str
    amount_minor: int
    note: str
    requested_at: datetime
    parts: int
    part: int
    asked: bool
    initiator: str
    funded: Mapping[str, int]
    entries: Sequence[Mapping[str, Any]]
    state: str
    route: str
    goods: str
    outward: str
    reason: str
    rejection: str
    deadline: datetime | None
    remedy: str
    replaced_by: str
    offered_minor: int
    offer_note: str
    answer_by: datetime | None
    proof_until: datetime | None
    slot_from: datetime | None
    slot_to: datetime | None
    label: str | None
    waybill: str | None
    first_visit_told: int | None
    first_money_told: int | None
    order_id: int
    order: str
    customer: str
    email: str
    phone: str
    locale: str
    country: str
    instrument: str
    payee: str
    asked_instrument: str
    asked_payee: str
    code_salt: str
    code_to: str
    shop: str
    contact: str
    sender: str
    default_locale: str

    @property
    def visit(self) -> Visit | None:
        if self.waybill or not (self.slot_from and self.slot_to):
            return None
        return Visit(self.slot_from, self.slot_to)


#: What a message says of a case as it is read.
_SAME = (
    "order",
    "requested_at",
    "currency",
    "amount_minor",
    "part",
    "parts",
    "note",
    "customer",
    "country",
    "asked",
    "state",
    "route",
    "goods",
    "outward",
    "reason",
    "rejection",
    "deadline",
    "remedy",
    "replaced_by",
    "offered_minor",
    "offer_note",
    "answer_by",
    "proof_until",
    "visit",
    "shop",
    "contact",
    "sender",
)


def message_facts(notifications: Collection[Notification]) -> dict[int, MessageFacts]:
    """Facts of messages about refunds by notification id, as they are now. `to` is empty where the channel reaches
    nobody."""
    refund_ids = sorted({n.refund_id for n in notifications if n.refund_id})
    cases = {row[0]: _Case(*row) for row in records.execute_about(_CASES, refund_ids, _CASE_STATES).fetchall()}
    items = _items(refund_ids)
    money = _money(refund_ids)
    said = what_was_said(notifications)
    return {
        n.id: _facts(n, cases[n.refund_id], items[n.refund_id], money[n.refund_id], said.get(n.id, ""))
        for n in notifications
        if n.refund_id
    }


def _items(refund_ids: list[int]) -> dict[int, tuple[Item, ...]]:
    found: dict[int, tuple[Item, ...]] = defaultdict(tuple)
    for refund_id, *item in records.execute_about(_ITEMS, refund_ids, _ITEM_STATES).fetchall():
        found[refund_id] += (Item(*item),)
    return found


def _money(refund_ids: list[int]) -> dict[int, list[Money]]:
    found: dict[int, list[Money]] = defaultdict(list)
    for refund_id, reference, minor, state, at, account, kind, *rest in records.execute_about(
        _MONEY, refund_ids, [list(credit_accounts())]
    ).fetchall():
        named = dict(zip(("is_credit", "is_payout", "number", "replaced_by"), rest, strict=True))
        money = Money(reference, minor, MovementState(state), at, account, MovementKind(kind), **named)
        found[refund_id].append(money)
    return found


def _facts(row: Notification, case: _Case, items: tuple[Item, ...], money: list[Money], said: str) -> MessageFacts:
    prefix = case.number.rpartition("-")[0]
    domain = domain_of(prefix)
    request = request_number(case.number, case.request_id)
    language = language_for(case.locale, case.default_locale)
    is_code = row.template == CODE
    payee = case.asked_payee if is_code else case.payee
    return MessageFacts(
        **{name: getattr(case, name) for name in _SAME},
        template=row.template,
        label=case.label or "",
        waybill=case.waybill or "",
        channel=row.channel,
        language=language,
        locale=locale_for(language, case.locale, case.default_locale),
        to=case.code_to if is_code else _recipient(row.channel, case),
        code=code_of(settings.SECRET_KEY, case.code_salt) if is_code else "",
        instrument=case.asked_instrument if is_code else case.instrument,
        payee=masked(payee) if payee else "",
        identity=row.identity(domain),
        thread=f"request.{case.request_id}@{domain}",
        refund=case.number,
        request=request,
        page=f"{order_link(row, case.order_id)}/requests/{request}" if row.channel == "email" else "",
        moved=moved_of(money, announced=row.template in _ANNOUNCING),
        unsent_minor=unsent_of(case.entries),
        kept=kept_of(case.entries),
        adjusted=adjusted_of(case.entries),
        announced=case.first_money_told is not None and row.event_seq > case.first_money_told,
        items=items,
        said=said,
        by_shop=case.initiator == Initiator.MERCHANT,
        funded=tuple(sorted(case.funded.items())),
        again=case.first_visit_told is not None and row.event_seq > case.first_visit_told,
    )


def _recipient(channel: str, case: _Case) -> str:
    if channel == "email":
        return case.email if is_mail_address(case.email) else ""
    return case.phone if is_phone_number(case.phone) else ""
