"""A gateway and a messenger that say yes at once, in the caller's own process. Only the way out is missing."""

from datetime import datetime

from workers.ports import (
    Accepted,
    Budget,
    Capabilities,
    Delivered,
    Found,
    GatewayEvent,
    GatewayFact,
    GatewayStatus,
    Movement,
    OutgoingMessage,
    RefundPage,
)


class InstantGateway:
    capabilities = Capabilities()

    def refund(self, movement: Movement, *, budget: Budget) -> Accepted:
        return Accepted(
            GatewayFact(
                gateway_refund_id=f"gw-{movement.idempotency_key}",
                number=movement.number,
                status=GatewayStatus.SUCCEEDED,
                amount_minor=movement.amount_minor,
                currency=movement.currency,
            )
        )

    def look_up(self, payment_reference: str, number: str, *, budget: Budget) -> Found:
        return Found()

    def list_refunds(self, since: datetime, cursor: str, *, budget: Budget) -> RefundPage:
        return RefundPage(())

    def parse_webhook(self, headers: object, body: bytes) -> tuple[GatewayEvent, ...]:
        return ()


class InstantMessenger:
    def send(self, message: OutgoingMessage, *, budget: Budget) -> Delivered:
        return Delivered(message.identity)


GATEWAY = InstantGateway()
MESSENGERS = {"email": InstantMessenger(), "sms": InstantMessenger()}
