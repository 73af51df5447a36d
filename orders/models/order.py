"""The order and its lines: facts a shop brings, and the counters that must never contradict each other."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import models
from django.db.models import F, Func, Q, TextField, Value
from django.db.models.functions import Upper

from orders.models.channel import Channel
from orders.models.machine import arrow, state_check, state_field
from orders.states import ORDER_ARROWS, Fulfilment, OrderRefundState, OrderState

#: By which customer service finds an order; each has an index over this very expression.
CUSTOMER_WORDS = SearchVector("customer_name", config="simple")
CUSTOMER_DIGITS = Func("customer_phone", Value(" ()./-"), Value(""), function="translate", output_field=TextField())


class Order(models.Model):
    """Its row is the lock for everything that belongs to it (`orders.locks`).

    `version` is the shop's own count; `resource_version` is ours and moves with what a client can see.
    `phone_changed_at`, `email_changed_at`: when the shop last stated another one; null: it is the first.
    `discounts` is a list of {label, amount_minor, lines (line ids or null for all), funded_by, minimum_minor (the spend
    it was given for, 0: none)}. Within the money: `shipping_supplement_minor` (what faster shipping cost more) lies in
    `shipping_minor`, `non_refundable_minor` (a deposit) in the total. `shipping_before_minor` and its tax are what of
    the shipping had come back before the order came here; the refunded counters contain them. `stood` is what the
    order counted and cost when a refund last took from it, kept by the first PUT after that (`services.stood`).
    `replaces`: the number of the refund that it was sent instead of.
    """

    channel = models.ForeignKey(Channel, on_delete=models.PROTECT, db_index=False)
    number = models.CharField(max_length=64)
    currency = models.CharField(max_length=3)
    state = state_field(OrderState, OrderState.PAID)
    refund_state = models.CharField(max_length=24, default=OrderRefundState.NONE)
    version = models.BigIntegerField(null=True)
    resource_version = models.BigIntegerField(default=1)
    customer_name = models.CharField(max_length=200, default="", blank=True)
    customer_email = models.CharField(max_length=254, default="", blank=True)
    customer_phone = models.CharField(max_length=32, default="", blank=True)
    phone_changed_at = models.DateTimeField(null=True)
    email_changed_at = models.DateTimeField(null=True)
    customer_locale = models.CharField(max_length=16, default="", blank=True)
    customer_reference = models.CharField(max_length=100, default="", blank=True)
    labels = models.JSONField(default=dict)
    prices_include_tax = models.BooleanField(default=True)
    discounts = models.JSONField(default=list)
    stood = models.JSONField(default=dict)
    shipping_minor = models.BigIntegerField(default=0)
    shipping_tax_minor = models.BigIntegerField(default=0)
    shipping_supplement_minor = models.BigIntegerField(default=0)
    shipping_refunded_minor = models.BigIntegerField(default=0)
    shipping_tax_refunded_minor = models.BigIntegerField(default=0)
    shipping_before_minor = models.BigIntegerField(default=0)
    shipping_before_tax_minor = models.BigIntegerField(default=0)
    shipping_address = models.JSONField(default=dict)
    total_minor = models.BigIntegerField(default=0)
    non_refundable_minor = models.BigIntegerField(default=0)
    points_earned = models.BigIntegerField(default=0)
    invoice_number = models.CharField(max_length=64, default="", blank=True)
    invoice_issued_at = models.DateTimeField(null=True)
    replaces = models.CharField(max_length=40, default="", blank=True)
    legal_entity = models.CharField(max_length=200, default="", blank=True)
    tax_country = models.CharField(max_length=2, default="", blank=True)
    ordered_at = models.DateTimeField()
    expected_ship_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    ship_part = arrow(state, ORDER_ARROWS, "ship_part")
    ship_rest = arrow(state, ORDER_ARROWS, "ship_rest")
    deliver = arrow(state, ORDER_ARROWS, "deliver")
    cancel = arrow(state, ORDER_ARROWS, "cancel")
    reopen = arrow(state, ORDER_ARROWS, "reopen")

    class Meta:
        constraints = [
            # The number first: who looks his order up says no channel.
            models.UniqueConstraint(fields=["number", "channel"], name="order_number_once"),
            models.UniqueConstraint(fields=["replaces"], condition=~Q(replaces=""), name="order_replaces_once"),
            state_check("state", OrderState, name="order_state_known"),
            state_check("refund_state", OrderRefundState, name="order_refund_state_known"),
            models.CheckConstraint(
                condition=Q(shipping_refunded_minor__gte=0, shipping_tax_refunded_minor__gte=0),
                name="order_shipping_refund_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(shipping_supplement_minor__gte=0, shipping_minor__gte=F("shipping_supplement_minor")),
                name="order_supplement_within_shipping",
            ),
            models.CheckConstraint(
                condition=Q(
                    non_refundable_minor__gte=0, total_minor__gte=F("non_refundable_minor"), points_earned__gte=0
                ),
                name="order_deposit_within_total",
            ),
            models.CheckConstraint(
                condition=Q(
                    shipping_before_minor__gte=F("shipping_before_tax_minor"),
                    shipping_before_tax_minor__gte=0,
                    shipping_refunded_minor__gte=F("shipping_before_minor"),
                ),
                name="order_refunded_before_is_refunded",
            ),
        ]
        indexes = [
            models.Index(Upper("customer_email"), condition=~Q(customer_email=""), name="order_customer_email"),
            models.Index(CUSTOMER_DIGITS, condition=~Q(customer_phone=""), name="order_customer_phone"),
            GinIndex(CUSTOMER_WORDS, name="order_customer_words", fastupdate=False),
        ]

    def __str__(self) -> str:
        return self.number


class OrderLine(models.Model):
    """n units of one thing, with `line_id` as its name for life (default: the sku).

    Money is of the whole line: `list_minor` before discounts, `tax_minor` after them; with `prices_include_tax`
    the tax is contained in the price, else it comes on top. `refunded_minor` and `refunded_tax_minor` are what
    live and ended refunds take from this line, so that the next one takes exactly the rest; `adjusted_minor` and its
    tax are what they gave on its price, without a unit. `tax_rate` is the text the shop stated. `before_units`,
    `before_minor` and its tax had come back before the order came here; the refunded counters contain them.

    Unit counters: `shipped` and `delivered` by the carrier's word; `held` by refunds that have not ended;
    `refunded` by refunds that ended with money; `withheld` are those of held and refunded that never shipped;
    `refunded_unshipped` are those of refunded that never shipped.
    """

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="lines", db_index=False)
    line_id = models.CharField(max_length=100)
    position = models.IntegerField()
    sku = models.CharField(max_length=100)
    name = models.CharField(max_length=300)
    quantity = models.IntegerField()
    fulfilment = models.CharField(max_length=8, default=Fulfilment.SHIP)
    unit_price_minor = models.BigIntegerField(null=True)
    list_minor = models.BigIntegerField()
    tax_minor = models.BigIntegerField(default=0)
    tax_rate = models.CharField(max_length=12, default="", blank=True)
    labels = models.JSONField(default=dict)
    gift_for = models.CharField(max_length=100, default="", blank=True)
    bundle = models.CharField(max_length=100, default="", blank=True)
    shipped = models.IntegerField(default=0)
    delivered = models.IntegerField(default=0)
    held = models.IntegerField(default=0)
    refunded = models.IntegerField(default=0)
    withheld = models.IntegerField(default=0)
    refunded_unshipped = models.IntegerField(default=0)
    refunded_minor = models.BigIntegerField(default=0)
    refunded_tax_minor = models.BigIntegerField(default=0)
    adjusted_minor = models.BigIntegerField(default=0)
    adjusted_tax_minor = models.BigIntegerField(default=0)
    before_units = models.IntegerField(default=0)
    before_minor = models.BigIntegerField(default=0)
    before_tax_minor = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["order", "line_id"], name="order_line_id_once"),
            state_check("fulfilment", Fulfilment, name="line_fulfilment_known"),
            models.CheckConstraint(
                condition=Q(
                    shipped__gte=0,
                    delivered__gte=0,
                    held__gte=0,
                    refunded__gte=0,
                    withheld__gte=0,
                    list_minor__gte=0,
                ),
                name="line_counts_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(quantity__gte=F("held") + F("refunded")), name="line_unit_never_refunded_twice"
            ),
            models.CheckConstraint(
                condition=Q(quantity__gte=F("shipped") + F("withheld")), name="line_held_unit_never_shipped"
            ),
            models.CheckConstraint(
                condition=Q(shipped__gte=F("delivered"), withheld__gte=F("refunded_unshipped")),
                name="line_counts_nested",
            ),
            models.CheckConstraint(
                condition=Q(refunded_minor__gte=0, refunded_tax_minor__gte=0), name="line_refund_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(adjusted_minor__gte=F("adjusted_tax_minor"), adjusted_tax_minor__gte=0),
                name="line_adjustment_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(
                    before_units__gte=0,
                    refunded__gte=F("before_units"),
                    before_minor__gte=F("before_tax_minor"),
                    before_tax_minor__gte=0,
                    refunded_minor__gte=F("before_minor"),
                ),
                name="line_refunded_before_is_refunded",
            ),
        ]

    def __str__(self) -> str:
        return self.line_id
