"""What clients send about orders: the accepted fields, and how they become facts."""

from dataclasses import fields as names_of
from datetime import timedelta
from typing import Any

from rest_framework import serializers

from orders.rest import fields
from orders.services.facts import BeforeFact, CustomerFact, DiscountFact, InvoiceFact, LineFact, OrderFacts, PaymentFact
from orders.services.lines import key_of
from orders.services.links import PURPOSES, LinkWish
from orders.services.shipments import ShipmentFacts, Units
from orders.states import Fulfilment, PaymentMethod
from orders.typed import PHONE, is_mail_address

LOCALE = r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*"
ACCOUNT = r"[a-z0-9][a-z0-9_-]*"
WEB = r"https?://[A-Za-z0-9.-]+(:\d{1,5})?([/?#][\x21-\x7e]*)?"
TAX_RATE = r"[0-9]{1,3}(\.[0-9]{1,4})?"
LONGEST_LINK = 90 * 24 * 3600


class EmailText(fields.Text, serializers.EmailField):
    """An e-mail address that mail goes to: what the messages would leave unwritten is refused where it is stated."""

    default_error_messages = {"invalid": "must be a plain address that mail can be sent to, such as ada@example.com"}

    def to_internal_value(self, data: Any) -> str:
        value = super().to_internal_value(data)
        if value and not is_mail_address(value):
            self.fail("invalid")
        return value


class CustomerBody(fields.Body):
    name = fields.Text(required=False, allow_blank=True)
    email = EmailText(required=False, allow_blank=True, max_length=254)
    phone = fields.Patterned(
        required=False, allow_blank=True, max_length=32, pattern=PHONE, shape="a phone number such as +491701234567"
    )
    locale = fields.Patterned(
        required=False, allow_blank=True, max_length=16, pattern=LOCALE, shape="a locale such as de or zh-Hans"
    )
    reference = fields.Identifier(required=False, allow_blank=True, max_length=100)


class BeforeBody(fields.Body):
    """Of a line, what had come back before the order came here. It stays as first stated."""

    quantity = fields.StrictInteger(max_value=fields.MAX_QUANTITY)
    amount_minor = fields.Amount(help_text="Gross.")


class LineBody(fields.Body):
    id = fields.Identifier(required=False, max_length=100, help_text="Default: the sku.")
    sku = fields.Identifier(max_length=100)
    name = fields.Text(max_length=300)
    quantity = fields.Quantity()
    unit_price_minor = fields.Amount(required=False, allow_null=True)
    line_total_minor = fields.Amount(required=False, allow_null=True, help_text="Of the whole line, before discounts.")
    tax_minor = fields.Amount(required=False, default=0, help_text="Of the whole line, after discounts.")
    fulfilment = fields.Choice(choices=list(Fulfilment), required=False, default=Fulfilment.SHIP.value)
    labels = fields.JsonObject(required=False)
    tax_rate = fields.Patterned(
        required=False, allow_blank=True, max_length=12, pattern=TAX_RATE, shape="a rate in per cent such as 19 or 7.7"
    )
    gift_for = fields.Identifier(
        required=False, allow_blank=True, max_length=100, help_text="The line (id, else sku) it came free with."
    )
    bundle = fields.Identifier(
        required=False, allow_blank=True, max_length=100, help_text="Lines that name the same one are sold as one set."
    )
    refunded_before = BeforeBody(required=False, allow_null=True)


class DiscountBody(fields.Body):
    label = fields.Text()  # type: ignore[assignment]
    amount_minor = fields.Amount()
    lines = serializers.ListField(
        child=fields.Identifier(max_length=100), required=False, allow_null=True, max_length=1000
    )
    funded_by = fields.Choice(choices=["shop", "platform", "points"], required=False, default="shop")
    minimum_minor = fields.Amount(required=False, default=0, help_text="The spend it was given for; 0: none.")


class PaymentBody(fields.Body):
    gateway = fields.Patterned(max_length=60, pattern=ACCOUNT, shape="a gateway account such as stripe-eu")
    reference = fields.Identifier()
    captured_minor = fields.Amount(help_text="This order's share.")
    currency = fields.Currency(required=False)
    captured_at = fields.Timestamp(required=False, allow_null=True)
    authorized_minor = fields.Amount(required=False, allow_null=True)
    shared_total_minor = fields.Amount(required=False, allow_null=True, help_text="The whole, when orders share it.")
    method = fields.Choice(choices=list(PaymentMethod), required=False, help_text="Default: card.")
    refunded_before_minor = fields.Amount(
        required=False,
        allow_null=True,
        help_text="What had gone back before the order came here; stays as first stated.",
    )


class InvoiceBody(fields.Body):
    number = fields.Identifier(max_length=64)
    issued_at = fields.Timestamp()


