"""Whether it can be proved that goods were delivered which the customer says he has not received."""

from django.db import transaction

from orders.roles import Actor
from refunds.actions import Action
from refunds.models import Refund
from refunds.services.acts.desk import Target, conclude, open_for
from refunds.services.proofs import end_proof
from refunds.states import Proof


@transaction.atomic
def prove_delivery(target: Target, *, delivered: bool, note: str = "", actor: Actor) -> Refund:
    """Delivered: a person decides, who reads the `note`. Not: as if nobody had proved it in time. Raises what
    `desk.open_for` raises."""
    refund, docket = open_for(Action.PROVE_DELIVERY, target, actor)
    refund.proof_note = note
    end_proof(docket, refund, Proof.GIVEN if delivered else Proof.MISSING, actor=actor)
    return conclude(docket, refund)
