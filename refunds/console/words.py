"""What stands in the rows as a word for machines, in words for people."""

from django.utils.translation import gettext_lazy as _

from orders.roles import Role
from orders.states import OrderRefundState, OrderState, ShipmentState
from refunds.actions import Action
from refunds.destinations import Instrument
from refunds.selectors.queues import Queue
from refunds.states import (
    Goods,
    MovementState,
    NotificationState,
    PickupState,
    Place,
    RefundState,
    Rejection,
    Remedy,
    Route,
    WayBack,
)

STATES = {
    RefundState.REQUESTED: _("Requested"),
    RefundState.IN_REVIEW: _("In review"),
    RefundState.OFFERED: _("Offered"),
    RefundState.AWAITING_RETURN: _("Awaiting return"),
    RefundState.INSPECTING: _("Being inspected"),
    RefundState.REFUNDING: _("Being paid"),
    RefundState.REFUNDED: _("Refunded"),
    RefundState.PARTIALLY_REFUNDED: _("Refunded in part"),
    RefundState.FAILED: _("Payment failed"),
    RefundState.REJECTED: _("Rejected"),
    RefundState.EXPIRED: _("Expired"),
    RefundState.CANCELLED: _("Cancelled"),
}
#: How a state looks.
TONES = {
    RefundState.IN_REVIEW: "warning",
    RefundState.OFFERED: "warning",
    RefundState.AWAITING_RETURN: "info",
    RefundState.INSPECTING: "warning",
    RefundState.REFUNDING: "info",
    RefundState.REFUNDED: "success",
    RefundState.PARTIALLY_REFUNDED: "success",
    RefundState.FAILED: "danger",
}
ROUTES = {
    Route.INSTANT: _("At once, not shipped"),
    Route.INTERCEPT: _("Stop the parcel"),
    Route.PICKUP: _("Fetched by courier"),
    Route.REFUND_ONLY: _("Without goods"),
}
GOODS = {
    Goods.RETURN: _("The goods come back"),
    Goods.KEEP: _("The customer keeps the goods"),
    Goods.NOT_RECEIVED: _("The customer has not received them"),
    Goods.ALREADY_SENT: _("The customer has sent them already"),
}
#: What the messages to the customer word themselves.
REJECTIONS = {
    Rejection.NOTHING_ACCEPTED: _("Nothing of what came back could be accepted"),
    Rejection.NOT_REVIEWED: _("Nobody reviewed it in time"),
}
PLACES = {
    Place.UNSHIPPED: _("not shipped"),
    Place.IN_TRANSIT: _("on the way"),
    Place.DELIVERED: _("delivered"),
}
ORDER_STATES = {
    OrderState.PAID: _("Paid"),
    OrderState.PARTIALLY_SHIPPED: _("Shipped in part"),
    OrderState.SHIPPED: _("Shipped"),
    OrderState.DELIVERED: _("Delivered"),
    OrderState.CANCELLED: _("Cancelled"),
}
ORDER_REFUND_STATES = {
    OrderRefundState.NONE: _("No refund"),
    OrderRefundState.REFUND_REQUESTED: _("Refund under way"),
    OrderRefundState.PARTIALLY_REFUNDED: _("Refunded in part"),
    OrderRefundState.REFUNDED: _("Refunded"),
}
SHIPMENTS = {
    ShipmentState.SHIPPED: _("On its way"),
    ShipmentState.DELIVERED: _("Delivered"),
    ShipmentState.INTERCEPTING: _("Being stopped"),
    ShipmentState.RETURNING: _("Coming back"),
    ShipmentState.RETURNED: _("Came back"),
    ShipmentState.LOST: _("Lost"),
    ShipmentState.REFUSED: _("Not accepted"),
}
PICKUPS = {
    PickupState.INTENDED: _("To be booked"),
    PickupState.BOOKED: _("Booked"),
    PickupState.COLLECTED: _("Collected"),
    PickupState.IN_TRANSIT: _("On its way"),
    PickupState.RECEIVED: _("Received"),
    PickupState.MISSED: _("Missed"),
    PickupState.LOST: _("Lost"),
    PickupState.REFUSED: _("Not handed over"),
    PickupState.CANCELLED: _("Called off"),
}
MOVEMENTS = {
    MovementState.INTENDED: _("To be sent"),
    MovementState.PENDING: _("At the gateway"),
    MovementState.SUCCEEDED: _("Paid"),
    MovementState.FAILED: _("Failed"),
    MovementState.REVERSED: _("Sent back by the bank"),
    MovementState.CANCELLED: _("Not needed any more"),
    MovementState.EXTERNAL: _("Paid outside"),
}
#: Of a hold that is to end, where its states mean something else than those of money that moves.
HOLDS = {
    MovementState.INTENDED: _("Hold to be ended"),
    MovementState.SUCCEEDED: _("Hold released"),
    MovementState.EXTERNAL: _("Hold released"),
}
#: Of money that is another order's now.
EXCHANGES = {MovementState.EXTERNAL: _("Pays for the order that replaces it")}
CALLS = {"sent": _("Waiting for an answer"), "unknown": _("Outcome unknown: being asked")}
MESSAGES = {
    NotificationState.PENDING: _("On its way"),
    NotificationState.SENT: _("Sent"),
    NotificationState.FAILED: _("Not delivered"),
}
BAD = {"failed", "reversed", "missed", "lost", "refused"}
GOOD = {"succeeded", "sent", "received", "external", "delivered", "returned"}
MESSAGE_CHANNELS = {"email": _("E-mail"), "sms": _("SMS")}
TEMPLATES = {
    "received": _("Request received"),
    "approved": _("Approved"),
    "pickup_booked": _("Courier booked"),
    "label_ready": _("Label made"),
    "pickup_missed": _("Courier missed the customer"),
    "reminder": _("Reminder to hand the goods over"),
    "parcel_doubted": _("Something about the parcel has to be cleared up"),
    "parcel_checked": _("Amount changed by the inspection"),
    "replacing": _("Another one is to come"),
    "replaced": _("Another one was sent"),
    "rejected": _("Rejected"),
    "offered": _("An offer"),
    "offer_reminder": _("Reminder of the offer"),
    "offer_expired": _("The offer has ended"),
    "question": _("A question"),
    "message": _("A message"),
    "not_stopped": _("The parcel cannot be stopped"),
    "expired": _("Expired"),
    "refunded": _("Refunded"),
    "refunded_at_once": _("Refunded at once"),
    "failed": _("Payment failed"),
    "reversed": _("The bank sent the money back"),
    "target_code": _("Code for another target"),
    "target_set": _("The money goes elsewhere"),
    "closed_in_part": _("Closed in part"),
    "cancelled": _("Cancelled"),
}
WAYS_BACK = {WayBack.PICKUP: _("fetched by a courier"), WayBack.DROP_OFF: _("handed in with a label")}
REMEDIES = {Remedy.MONEY: _("Money"), Remedy.REPLACEMENT: _("Another one of the same")}
INSTRUMENTS = {
    Instrument.ORIGINAL: _("Back to how it was paid"),
    Instrument.STORE_CREDIT: _("Store credit"),
}
ROLES = {
    Role.SHOP: _("Shop"),
    Role.SUPPORT: _("Customer service"),
    Role.SUPERVISOR: _("Supervisor"),
    Role.WAREHOUSE: _("Warehouse"),
    Role.FINANCE: _("Finance"),
    Role.AUDITOR: _("Auditor"),
    Role.CUSTOMER: _("Customer"),
    Role.SYSTEM: _("Refundry"),
}
QUEUES = {
    Queue.UNASSIGNED: _("Unassigned"),
    Queue.MINE: _("Mine"),
    Queue.DUE_SOON: _("Due within 24 hours"),
    Queue.OVERDUE: _("Overdue"),
    Queue.CUSTOMER_WROTE: _("Customer wrote"),
    Queue.SECOND_APPROVAL: _("Needs a second person"),
    Queue.MONEY: _("Money trouble"),
    Queue.COURIER: _("Courier trouble"),
}
QUEUES_ABOUT = {
    Queue.UNASSIGNED: _("Waits for a person, and nobody has taken it."),
    Queue.MINE: _("Open refunds assigned to me."),
    Queue.DUE_SOON: _("The deadline is within the next 24 hours."),
    Queue.OVERDUE: _("The deadline has passed."),
    Queue.CUSTOMER_WROTE: _("The customer has written, and nobody has answered."),
    Queue.SECOND_APPROVAL: _("Requested by an agent, or protected: a colleague has to approve it."),
    Queue.MONEY: _("Failed, without a known outcome, or with an open incident about money."),
    Queue.COURIER: _("Missed, not handed over, lost, or no courier to be had."),
}
INCIDENTS = {
    "refund_failed": _("Payment failed"),
    "refund_reversed": _("The bank sent the money back"),
    "return_failed": _("The goods did not come back"),
    "return_short": _("Less came back than was paid for"),
    "goods_arrived": _("Goods arrived after the refund had ended"),
    "unknown_parcel": _("A parcel nobody knows of"),
    "wrong_parcel": _("Another parcel came than was announced"),
    "weight_differs": _("The parcel weighs something else than announced"),
    "shipped_after_refund": _("Shipped although refunded"),
    "delivered_after_refund": _("Delivered although refunded"),
    "outcome_unknown": _("Outcome unknown for too long"),
    "pay_by_hand": _("To be paid by hand"),
    "outcome_pending": _("The gateway takes too long"),
    "review_overdue": _("The review is overdue"),
    "proof_missing": _("Nobody proves the delivery"),
    "second_refund_at_gateway": _("A second refund at the gateway"),
    "orphaned_refund": _("Paid back without a refund here"),
    "orphaned_pickup": _("A courier came without a refund here"),
    "excess": _("More paid back than was captured"),
    "ledger_difference": _("The ledger does not add up"),
    "message_refused": _("A message was refused"),
    "message_undelivered": _("A message could not be delivered"),
    "money_for_cancelled_order": _("Money for a cancelled order"),
    "dispute_opened": _("Dispute opened"),
    "dispute_won": _("Dispute won"),
    "dispute_lost": _("Dispute lost"),
}
FOUND = {"accepted": _("accepted"), "damaged": _("damaged"), "wrong_item": _("wrong item"), "missing": _("missing")}
ACTIONS = {
    Action.APPROVE: _("Approve"),
    Action.REJECT: _("Reject"),
    Action.SECOND_APPROVE: _("Approve as the second person"),
    Action.BYPASS_SECOND: _("Let it pass without a second person"),
    Action.OFFER: _("Offer an amount without return"),
    Action.ACCEPT_OFFER: _("The customer accepts the offer"),
    Action.DECLINE_OFFER: _("The customer declines the offer"),
    Action.ASK: _("Ask the customer"),
    Action.WRITE: _("Write to the customer"),
    Action.EVIDENCE: _("Add photos"),
    Action.CONTEST: _("The customer does not agree"),
    Action.REOPEN: _("Look at it again"),
    Action.REPLACE: _("Another one, or the money"),
    Action.HOLD: _("Put on hold"),
    Action.RESUME: _("Resume"),
    Action.SHIP_BACK: _("Customer posted it himself"),
    Action.REBOOK_PICKUP: _("Another time for the courier"),
    Action.DROP_OFF: _("A label instead of the courier"),
    Action.RECEIVE: _("The goods are here"),
    Action.DOUBT_PARCEL: _("The parcel is not what was announced"),
    Action.INSPECT: _("Record the inspection"),
    Action.DISPOSE: _("Say what becomes of refused goods"),
    Action.CONFIRM_STOP: _("Say whether they stay"),
    Action.CONFIRM_ARRIVAL: _("The customer has the parcel"),
    Action.PROVE_DELIVERY: _("Say whether it was delivered"),
    Action.RETRY: _("Pay again"),
    Action.RECORD_EXTERNAL: _("Record that it was paid in another way"),
    Action.SET_TARGET: _("Send the money elsewhere"),
    Action.CONFIRM_TARGET: _("Enter the customer's code"),
    Action.CLOSE: _("Close as it stands"),
    Action.CANCEL: _("Cancel the refund"),
    Action.ASSIGN: _("Assign"),
}
