"""What people do to a refund: each act locks, checks who and what by the one table, changes rows, wakes the engine."""

from refunds.services.acts.arriving import confirm_arrival
from refunds.services.acts.assigning import assign
from refunds.services.acts.cancelling import cancel_refund
from refunds.services.acts.contesting import contest, reopen
from refunds.services.acts.desk import Target
from refunds.services.acts.disposing import Disposed, dispose
from refunds.services.acts.evidencing import give_evidence
from refunds.services.acts.goods import Parcel, doubt_parcel, drop_off, rebook_pickup, receive, ship_back
from refunds.services.acts.incidents import close_incident
from refunds.services.acts.inspecting import Inspected, inspect
from refunds.services.acts.matching import match_parcel
from refunds.services.acts.money import External, close, record_external, retry
from refunds.services.acts.offering import Offer, accept_offer, decline_offer, offer
from refunds.services.acts.proving import prove_delivery
from refunds.services.acts.redirecting import Elsewhere, confirm_target, set_target
from refunds.services.acts.remedying import replace
from refunds.services.acts.returning import Arrival, take_parcel
from refunds.services.acts.review import Approval, approve, bypass_second, hold, reject, resume, second_approve
from refunds.services.acts.stopping import confirm_stop
from refunds.services.acts.writing import ask, write

__all__ = [
    "Approval",
    "Arrival",
    "Disposed",
    "Elsewhere",
    "External",
    "Inspected",
    "Offer",
    "Parcel",
    "Target",
    "accept_offer",
    "approve",
    "bypass_second",
    "ask",
    "assign",
    "cancel_refund",
    "close",
    "close_incident",
    "confirm_arrival",
    "confirm_stop",
    "confirm_target",
    "contest",
    "decline_offer",
    "dispose",
    "doubt_parcel",
    "drop_off",
    "give_evidence",
    "hold",
    "inspect",
    "match_parcel",
    "offer",
    "prove_delivery",
    "rebook_pickup",
    "receive",
    "record_external",
    "reject",
    "reopen",
    "replace",
    "resume",
    "retry",
    "second_approve",
    "set_target",
    "ship_back",
    "take_parcel",
    "write",
]
