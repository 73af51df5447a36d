"""The refund: the case and its decision. The money is `GatewayRefund`, the message `Notification`."""

from django.db import models
from django.db.models import F, Q

from orders.models import Order, OrderLine, Principal, Shipment
from orders.models.machine import arrow, state_check, state_field
from orders.states import ShipmentState
from refunds.models.policy import PolicyVersion
from refunds.states import (
    FINAL_STATES,
    REFUND_ARROWS,
    Goods,
    HeldFor,
    Initiator,
    Place,
    Proof,
    RefundState,
    Rejection,
    Remedy,
    Route,
    Stop,
    WayBack,
)


class Refund(models.Model):
    """One refund goes one route. Refunds asked for together share `request_id`, the id of the first of them.

    `number` is `PREFIX-id`, a name for life. `next_reconcile_at` is the one business clock: when the engine looks at
    the row again. `generation` moves with what is wanted, `resource_version` with anything a client can see.
    `event_seq` and `event_head` are the end of the hash chain of its events. `failures` counts syncs that raised.
    `rejection` is what an agent said, `rejection_code` what kind of rejection it was. `boxes`: in how many the goods
    are to come home, and `way_back` how. `stop`: whether its units were kept from leaving. `second_by` has agreed to
    what `second_for` stands for (`refunds.approving`), and to `second_most_minor` at most; or has let it pass alone,
    and `second_bypass` says why. `offered_minor`: what the customer may have and keep the goods, as `offered_by`
    offers; it stays when he has answered. `rejected_by`: who refused it, or a part of it, last; `contest_until`: so
    long that can be contested, `contests`: how often it was; `contest_of`: the refund of which this one has the units
    that were refused. `held_for`: whose answer a hold waits for. `proof`: of the delivery, asked for until
    `proof_until`, with what was said of it. `customer_wrote_at`: since when nobody has answered him. `target_by`: who
    has had its money go elsewhere, and `target_at` when; `code_until`: so long a change of that waits for the
    customer's code. `remedy`: what he is to get; `replaced_by`: the order that he got instead of the money.
    """

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="refunds")
    request_id = models.BigIntegerField()
    number = models.CharField(max_length=40)
    state = state_field(RefundState, RefundState.REQUESTED)
    route = models.CharField(max_length=16)
    goods = models.CharField(max_length=16, default=Goods.RETURN)
    reason_code = models.CharField(max_length=40, default="", blank=True)
    note = models.TextField(default="", blank=True)
    pickup_address = models.JSONField(null=True)
    boxes = models.IntegerField(default=1)
    way_back = models.CharField(max_length=8, default=WayBack.PICKUP)
    requested_by = models.CharField(max_length=60)
    requested_role = models.CharField(max_length=16)
    initiator = models.CharField(max_length=8, default=Initiator.CUSTOMER)
    currency = models.CharField(max_length=3)
    amount_minor = models.BigIntegerField()
    sheet = models.JSONField(default=dict)
    policy_version = models.ForeignKey(PolicyVersion, on_delete=models.PROTECT, db_index=False)
    conditions = models.JSONField(default=list)
    generation = models.IntegerField(default=1)
    observed_generation = models.IntegerField(default=0)
    resource_version = models.BigIntegerField(default=1)
    next_reconcile_at = models.DateTimeField(null=True)
    deadline = models.DateTimeField(null=True)
    acknowledged_at = models.DateTimeField(null=True)
    reminded_at = models.DateTimeField(null=True)
    approved_at = models.DateTimeField(null=True)
    approved_by = models.CharField(max_length=60, default="", blank=True)
    second_at = models.DateTimeField(null=True)
    second_by = models.CharField(max_length=60, default="", blank=True)
    second_for = models.CharField(max_length=64, default="", blank=True)
    second_most_minor = models.BigIntegerField(default=0)
    second_bypass = models.CharField(max_length=500, default="", blank=True)
    offered_minor = models.BigIntegerField(null=True)
    offered_by = models.CharField(max_length=60, default="", blank=True)
    offer_note = models.TextField(default="", blank=True)
    rejection = models.TextField(default="", blank=True)
    rejection_code = models.CharField(max_length=20, default="", blank=True)
    rejected_by = models.CharField(max_length=60, default="", blank=True)
    contest_until = models.DateTimeField(null=True)
    contests = models.IntegerField(default=0)
    contest_of = models.ForeignKey("self", on_delete=models.PROTECT, null=True, db_index=False, related_name="+")
    stop = models.CharField(max_length=12, default=Stop.ASSUMED.value, blank=True)
    received_at = models.DateTimeField(null=True)
    inspected_at = models.DateTimeField(null=True)
    cancel_wanted_by = models.CharField(max_length=60, default="", blank=True)
    held_from = models.DateTimeField(null=True)
    held_until = models.DateTimeField(null=True)
    proof = models.CharField(max_length=8, default="", blank=True)
    proof_until = models.DateTimeField(null=True)
    proof_note = models.TextField(default="", blank=True)
    held_for = models.CharField(max_length=12, default="", blank=True)
    customer_wrote_at = models.DateTimeField(null=True)
    remedy = models.CharField(max_length=12, default=Remedy.MONEY)
    replaced_by = models.CharField(max_length=64, default="", blank=True)
    target_by = models.CharField(max_length=60, default="", blank=True)
    target_at = models.DateTimeField(null=True)
    code_until = models.DateTimeField(null=True)
    assignee = models.ForeignKey(Principal, on_delete=models.PROTECT, null=True, blank=True, db_index=False)
    failures = models.IntegerField(default=0)
    event_seq = models.IntegerField(default=0)
    event_head = models.BinaryField(default=b"")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    pay_at_once = arrow(state, REFUND_ARROWS, "pay_at_once")
    send_to_review = arrow(state, REFUND_ARROWS, "send_to_review")
    await_return = arrow(state, REFUND_ARROWS, "await_return")
    offer = arrow(state, REFUND_ARROWS, "offer")
    accept_offer = arrow(state, REFUND_ARROWS, "accept_offer")
    decline_offer = arrow(state, REFUND_ARROWS, "decline_offer")
    approve_return = arrow(state, REFUND_ARROWS, "approve_return")
    approve_refund = arrow(state, REFUND_ARROWS, "approve_refund")
    reject = arrow(state, REFUND_ARROWS, "reject")
    receive = arrow(state, REFUND_ARROWS, "receive")
    return_fails = arrow(state, REFUND_ARROWS, "return_fails")
    pay_uninspected = arrow(state, REFUND_ARROWS, "pay_uninspected")
    expire = arrow(state, REFUND_ARROWS, "expire")
    accept_goods = arrow(state, REFUND_ARROWS, "accept_goods")
    refuse_goods = arrow(state, REFUND_ARROWS, "refuse_goods")
    succeed = arrow(state, REFUND_ARROWS, "succeed")
    fail = arrow(state, REFUND_ARROWS, "fail")
    recall = arrow(state, REFUND_ARROWS, "recall")
    retry = arrow(state, REFUND_ARROWS, "retry")
    settle = arrow(state, REFUND_ARROWS, "settle")
    close_partly = arrow(state, REFUND_ARROWS, "close_partly")
    close_unmoved = arrow(state, REFUND_ARROWS, "close_unmoved")
    reverse = arrow(state, REFUND_ARROWS, "reverse")
    cancel = arrow(state, REFUND_ARROWS, "cancel")
    reopen = arrow(state, REFUND_ARROWS, "reopen")
    goods_arrive = arrow(state, REFUND_ARROWS, "goods_arrive")

    class Meta:
        indexes = [
            models.Index(
                fields=["next_reconcile_at", "id"],
                condition=Q(next_reconcile_at__isnull=False),
                name="refund_due",
            )
        ]
        constraints = [
            state_check("state", RefundState, name="refund_state_known"),
            state_check("route", Route, name="refund_route_known"),
            state_check("goods", Goods, name="refund_goods_known"),
            state_check("initiator", Initiator, name="refund_initiator_known"),
            state_check("stop", Stop, name="refund_stop_known"),
            state_check("remedy", Remedy, name="refund_remedy_known"),
            state_check("held_for", HeldFor, name="refund_held_for_known"),
            state_check("proof", Proof, name="refund_proof_known"),
            models.CheckConstraint(
                condition=Q(rejection_code__in=["", *(r.value for r in Rejection)]), name="refund_rejection_known"
            ),
            models.CheckConstraint(condition=Q(amount_minor__gte=0), name="refund_amount_not_negative"),
            models.CheckConstraint(condition=Q(boxes__gte=1), name="refund_comes_in_boxes"),
            models.CheckConstraint(condition=Q(way_back__in=list(WayBack)), name="refund_way_back_known"),
            models.CheckConstraint(
                condition=~Q(state=RefundState.OFFERED) | Q(offered_minor__gt=0, offered_minor__lte=F("amount_minor")),
                name="refund_offer_within_amount",
            ),
            models.CheckConstraint(
                condition=Q(state__in=sorted(FINAL_STATES)) | Q(next_reconcile_at__isnull=False),
                name="refund_open_has_a_clock",
            ),
            models.CheckConstraint(
                condition=Q(generation__gte=F("observed_generation")),
                name="refund_observed_within_generation",
            ),
        ]

    def __str__(self) -> str:
        return self.number


