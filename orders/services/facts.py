"""What a shop states of an order, as values; and what is wrong with it before anything stored is looked at.

Amounts are minor units, times are UTC. The order of lines and payments is the body's, so that an error can point.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from orders.errors import FieldError, Forbidden, Invalid
from orders.roles import Actor, Role
from orders.states import Fulfilment, PaymentMethod

#: So far ahead of our clock may the clock of the one who states a fact be.
CLOCK_TOLERANCE = timedelta(minutes=5)
MAX_LINE_MINOR = 10**15


@dataclass(frozen=True, slots=True)
class BeforeFact:
    """Of a line, what had come back before the order came here."""

    quantity: int
    amount_minor: int


@dataclass(frozen=True, slots=True)
class LineFact:
    """`line_total_minor` is for the whole line, before discounts; `unit_price_minor` for one unit. One is enough.

    `gift_for` (an id or sku) is the line it came free with; lines of one `bundle` are sold as one set.
    `refunded_before` None: as it is stored.
    """

    sku: str
    name: str
    quantity: int
    line_id: str = ""
    unit_price_minor: int | None = None
    line_total_minor: int | None = None
    tax_minor: int = 0
    fulfilment: Fulfilment = Fulfilment.SHIP
    labels: dict[str, Any] = field(default_factory=dict)
    gift_for: str = ""
    bundle: str = ""
    tax_rate: str = ""
    refunded_before: BeforeFact | None = None

    @property
    def key(self) -> str:
        return self.line_id or self.sku

    @property
    def list_minor(self) -> int:
        if self.line_total_minor is not None:
            return self.line_total_minor
        return (self.unit_price_minor or 0) * self.quantity


@dataclass(frozen=True, slots=True)
class DiscountFact:
    """`lines` (ids or skus) are those it is for; None: all. `minimum_minor`: the spend it was given for; 0: none."""

    label: str
    amount_minor: int
    lines: tuple[str, ...] | None = None
    funded_by: str = "shop"
    minimum_minor: int = 0


@dataclass(frozen=True, slots=True)
class PaymentFact:
    """`captured_minor` is this order's share; `shared_total_minor` the whole payment's, where others share it.
    `method` and `refunded_before_minor` None: as they are stored.
    """

    account: str
    reference: str
    captured_minor: int
    currency: str = ""
    captured_at: datetime | None = None
    authorized_minor: int | None = None
    shared_total_minor: int | None = None
    method: PaymentMethod | None = None
    refunded_before_minor: int | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.account, self.reference


@dataclass(frozen=True, slots=True)
class CustomerFact:
    name: str = ""
    email: str = ""
    phone: str = ""
    locale: str = ""
    reference: str = ""


@dataclass(frozen=True, slots=True)
class InvoiceFact:
    number: str
    issued_at: datetime


@dataclass(frozen=True, slots=True)
class OrderFacts:
    """`replaces`: the number of the refund whose goods it replaces; empty: as it is stored."""

    number: str
    currency: str
    lines: tuple[LineFact, ...]
    payments: tuple[PaymentFact, ...] = ()
    discounts: tuple[DiscountFact, ...] = ()
    customer: CustomerFact = CustomerFact()
    version: int | None = None
    labels: dict[str, Any] = field(default_factory=dict)
    prices_include_tax: bool = True
    shipping_minor: int = 0
    shipping_tax_minor: int = 0
    shipping_supplement_minor: int = 0
    shipping_refunded_before_minor: int | None = None
    shipping_address: dict[str, Any] = field(default_factory=dict)
    total_minor: int | None = None
    non_refundable_minor: int = 0
    points_earned: int = 0
    ordered_at: datetime | None = None
    expected_ship_at: datetime | None = None
    invoice: InvoiceFact | None = None
    legal_entity: str = ""
    tax_country: str = ""
    replaces: str = ""


def require_role(actor: Actor, roles: Iterable[Role], act: str) -> None:
    if actor.role not in roles:
        raise Forbidden("forbidden", f"The role {actor.role} may not {act}.")


def refuse_ahead(now: datetime, times: Mapping[str, datetime | None]) -> None:
    """A fact lies in the past, or at most 5 minutes ahead; `times` is by JSON path."""
    detail = f"lies ahead of our clock, which says {now:%Y-%m-%dT%H:%M:%SZ}: a fact has happened already"
    late = [path for path, time in times.items() if time and time > now + CLOCK_TOLERANCE]
    refuse(FieldError(path, "in_the_future", detail) for path in late)


def refuse(errors: Iterable[FieldError]) -> None:
    """Raise what was found, if anything: one error gives the problem its code."""
    found = tuple(errors)
    if len(found) == 1:
        raise Invalid(found[0].code, f"{found[0].field}: {found[0].detail}", errors=found)
    if found:
        raise Invalid("invalid_fields", "; ".join(f"{e.field}: {e.detail}" for e in found[:3]), errors=found)


def check_facts(facts: OrderFacts, now: datetime) -> None:
    """What can be told wrong from the facts alone."""
    refuse_ahead(now, {"ordered_at": facts.ordered_at} | _invoiced_at(facts) | _captured_times(facts))
    refuse([*_repeated_lines(facts), *_bad_prices(facts), *_bad_payments(facts), *_bad_supplement(facts)])


def _invoiced_at(facts: OrderFacts) -> dict[str, datetime | None]:
    return {"invoice.issued_at": facts.invoice.issued_at} if facts.invoice else {}


def _captured_times(facts: OrderFacts) -> dict[str, datetime | None]:
    return {f"payments[{i}].captured_at": payment.captured_at for i, payment in enumerate(facts.payments)}


def _repeated_lines(facts: OrderFacts) -> Iterable[FieldError]:
    count: Counter[str] = Counter()
    for i, line in enumerate(facts.lines):
        count[line.key] += 1
        if count[line.key] == 2:
            code = "repeated" if line.line_id else "line_id_required"
            yield FieldError(f"lines[{i}].id", code, f"two lines are named {line.key}: give each its own id")


def _bad_prices(facts: OrderFacts) -> Iterable[FieldError]:
    for i, line in enumerate(facts.lines):
        if line.unit_price_minor is None and line.line_total_minor is None:
            yield FieldError(f"lines[{i}]", "price_required", "send unit_price_minor or line_total_minor")
        elif None not in (line.unit_price_minor, line.line_total_minor) and line.list_minor != _by_unit(line):
            detail = f"is {line.list_minor}, {line.quantity} x unit_price_minor is {_by_unit(line)}: send one of them"
            yield FieldError(f"lines[{i}].line_total_minor", "price_mismatch", detail)
        elif line.list_minor > MAX_LINE_MINOR:
            yield FieldError(f"lines[{i}]", "too_large", f"the line costs more than {MAX_LINE_MINOR}")


def _bad_supplement(facts: OrderFacts) -> Iterable[FieldError]:
    if facts.shipping_supplement_minor > facts.shipping_minor:
        detail = (
            f"is {facts.shipping_supplement_minor}, but lies within shipping_minor, which is {facts.shipping_minor}"
        )
        yield FieldError("shipping_supplement_minor", "supplement_above_shipping", detail)


def _by_unit(line: LineFact) -> int:
    return (line.unit_price_minor or 0) * line.quantity


def _bad_payments(facts: OrderFacts) -> Iterable[FieldError]:
    count: Counter[tuple[str, str]] = Counter()
    for i, payment in enumerate(facts.payments):
        count[payment.key] += 1
        if count[payment.key] == 2:
            yield FieldError(f"payments[{i}].reference", "repeated", "this payment is named twice")
        if payment.currency and payment.currency != facts.currency:
            yield wrong_currency(i, payment, payment.currency, facts.currency)
        if payment.shared_total_minor is not None and payment.shared_total_minor < payment.captured_minor:
            detail = f"is {payment.shared_total_minor}, less than this order's share of {payment.captured_minor}"
            yield FieldError(f"payments[{i}].shared_total_minor", "too_small", detail)
        if (payment.refunded_before_minor or 0) > payment.captured_minor:
            detail = f"is {payment.refunded_before_minor}, more than the {payment.captured_minor} captured"
            yield FieldError(f"payments[{i}].refunded_before_minor", "above_captured", detail)


def wrong_currency(index: int, payment: PaymentFact, paid_in: str, ordered_in: str) -> FieldError:
    detail = f"Payment {payment.reference} is in {paid_in}, the order in {ordered_in}: send what was captured"
    return FieldError(f"payments[{index}].currency", "currency_mismatch", detail)
