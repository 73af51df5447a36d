"""The number under which the shop credits a refund: written back once, and for good."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from orders.errors import Conflict
from orders.locks import WEB_WAIT_MS, lock_orders
from orders.roles import Actor, Role
from orders.services.facts import refuse_ahead, require_role
from refunds.books.lines import utc
from refunds.models import CreditNote
from refunds.selectors.credit_notes import gross_minor, why_none
from refunds.selectors.refunds import order_and_refund
from refunds.services.acts.desk import conclude, read_case

MAY_CREDIT = (Role.SHOP, Role.FINANCE, Role.SUPERVISOR)


@dataclass(frozen=True, slots=True)
class IssuedNote:
    """As the shop issued it."""

    number: str
    issued_at: datetime


@transaction.atomic
def record_credit_note(number: str, issued: IssuedNote, *, channels: Collection[int], actor: Actor) -> None:
    """The shop has issued it; the same again changes nothing. Money that waited for it goes. Raises Forbidden,
    NotFound, Invalid, LockNotHad, and Conflict where there is nothing to credit or another number is in."""
    require_role(actor, MAY_CREDIT, "record credit notes")
    order_id, refund_id = order_and_refund(number, channels=channels)
    lock_orders([order_id], wait_ms=WEB_WAIT_MS)
    refund, docket = read_case(order_id, refund_id)
    refuse_ahead(docket.now, {"issued_at": issued.issued_at})
    if known := CreditNote.objects.filter(refund_id=refund_id).first():
        _refuse_other(known, issued)
        return
    if reason := why_none(refund):
        raise Conflict("nothing_to_credit", reason)
    facts = {"number": issued.number, "issued_at": issued.issued_at, "amount_minor": gross_minor(refund)}
    CreditNote.objects.create(refund=refund, recorded_at=docket.now, recorded_by=actor.reference, **facts)
    docket.record(refund, "refund.credit_note_issued", facts | {"issued_at": utc(issued.issued_at)}, actor)
    conclude(docket, refund)


def _refuse_other(known: CreditNote, issued: IssuedNote) -> None:
    if (known.number, known.issued_at) != (issued.number, issued.issued_at):
        detail = f"{known.number} of {utc(known.issued_at)} is the credit note of this refund: it stays."
        raise Conflict("other_credit_note", detail, number=known.number)
