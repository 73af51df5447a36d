"""The parcel on its way home: fetched by a courier, or posted by the customer himself."""

from django.db import models
from django.db.models import Q

from orders.models.call import OutsideCall
from orders.models.machine import arrow, state_check, state_field
from refunds.models.refund import Refund
from refunds.states import PICKUP_ARROWS, PickupState


class Pickup(OutsideCall):
    """`number` is ours for life; `waybill` is the courier's, one per booking. The key is `number`, or `number.key_no`
    once a booking was refused or missed. `account` is empty for a parcel the customer posted. `booked_as` is the number
    that the courier has it under, where that is another one's: of a second booking.

    `drop_off`: nobody comes, the customer hands it in with the courier's label, which is at `label_url` if it has an
    address.

    `fact_at` is the carrier's time of the newest fact: older ones change nothing. `collected_at`: since when a carrier
    has had it, by his own word. `unwanted`: a second booking under
    our number, to be cancelled. `missed`: how often the courier found nobody or did not come.
    """

    refund = models.ForeignKey(Refund, on_delete=models.PROTECT, related_name="pickups")
    number = models.CharField(max_length=56)
    booked_as = models.CharField(max_length=56, default="", blank=True)
    state = state_field(PickupState, PickupState.INTENDED)
    account = models.CharField(max_length=60, default="", blank=True)
    carrier = models.CharField(max_length=60, default="", blank=True)
    waybill = models.CharField(max_length=100, default="", blank=True)
    key_no = models.IntegerField(default=0)
    drop_off = models.BooleanField(default=False)
    label_url = models.CharField(max_length=500, default="", blank=True)
    slot_from = models.DateTimeField(null=True)
    slot_to = models.DateTimeField(null=True)
    missed = models.IntegerField(default=0)
    refusal = models.CharField(max_length=60, default="", blank=True)
    unwanted = models.BooleanField(default=False)
    fact_at = models.DateTimeField(null=True)
    collected_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    book = arrow(state, PICKUP_ARROWS, "book")
    collect = arrow(state, PICKUP_ARROWS, "collect")
    move_on = arrow(state, PICKUP_ARROWS, "move_on")
    receive = arrow(state, PICKUP_ARROWS, "receive")
    miss = arrow(state, PICKUP_ARROWS, "miss")
    rebook = arrow(state, PICKUP_ARROWS, "rebook")
    lose = arrow(state, PICKUP_ARROWS, "lose")
    refuse = arrow(state, PICKUP_ARROWS, "refuse")
    cancel = arrow(state, PICKUP_ARROWS, "cancel")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["number"], name="pickup_number_once"),
            state_check("state", PickupState, name="pickup_state_known"),
            models.CheckConstraint(condition=Q(call__in=["idle", "sent", "unknown"]), name="pickup_call_known"),
        ]
        indexes = [models.Index(fields=["waybill"], condition=~Q(waybill=""), name="pickup_waybill")]

    def __str__(self) -> str:
        return self.number

    @property
    def idempotency_key(self) -> str:
        return f"{self.number}.{self.key_no}" if self.key_no else self.number
