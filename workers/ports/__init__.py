"""What the engine asks of the outside world, and what each reply means for money.

Replies are values, not exceptions: an adapter translates everything its vendor may do into one of the four
kinds of `Reply`, and the engine decides by the kind alone. When an adapter is in doubt it says `Unknown`;
saying `Refused` or `NotSent` of a call that may have arrived pays a customer twice, or sends two couriers to one
door; saying `Unknown` of one that did not costs a look-up.
"""

from workers.ports.calls import (
    BadPayload,
    BadSignature,
    BadWebhook,
    Budget,
    Capabilities,
    NotSent,
    Refused,
    Unknown,
)
from workers.ports.couriers import (
    Booked,
    Booking,
    Cancellation,
    Cancelled,
    Courier,
    CourierEvent,
    Intercepting,
    Interception,
    InterceptOrder,
    ParcelFact,
    ParcelLookUp,
    ParcelsFound,
    ParcelStatus,
    PickupOrder,
    Slot,
    SlotListing,
)
from workers.ports.gateways import (
    MOST_MINOR,
    Accepted,
    Found,
    GatewayEvent,
    GatewayFact,
    GatewayStatus,
    LookUp,
    Movement,
    PaymentGateway,
    RefundListing,
    RefundPage,
    Reply,
)
from workers.ports.messengers import (
    Delivered,
    Delivery,
    Messenger,
    OutgoingMessage,
)

__all__ = [
    "MOST_MINOR",
    "Accepted",
    "BadPayload",
    "BadSignature",
    "BadWebhook",
    "Booked",
    "Booking",
    "Budget",
    "Cancellation",
    "Cancelled",
    "Capabilities",
    "Courier",
    "CourierEvent",
    "Delivered",
    "Delivery",
    "Found",
    "GatewayEvent",
    "GatewayFact",
    "GatewayStatus",
    "InterceptOrder",
    "Intercepting",
    "Interception",
    "LookUp",
    "Messenger",
    "Movement",
    "NotSent",
    "OutgoingMessage",
    "ParcelFact",
    "ParcelLookUp",
    "ParcelStatus",
    "ParcelsFound",
    "PaymentGateway",
    "PickupOrder",
    "RefundListing",
    "RefundPage",
    "Refused",
    "Reply",
    "Slot",
    "SlotListing",
    "Unknown",
]
