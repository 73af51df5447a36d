"""Photos that the customer shows, or somebody for him."""

from collections.abc import Sequence

from django.db import transaction

from orders.errors import Invalid
from orders.roles import Actor
from refunds.actions import Action
from refunds.evidence import Photo, check_room
from refunds.models import EvidencePhoto, Refund
from refunds.services.acts.desk import Target, conclude, open_for
from refunds.services.acts.writing import CUSTOMERS
from refunds.services.docket import Docket
from refunds.services.holds import end_hold
from refunds.states import HeldFor


@transaction.atomic
def give_evidence(target: Target, photos: Sequence[Photo], *, alone: bool = True, actor: Actor) -> Refund:
    """All of them or none; one that the refund has already changes nothing. They answer a question that is open.
    `alone`: not beside a request or a contest, which is looked at anyway: an agent finds them in his queue. Raises what
    `desk.open_for` raises, Invalid for none at all, and Conflict for too many."""
    refund, docket = open_for(Action.EVIDENCE, target, actor)
    if not photos:
        raise Invalid.of("photos", "required", "Send a photo.")
    stored = dict(EvidencePhoto.objects.filter(refund=refund).values_list("sha256", "position"))
    new = [photo for sha256, photo in {photo.sha256: photo for photo in photos}.items() if sha256 not in stored]
    if not new:
        return refund
    check_room(stored=len(stored), new=len(new))
    for position, photo in enumerate(new, start=max(stored.values(), default=0) + 1):
        _store(docket, refund, photo, position=position, actor=actor)
    if alone and actor.role in CUSTOMERS:
        refund.customer_wrote_at = refund.customer_wrote_at or docket.now
    docket.decide_anew(refund)
    if refund.held_for == HeldFor.CUSTOMER:
        end_hold(docket, refund, actor=actor)
    return conclude(docket, refund)


def _store(docket: Docket, refund: Refund, photo: Photo, *, position: int, actor: Actor) -> None:
    """The event only says which one it is."""
    EvidencePhoto.objects.create(
        refund=refund,
        position=position,
        sha256=photo.sha256,
        width=photo.width,
        height=photo.height,
        data=photo.data,
        author=actor.reference,
        role=actor.role.value,
        created_at=docket.now,
    )
    docket.record(refund, "case.evidence", {"photo": position}, actor)