class RefundLine(models.Model):
    """Units of one line, in one place (`shipment` null: unshipped), that this refund is about.

    `quantity` is what is still to be paid for: approval and inspection lower it from the `announced`. `accepted`,
    `damaged`, `wrong_item` and `missing` are what the inspection found, `disposition` what becomes of
    those that were accepted last. A row that never announced a unit is an
    adjustment of the line's price.
    """

    refund = models.ForeignKey(Refund, on_delete=models.PROTECT, related_name="lines", db_index=False)
    order_line = models.ForeignKey(OrderLine, on_delete=models.PROTECT, db_index=False)
    shipment = models.ForeignKey(Shipment, on_delete=models.PROTECT, null=True, db_index=False)
    quantity = models.IntegerField()
    announced = models.IntegerField()
    accepted = models.IntegerField(default=0)
    damaged = models.IntegerField(default=0)
    wrong_item = models.IntegerField(default=0)
    missing = models.IntegerField(default=0)
    disposition = models.CharField(max_length=12, default="", blank=True)
    amount_minor = models.BigIntegerField()
    tax_minor = models.BigIntegerField()

    @property
    def is_adjustment(self) -> bool:
        return not self.announced

    @property
    def place(self) -> Place:
        """Where the units are, as far as carriers have said; reads the shipment."""
        if self.shipment is None:
            return Place.UNSHIPPED
        return Place.DELIVERED if self.shipment.state == ShipmentState.DELIVERED else Place.IN_TRANSIT

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["refund", "order_line", "shipment"], name="refund_line_once", nulls_distinct=False
            ),
            models.CheckConstraint(
                condition=Q(quantity__gte=0) & Q(announced__gte=F("quantity")),
                name="refund_line_has_units",
            ),
        ]
