"""One pass over orphans: what a gateway or a courier has and nobody here asked for (`refunds.orphans` has the table).

T1 (`begin`)   lock the orders and the orphans, skip what others hold; settle from fresh rows; claim; commit. A refund
               at a gateway is a fact and settled at once; asked about is only what is still under way there, and a
               courier is called only to call a visit off.
T2 (`record`)  lock, take the answers, settle again, commit.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from django.db import transaction

from refunds.models import Orphan
from refunds.models.orphan import OrphanKind
from refunds.services.answers import Abilities
from refunds.services.orphan_look import OrphanLook, hold_orphans
from refunds.services.parcel_calls import slot_of
from workers.ports import Cancellation, LookUp

Take = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class OrphanOut:
    """A claimed call: ask the gateway what became of a refund, or have the courier's visit called off."""

    orphan_id: int
    kind: OrphanKind
    account: str
    reference: str
    number: str
    payment_reference: str

    @property
    def slot(self) -> str:
        return slot_of(self.account, asks=self.kind is OrphanKind.REFUND)


@dataclass(frozen=True, slots=True)
class OrphanTold:
    """What came of it."""

    out: OrphanOut
    answer: LookUp | Cancellation


@dataclass(slots=True)
class Looked:
    """Where each orphan stands: calls to make, the slot that had no room, seconds until it is due, or locked."""

    calls: list[OrphanOut] = field(default_factory=list)
    full: dict[int, str] = field(default_factory=dict)
    due_in: dict[int, float | None] = field(default_factory=dict)
    skipped: list[int] = field(default_factory=list)


@transaction.atomic
def begin(orphan_ids: Collection[int], take: Take, *, can: Abilities, wait_ms: int | None = None) -> Looked:
    """T1. Unknown ones are done with."""
    result = Looked(due_in=dict.fromkeys(orphan_ids))
    look = _hold(orphan_ids, result, can, wait_ms)
    for orphan in look.due():
        if not look.settle(orphan):
            continue
        out = _outbound(orphan)
        if take(out.slot):
            look.claim(orphan)
            result.calls.append(out)
        else:
            result.full[orphan.pk] = out.slot
    _finish(look, result)
    return result


@transaction.atomic
def record(told: Sequence[OrphanTold], *, can: Abilities, wait_ms: int | None = None) -> Looked:
    """T2. The answers about what stays locked are not recorded; these orphans are `skipped`."""
    answers = {each.out.orphan_id: each.answer for each in told}
    result = Looked(due_in=dict.fromkeys(answers))
    look = _hold(answers, result, can, wait_ms)
    for orphan in look.orphans.values():
        look.take_answer(orphan, answers[orphan.pk])
    _finish(look, result)
    return result


def _hold(ids: Collection[int], result: Looked, can: Abilities, wait_ms: int | None) -> OrphanLook:
    look, result.skipped = hold_orphans(ids, can, wait_ms=wait_ms)
    return look


def _finish(look: OrphanLook, result: Looked) -> None:
    look.write()
    result.due_in |= {pk: look.seconds_left(orphan) for pk, orphan in look.orphans.items()}


def _outbound(orphan: Orphan) -> OrphanOut:
    return OrphanOut(
        orphan_id=orphan.pk,
        kind=OrphanKind(orphan.kind),
        account=orphan.account,
        reference=orphan.reference,
        number=orphan.number,
        payment_reference=orphan.payment_reference,
    )
