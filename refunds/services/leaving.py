"""A person leaves the company: he gets in no more, and what he had on his desk is everybody's again."""

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.db import transaction

from orders import clock
from orders.errors import Conflict, Forbidden, NotFound
from orders.locks import WEB_WAIT_MS, lock_orders
from orders.models import ApiKey, Principal
from orders.roles import Actor, Role
from refunds.models import Refund
from refunds.services.docket import Docket
from refunds.services.wakes import wake_notifications
from refunds.states import FINAL_STATES

#: Who runs the people; an operator does it at the machine itself.
RUN_PEOPLE = frozenset({Role.SUPERVISOR, Role.SYSTEM})


@dataclass(frozen=True, slots=True)
class Left:
    """Who left, and the numbers of the cases that nobody has now."""

    principal: Principal
    cases: tuple[str, ...]

    @property
    def reference(self) -> str:
        return f"principal:{self.principal.pk}"


@transaction.atomic
def leave(principal_id: int, *, channels: Collection[int] | None, actor: Actor) -> Left:
    """His keys are revoked, his user cannot log in and is logged out, his open cases go back to the pool. What he
    approved stands; neither he nor his user is deleted. The same again gives back what he may still have.

    Raises Forbidden (`role_forbidden`), Conflict (`oneself`), and NotFound for one who works for other `channels` too;
    None: for any.
    """
    permit_people(actor)
    if actor.reference == f"principal:{principal_id}":
        raise Conflict("oneself", "Nobody lets himself out: a colleague does.")
    principal = Principal.objects.select_for_update(of=("self",)).filter(pk=principal_id).first()
    if principal is None or not _is_within(principal, channels):
        raise NotFound("not_found", "There is nobody of that number here.")
    if principal.left_at is None:
        principal.left_at, principal.left_by = clock.now(), actor.reference
        principal.save(update_fields=["left_at", "left_by"])
    ApiKey.objects.filter(principal=principal, revoked_at=None).update(revoked_at=clock.now())
    get_user_model().objects.filter(principal=principal).update(is_active=False)
    return Left(principal, _give_back(principal, actor))


def permit_people(actor: Actor) -> None:
    """Raise Forbidden unless the actor runs the people."""
    if actor.role not in RUN_PEOPLE:
        raise Forbidden("role_forbidden", f"The role {actor.role} may not let people in or out.")


def _is_within(principal: Principal, channels: Collection[int] | None) -> bool:
    """A shop's own door and the engine's are no people."""
    if principal.role in (Role.CUSTOMER, Role.SYSTEM):
        return False
    own = set(principal.channels.values_list("pk", flat=True))
    return channels is None or (bool(own) and own <= set(channels))


def _give_back(principal: Principal, actor: Actor) -> tuple[str, ...]:
    open_ones = Refund.objects.filter(assignee=principal, next_reconcile_at__isnull=False)
    ids = dict(open_ones.exclude(state__in=sorted(FINAL_STATES)).values_list("pk", "order_id"))
    lock_orders(ids.values(), wait_ms=WEB_WAIT_MS)
    docket = Docket(set(ids.values()), now=clock.now())
    docket.open_cases(ids)
    freed = [docket.refunds[pk] for pk in sorted(ids) if _has(principal, docket.refunds[pk])]
    for refund in freed:
        refund.assignee_id = None
        docket.changes.decisions[refund.id] = refund
        docket.record(refund, "refund.assigned", {"to": None, "left": f"principal:{principal.pk}"}, actor)
    wake_notifications(docket.write())
    return tuple(refund.number for refund in freed)


def _has(principal: Principal, refund: Refund) -> bool:
    return refund.assignee_id == principal.pk and refund.state not in FINAL_STATES