class OrderBody(fields.Body):
    customer = CustomerBody(required=False)
    currency = fields.Currency()
    labels = fields.JsonObject(required=False)
    version = fields.StrictInteger(required=False, allow_null=True, help_text="The shop's own count; never falls.")
    lines = fields.list_of(LineBody, allow_empty=False, max_length=1000)
    prices_include_tax = fields.StrictBoolean(required=False, default=True)
    discounts = fields.list_of(DiscountBody, required=False, max_length=100)
    shipping_minor = fields.Amount(required=False, default=0)
    shipping_tax_minor = fields.Amount(required=False, default=0)
    shipping_supplement_minor = fields.Amount(
        required=False, default=0, help_text="What faster shipping cost more; within shipping_minor."
    )
    shipping_refunded_before_minor = fields.Amount(required=False, allow_null=True, help_text="Gross.")
    shipping_address = fields.JsonObject(required=False)
    payments = fields.list_of(PaymentBody, required=False, max_length=20)
    total_minor = fields.Amount(required=False, allow_null=True, help_text="Checked when given.")
    non_refundable_minor = fields.Amount(required=False, default=0, help_text="A deposit; within the total.")
    points_earned = fields.Amount(required=False, default=0, help_text="Loyalty points the order has earned.")
    ordered_at = fields.Timestamp(required=False, allow_null=True)
    expected_ship_at = fields.Timestamp(required=False, allow_null=True)
    invoice = InvoiceBody(required=False, allow_null=True, help_text="What a credit note is about; once stated, stays.")
    replaces = fields.Identifier(
        required=False,
        allow_blank=True,
        max_length=40,
        help_text="The refund whose goods it replaces, and whose money pays for it. Once stated, stays.",
    )
    legal_entity = fields.Text(required=False, allow_blank=True, help_text="Who sells, for the credit note.")
    tax_country = fields.Patterned(
        required=False,
        allow_blank=True,
        max_length=2,
        pattern="[A-Z]{2}",
        shape="two capitals such as DE",
        help_text="Whose tax it is, ISO 3166. Default: the country of the shipping address.",
    )


class UnitsBody(fields.Body):
    """Units of one line, named by `id` or `sku`."""

    id = fields.Identifier(required=False, max_length=100)
    sku = fields.Identifier(required=False, max_length=100)
    quantity = fields.Quantity()

    default_error_messages = {"line_required": "name the line by id or sku, one of them"}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("id" in attrs) == ("sku" in attrs):
            raise serializers.ValidationError(self.error_messages["line_required"], "line_required")
        return attrs


class ShipmentBody(fields.Body):
    lines = fields.list_of(
        UnitsBody, required=False, allow_empty=False, max_length=1000, help_text="Default: what is left."
    )
    carrier = fields.Identifier(required=False, default="", allow_blank=True, max_length=60)
    tracking_number = fields.Identifier(required=False, default="", allow_blank=True, max_length=100)
    reference = fields.Identifier(
        required=False, allow_null=True, max_length=100, help_text="The same again: the same id."
    )
    left = fields.StrictBoolean(required=False, default=False, help_text="The carrier has it, whatever is held.")
    shipped_at = fields.Timestamp(required=False, allow_null=True)
    delivered_at = fields.Timestamp(required=False, allow_null=True)


class FactBody(fields.Body):
    occurred_at = fields.Timestamp(required=False, allow_null=True, help_text="By the carrier's clock; default: now.")


class LinkBody(fields.Body):
    purpose = fields.Choice(choices=PURPOSES)
    expires_in = fields.StrictInteger(
        min_value=60, max_value=LONGEST_LINK, required=False, default=7 * 24 * 3600, help_text="Seconds."
    )
    return_url = fields.Patterned(
        required=False, default="", allow_blank=True, max_length=500, pattern=WEB, shape="an http or https address"
    )


ORDER, SHIPMENT, FACT, LINK = OrderBody(), ShipmentBody(), FactBody(), LinkBody()


def order_facts(number: str, body: dict[str, Any]) -> OrderFacts:
    same = {name.name: body[name.name] for name in names_of(OrderFacts) if name.name in body}
    same["customer"] = CustomerFact(**body.get("customer", {}))
    same["invoice"] = InvoiceFact(**body["invoice"]) if body.get("invoice") else None
    same["lines"] = tuple(_line(line) for line in body["lines"])
    same["discounts"] = tuple(_discount(discount) for discount in body.get("discounts", ()))
    same["payments"] = tuple(_payment(payment) for payment in body.get("payments", ()))
    return OrderFacts(number=number, **same)


def _line(body: dict[str, Any]) -> LineFact:
    line = {name: value for name, value in body.items() if name not in ("id", "fulfilment", "refunded_before")}
    before = BeforeFact(**body["refunded_before"]) if body.get("refunded_before") else None
    return LineFact(
        line_id=body.get("id", ""), fulfilment=Fulfilment(body["fulfilment"]), refunded_before=before, **line
    )


def _discount(body: dict[str, Any]) -> DiscountFact:
    lines = body.get("lines")
    return DiscountFact(**body | {"lines": None if lines is None else tuple(lines)})


def _payment(body: dict[str, Any]) -> PaymentFact:
    same = {name: value for name, value in body.items() if name not in ("gateway", "method")}
    return PaymentFact(
        account=body["gateway"], method=PaymentMethod(body["method"]) if "method" in body else None, **same
    )


def shipment_facts(number: str, body: dict[str, Any]) -> ShipmentFacts:
    lines = body.get("lines")
    units = None if lines is None else [Units(key_of(line), line["quantity"]) for line in lines]
    return ShipmentFacts(order_number=number, **body | {"lines": units})


def link_wish(number: str, body: dict[str, Any]) -> LinkWish:
    lifetime = timedelta(seconds=body["expires_in"])
    return LinkWish(number, body["purpose"], lifetime, body["return_url"])
