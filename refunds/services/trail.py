"""What is written about a refund beside its money: events, messages owed, cases for people, its clock."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from django.db import models

from orders.roles import Actor
from refunds import records
from refunds.chain import Event, anchor, link
from refunds.incidents import INCIDENT_DUE
from refunds.models import Incident, Notification, Refund, RefundEvent
from refunds.policy import PolicySpec
from refunds.services.changes import Changes
from refunds.services.loaded import Loaded


class Trail(Loaded):
    def __init__(self, order_ids: Collection[int], *, now: datetime) -> None:
        super().__init__(order_ids, now=now)
        self.changes = Changes()
        self._ids: dict[type[models.Model], Iterator[int]] = {}

    def new_id(self, model: type[models.Model]) -> int:
        """A fresh id, fetched in blocks of as many as there are cases."""
        if model not in self._ids:
            [self._ids[model]] = records.id_sources(model, block=max(1, len(self.movements)))
        return next(self._ids[model])

    def record(self, refund: Refund, kind: str, data: dict[str, Any], actor: Actor) -> None:
        """Append an event to the refund's chain."""
        refund.event_seq += 1
        event = Event(refund.event_seq, kind, data, actor.reference, actor.role.value, self.now)
        refund.event_head = link(bytes(refund.event_head) or anchor(refund.number), event)
        self.changes.events.append(
            records.new(
                RefundEvent,
                refund_id=refund.id,
                seq=event.seq,
                kind=kind,
                data=data,
                actor=event.actor,
                role=event.role,
                occurred_at=self.now,
                hash=refund.event_head,
            )
        )
        self.touch(refund)

    def tell(self, refund: Refund, template: str, policy: PolicySpec) -> None:
        """Owe the customer a message about the refund's last event, over each channel that reaches him."""
        order = self.orders[refund.order_id]
        reach = {"email": order.customer_email, "sms": order.customer_phone}
        for channel in policy.channels_for(template):
            if reach[channel]:
                self.owe(refund, template, channel)
        refund.acknowledged_at = refund.acknowledged_at or self.now
        self.touch(refund)

    def owe(self, refund: Refund, template: str, channel: str) -> None:
        """A message about the refund's last event, over this channel."""
        owed = records.new(
            Notification,
            refund_id=refund.id,
            event_seq=refund.event_seq,
            channel=channel,
            template=template,
            next_reconcile_at=self.now,
            created_at=self.now,
        )
        self.changes.notifications.append(owed)

    def open_incident(self, refund: Refund, kind: str, data: dict[str, Any]) -> None:
        """A case for a person; nothing new while one of the kind is open on the refund."""
        if kind not in self.incidents[refund.id]:
            self.incidents[refund.id][kind] = self._open(kind, refund.order_id, refund.id, data)

    def open_case(self, order_id: int | None, kind: str, data: dict[str, Any]) -> None:
        """A case about an order and none of its refunds, or about nothing we know."""
        self._open(kind, order_id, None, data)

    def close_incidents(self, refund: Refund, *, actor: Actor, note: str, kinds: Collection[str] | None = None) -> None:
        """The cases of the refund, of all kinds or these, are over."""
        for kind, incident in list(self.incidents[refund.id].items()):
            if kinds is None or kind in kinds:
                self.end_incident(incident, actor=actor, note=note)
                del self.incidents[refund.id][kind]

    def end_incident(self, incident: Incident, *, actor: Actor, note: str) -> None:
        """A case is over, whatever it is about."""
        incident.closed_at, incident.closed_by, incident.note = self.now, actor.reference, note
        self.changes.closed.append(incident)

    def decide_anew(self, refund: Refund) -> None:
        """Something of the decision itself has changed: route, amount, approval, hold."""
        self.changes.decisions[refund.id] = refund
        self.touch(refund)

    def touch(self, refund: Refund) -> None:
        """Something a client can see has changed."""
        self.changes.visible.add(refund.id)
        self.changes.refunds[refund.id] = refund

    def set_clock(self, refund: Refund, next_reconcile_at: datetime | None) -> None:
        """Move the next look, which no client sees as a change. A stored one that is still ahead and earlier stays."""
        stored = refund.next_reconcile_at
        is_early_enough = stored and next_reconcile_at and self.now < stored <= next_reconcile_at
        if stored != next_reconcile_at and not is_early_enough:
            refund.next_reconcile_at = next_reconcile_at
            self.changes.refunds[refund.id] = refund

    def _open(self, kind: str, order_id: int | None, refund_id: int | None, data: dict[str, Any]) -> Incident:
        due_at = self.now + INCIDENT_DUE
        incident = Incident(
            kind=kind, order_id=order_id, refund_id=refund_id, data=data, opened_at=self.now, due_at=due_at
        )
        self.changes.incidents.append(incident)
        return incident
