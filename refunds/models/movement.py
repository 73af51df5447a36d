"""The money: one movement of one refund on one payment share."""

from django.db import models
from django.db.models import F, Q

from orders.models import PaymentShare
from orders.models.call import OutsideCall
from orders.models.machine import arrow, state_check, state_field
from refunds.destinations import Destination
from refunds.models.refund import Refund
from refunds.states import MOVEMENT_ARROWS, MovementKind, MovementState


class GatewayRefund(OutsideCall):
    """`number` is its name for life, unique over installations by the prefix. Amount, currency, payment, target and
    payee freeze at the first claim (a trigger holds that).

    The idempotency key is the number, `number-void` for the end of a hold, with `.key_no` from 1 on; `key_no` rises
    only after a definite failure where a failed key is final, or after a 5xx *answer* that a look-up then finds absent.
    `server_error` says that the last answer was such a 5xx. `gateway_refund_id` is the gateway's id that counts;
    `failed_ids` are those under our number whose failure is booked, whatever key they were sent with. A reversed one
    that is paid again names the movement that does so: `replaced_by`. `target` is the account it goes to instead of
    back to its payment, `payee` whom that account pays there; `receipt` what the gateway tells the books of the refund
    whose id it holds (`workers.ports.Receipt`).
    `disputed_minor` of it, as long as it has not left, is not reserved but withheld by an open dispute.
    """

    refund = models.ForeignKey(Refund, on_delete=models.PROTECT, related_name="gateway_refunds")
    share = models.ForeignKey(PaymentShare, on_delete=models.PROTECT, related_name="gateway_refunds", db_index=False)
    number = models.CharField(max_length=48)
    kind = models.CharField(max_length=8, default=MovementKind.REFUND.value)
    state = state_field(MovementState, MovementState.INTENDED)
    amount_minor = models.BigIntegerField()
    disputed_minor = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=3)
    target = models.CharField(max_length=60, default="", blank=True)
    payee = models.CharField(max_length=100, default="", blank=True)
    key_no = models.IntegerField(default=0)
    server_error = models.BooleanField(default=False)
    gateway_refund_id = models.CharField(max_length=200, null=True)
    failed_ids = models.JSONField(default=list)
    failure_code = models.CharField(max_length=60, default="", blank=True)
    first_sent_at = models.DateTimeField(null=True)
    accepted_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True)
    replaced_by = models.CharField(max_length=48, default="", blank=True)
    receipt = models.JSONField(default=dict)

    accept = arrow(state, MOVEMENT_ARROWS, "accept")
    succeed = arrow(state, MOVEMENT_ARROWS, "succeed")
    fail = arrow(state, MOVEMENT_ARROWS, "fail")
    reverse = arrow(state, MOVEMENT_ARROWS, "reverse")
    cancel = arrow(state, MOVEMENT_ARROWS, "cancel")
    record_external = arrow(state, MOVEMENT_ARROWS, "record_external")
    intend_again = arrow(state, MOVEMENT_ARROWS, "intend_again")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(payee="") | ~Q(target=""), name="movement_payee_of_an_account"),
            models.UniqueConstraint(fields=["number"], name="movement_number_once"),
            state_check("state", MovementState, name="movement_state_known"),
            models.CheckConstraint(condition=Q(call__in=["idle", "sent", "unknown"]), name="movement_call_known"),
            state_check("kind", MovementKind, name="movement_kind_known"),
            models.CheckConstraint(condition=Q(amount_minor__gte=1), name="movement_moves_something"),
            models.CheckConstraint(
                condition=Q(disputed_minor=0)
                | Q(disputed_minor__gt=0, disputed_minor__lte=F("amount_minor"), state=MovementState.INTENDED),
                name="movement_disputed_unsent",
            ),
            models.CheckConstraint(
                condition=Q(replaced_by="") | Q(state=MovementState.REVERSED), name="movement_replaced_once_reversed"
            ),
            models.CheckConstraint(
                condition=~Q(call="sent") | Q(sent_at__isnull=False, answer_due_at__isnull=False),
                name="movement_sent_has_a_clock",
            ),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def destination(self) -> Destination:
        return Destination(self.target, self.payee)

    @destination.setter
    def destination(self, to: Destination) -> None:
        self.target, self.payee = to

    @property
    def idempotency_key(self) -> str:
        name = f"{self.number}-void" if self.kind == MovementKind.VOID else self.number
        return f"{name}.{self.key_no}" if self.key_no else name
