"""Captured money: a payment at a gateway account, and the share of it that each order may give back."""

from django.db import models
from django.db.models import F, Q

from orders.models.channel import Channel
from orders.models.machine import state_check
from orders.models.order import Order
from orders.states import PaymentMethod


class Payment(models.Model):
    """One payment at a gateway account; usually for one order, sometimes shared by several of the same channel.

    `method` is what the customer paid with, whatever the account is called.
    """

    channel = models.ForeignKey(Channel, on_delete=models.PROTECT, db_index=False)
    account = models.CharField(max_length=60)
    reference = models.CharField(max_length=200)
    method = models.CharField(max_length=12, default=PaymentMethod.CARD)
    currency = models.CharField(max_length=3)
    total_minor = models.BigIntegerField()
    allocated_minor = models.BigIntegerField(default=0)
    authorized_minor = models.BigIntegerField(null=True)
    captured_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "reference"], name="payment_reference_once"),
            state_check("method", PaymentMethod, name="payment_method_known"),
            models.CheckConstraint(
                condition=Q(total_minor__gte=F("allocated_minor")) & Q(allocated_minor__gte=0),
                name="payment_never_overallocated",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.account}:{self.reference}"


class PaymentShare(models.Model):
    """What one order has of one payment. Every column is the sum of its ledger entries (`LedgerEntry`).

    `authorized_minor` is held for the order and not captured (yet). The CHECKs are the promise "never money too much":
    what is intended never exceeds what was captured or is held, and what is paid back never what was captured. Facts
    from outside are never refused; what they take beyond it stands in `excess_minor` and opens an incident.
    `before_minor` had come back before the order came here; `refunded_minor` contains it. `carried_minor` of what was
    captured was paid for the goods that the order replaces, and is not the shop's to state.
    """

    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="shares", db_index=False)
    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="shares")
    authorized_minor = models.BigIntegerField(default=0)
    captured_minor = models.BigIntegerField(default=0)
    reserved_minor = models.BigIntegerField(default=0)
    refunded_minor = models.BigIntegerField(default=0)
    disputed_minor = models.BigIntegerField(default=0)
    excess_minor = models.BigIntegerField(default=0)
    before_minor = models.BigIntegerField(default=0)
    carried_minor = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["payment", "order"], name="payment_share_once"),
            models.CheckConstraint(
                condition=Q(
                    captured_minor__gte=F("reserved_minor")
                    + F("refunded_minor")
                    + F("disputed_minor")
                    - F("excess_minor")
                    - F("authorized_minor")
                ),
                name="payment_never_overspent",
            ),
            models.CheckConstraint(
                condition=Q(captured_minor__gte=F("refunded_minor") + F("disputed_minor") - F("excess_minor")),
                name="payment_gone_within_captured",
            ),
            models.CheckConstraint(
                condition=Q(
                    authorized_minor__gte=0,
                    captured_minor__gte=0,
                    reserved_minor__gte=0,
                    refunded_minor__gte=0,
                    disputed_minor__gte=0,
                    excess_minor__gte=0,
                    before_minor__gte=0,
                ),
                name="payment_sums_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(carried_minor__gte=0, captured_minor__gte=F("carried_minor")),
                name="payment_carried_within_captured",
            ),
        ]

    @property
    def stated_minor(self) -> int:
        """What the shop has stated as captured."""
        return self.captured_minor - self.carried_minor

    @property
    def taken_minor(self) -> int:
        """Spoken for or gone, as far as there was money for it."""
        return self.reserved_minor + self.refunded_minor + self.disputed_minor - self.excess_minor

    @property
    def free_minor(self) -> int:
        """What a new refund may still take, in minor units; negative while a fact is being booked that takes more."""
        return self.captured_minor + self.authorized_minor - self.taken_minor

    @property
    def unspent_minor(self) -> int:
        """What of the captured money has not gone and is not disputed; negative like `free_minor`."""
        return self.captured_minor - self.refunded_minor - self.disputed_minor + self.excess_minor

    @property
    def room_minor(self) -> int:
        """How far the facts are from taking more than there is; negative: so much is excess."""
        return min(self.free_minor, self.unspent_minor)
