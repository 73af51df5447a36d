"""Proof that goods were delivered which the customer says he has not received: asked for, given, or not to be had."""

from orders.roles import SYSTEM, Actor
from refunds.calendars import ends_worked
from refunds.decide import Plan
from refunds.models import Refund
from refunds.services.docket import Docket
from refunds.services.holds import end_hold
from refunds.services.rows import reader
from refunds.states import HeldFor, Proof

_proof = reader(Proof)


def proof_of(refund: Refund) -> Proof:
    return _proof(refund.proof)


def follow_proof(docket: Docket, refund: Refund, plan: Plan) -> None:
    """Do what the plan says of it."""
    if plan.asks_proof:
        _ask(docket, refund)
    if plan.proof_over:
        end_proof(docket, refund, Proof.MISSING, actor=SYSTEM)


def end_proof(docket: Docket, refund: Refund, proof: Proof, *, actor: Actor) -> None:
    """It is there, or is not to be had: the review goes on."""
    refund.proof = proof.value
    docket.decide_anew(refund)
    kind = "carrier.proof_given" if proof is Proof.GIVEN else "carrier.proof_missing"
    docket.record(refund, kind, {}, actor)
    if refund.held_for == HeldFor.PROOF:
        end_hold(docket, refund, actor=actor)


def _ask(docket: Docket, refund: Refund) -> None:
    """The shop reads of it in the feed; the review's clock stands still until it is given or its time is over."""
    policy = docket.rules_of(refund)
    until = ends_worked(policy.calendar, docket.now, policy.proof_seconds)
    refund.proof, refund.proof_until = Proof.AWAITED.value, until
    if refund.held_until is None:
        refund.held_from, refund.held_until, refund.held_for = docket.now, until, HeldFor.PROOF.value
    docket.decide_anew(refund)
    names = ("id", "carrier", "tracking_number")
    parcels = [{name: getattr(row, name) for name in names} for row in docket.parcels_of(refund)]
    docket.record(refund, "carrier.proof_requested", {"until": until.isoformat(), "parcels": parcels}, SYSTEM)
