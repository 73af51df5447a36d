"""The shapes of answers about orders, for the served schema."""

from rest_framework import serializers as s

from orders.states import PaymentMethod


class OrderHead(s.Serializer):
    number = s.CharField()
    channel = s.CharField()
    state = s.CharField()
    refund_state = s.CharField()
    currency = s.CharField()
    total_minor = s.IntegerField()
    version = s.IntegerField(allow_null=True)
    resource_version = s.IntegerField()


class RouteUnits(s.Serializer):
    route = s.CharField()
    quantity = s.IntegerField()


class WhyNot(s.Serializer):
    code = s.CharField()
    detail = s.CharField()
    refunds = s.ListField(child=s.CharField())


class Limited(s.Serializer):
    """Units left of a line that no request gets but for one of `reasons` (none: for no reason at all), and what comes
    of them then."""

    code = s.ChoiceField(["excluded", "window_over"])
    rule = s.CharField(allow_null=True, help_text="The policy's rule that excludes them.")
    until = s.DateTimeField(allow_null=True, help_text="When the window for a change of mind ended.")
    quantity = s.IntegerField()
    reasons = s.ListField(child=s.CharField())
    not_received = s.BooleanField(help_text='Whether `goods: "not_received"` is as good as one of the reasons.')
    reasons_until = s.DateTimeField(allow_null=True, help_text="How long these reasons help; null: without an end.")
    amount_minor = s.IntegerField()
    routes = RouteUnits(many=True)


class Refundable(s.Serializer):
    """What is left of a line for who gives no reason; `route` is that of the first units a request would take."""

    quantity = s.IntegerField()
    amount_minor = s.IntegerField()
    route = s.CharField(allow_null=True)
    routes = RouteUnits(many=True)
    why_not = WhyNot(allow_null=True)
    until = s.DateTimeField(allow_null=True, help_text="When the policy's window for a change of mind ends.")
    excluded_by = s.CharField(allow_null=True, help_text="The policy's rule that takes none of it back unless faulty.")
    limited = Limited(many=True)


class Before(s.Serializer):
    """Of a line, what had come back before the order came here; the refunded counters contain it."""

    quantity = s.IntegerField()
    amount_minor = s.IntegerField()


class Line(s.Serializer):
    id = s.CharField()
    sku = s.CharField()
    name = s.CharField()
    quantity = s.IntegerField()
    fulfilment = s.CharField()
    unit_price_minor = s.IntegerField(allow_null=True)
    line_total_minor = s.IntegerField()
    tax_minor = s.IntegerField()
    tax_rate = s.CharField()
    labels = s.DictField()
    gift_for = s.CharField()
    bundle = s.CharField()
    shipped = s.IntegerField()
    delivered = s.IntegerField()
    held = s.IntegerField()
    refunded = s.IntegerField()
    refunded_minor = s.IntegerField()
    adjusted_minor = s.IntegerField(help_text="Given on its price by adjustments, without a unit.")
    refunded_before = Before()
    refundable = Refundable()


class PaymentState(s.Serializer):
    gateway = s.CharField()
    reference = s.CharField()
    method = s.ChoiceField(choices=[method.value for method in PaymentMethod])
    currency = s.CharField()
    captured_minor = s.IntegerField()
    carried_minor = s.IntegerField(help_text="Of it, what was paid for the goods that the order replaces.")
    reserved_minor = s.IntegerField()
    refunded_minor = s.IntegerField()
    disputed_minor = s.IntegerField()
    excess_minor = s.IntegerField(
        help_text="What has gone beyond what there was: it gives way before anything is free."
    )
    free_minor = s.IntegerField()
    refunded_before_minor = s.IntegerField()
    authorized_minor = s.IntegerField(allow_null=True)
    captured_at = s.DateTimeField(allow_null=True)


class ParcelLine(s.Serializer):
    id = s.CharField()
    quantity = s.IntegerField()


class ShipmentHead(s.Serializer):
    id = s.IntegerField()
    reference = s.CharField(allow_null=True)
    carrier = s.CharField()
    tracking_number = s.CharField()
    state = s.CharField()
    left = s.BooleanField()
    shipped_at = s.DateTimeField()
    delivered_at = s.DateTimeField(allow_null=True)


class ShipmentWhole(ShipmentHead):
    """`assumed_delivered`: no carrier has said so, and it counts as delivered: the customer has it, he says, or in time
    (policy `delivered_after_seconds`)."""

    assumed_delivered = s.BooleanField()
    lines = ParcelLine(many=True)


class RefundHead(s.Serializer):
    number = s.CharField()
    request = s.CharField()
    state = s.CharField()
    route = s.CharField()
    amount_minor = s.IntegerField()
    currency = s.CharField()
    created_at = s.DateTimeField()
    finished_at = s.DateTimeField(allow_null=True)


class NoMoney(s.Serializer):
    code = s.ChoiceField(choices=["not_captured", "money_not_left"])
    detail = s.CharField()


class StillRefundable(s.Serializer):
    amount_minor = s.IntegerField()
    shipping_minor = s.IntegerField()
    why_not = NoMoney(allow_null=True, help_text="Why not all that is left can be refunded at once.")


class Invoice(s.Serializer):
    number = s.CharField()
    issued_at = s.DateTimeField()


class OrderWhole(OrderHead):
    customer = s.DictField(child=s.CharField())
    labels = s.DictField()
    prices_include_tax = s.BooleanField()
    discounts = s.ListField(child=s.DictField())
    shipping_minor = s.IntegerField()
    shipping_tax_minor = s.IntegerField()
    shipping_supplement_minor = s.IntegerField()
    shipping_refunded_before_minor = s.IntegerField()
    shipping_address = s.DictField()
    non_refundable_minor = s.IntegerField()
    replaces = s.CharField(help_text="The refund whose goods it replaces.")
    points_earned = s.IntegerField()
    invoice = Invoice(allow_null=True)
    legal_entity = s.CharField()
    tax_country = s.CharField()
    ordered_at = s.DateTimeField()
    expected_ship_at = s.DateTimeField(allow_null=True)
    created_at = s.DateTimeField()
    updated_at = s.DateTimeField()
    lines = Line(many=True)
    payments = PaymentState(many=True)
    shipments = ShipmentWhole(many=True)
    refunds = RefundHead(many=True)
    overpaid_minor = s.IntegerField(help_text="Captured beyond the total, and not given back as such.")
    refundable = StillRefundable()


class FactTaken(ShipmentHead):
    applied = s.BooleanField(help_text="false: a repeated fact, or older than what is known")


class LinkAnswer(s.Serializer):
    url = s.CharField()
    token = s.CharField()
    purpose = s.CharField()
    expires_at = s.DateTimeField()
