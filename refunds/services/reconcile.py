"""One pass over a batch of refunds: T1 decides and claims under the lock, T2 records what came of the calls.

T1 (`begin`)   lock the orders, skip what others hold; apply stored webhooks; decide; claim; write; commit.
               Then the claimed calls are made, with no row locked.
T2 (`record`)  lock, take the answers and the webhooks that waited for them, decide again, write, commit. It never
               claims.

Both read fresh rows in a constant number of statements and write through the docket.
"""

from collections.abc import Collection, Sequence

from django.db import transaction

from orders.locks import lock_orders_of
from refunds import records
from refunds.models import InboundWebhook, Refund
from refunds.selectors.facts import orders_of
from refunds.services.acts.stopping import count_as_left
from refunds.services.answers import Abilities, Told, judge, take_webhook
from refunds.services.case import Case
from refunds.services.docket import Docket
from refunds.services.parcel_calls import ParcelOut, ParcelTold, take_answer
from refunds.services.parcel_inbox import adopt_early_words
from refunds.services.passing import Claims, Outbound, Pass
from refunds.services.wakes import wake_notifications

__all__ = ["Claims", "Outbound", "ParcelOut", "ParcelTold", "Pass", "Told", "begin", "record"]


def begin(refund_ids: Collection[int], claims: Claims, *, can: Abilities, wait_ms: int | None = None) -> Pass:
    """T1. Refunds of orders that stay locked by others are `skipped`; unknown ones are done with."""
    result = Pass()
    with transaction.atomic():
        docket, cases = _open(refund_ids, result, wait_ms=wait_ms)
        _apply_webhooks(docket, cases, can)
        for refund in cases:
            Case(docket, refund, can, result).advance(claims)
        wake_notifications(docket.write())
        for refund in result.unconfirmed:
            count_as_left(refund)
    return result


def record(told: Sequence[Told | ParcelTold], *, can: Abilities, wait_ms: int | None = None) -> Pass:
    """T2. The answers of refunds whose orders stay locked are not recorded; those refunds are `skipped`."""
    result = Pass()
    with transaction.atomic():
        docket, cases = _open({t.refund_id for t in told}, result, wait_ms=wait_ms)
        open_ids = {refund.id for refund in cases}
        for answer in told:
            if answer.refund_id not in open_ids:
                continue
            if isinstance(answer, ParcelTold):
                take_answer(docket, answer, can)
            else:
                judge(docket, answer, can)
        _apply_webhooks(docket, cases, can)
        for refund in cases:
            Case(docket, refund, can, result).advance(None)
        wake_notifications(docket.write())
    return result


def _open(refund_ids: Collection[int], result: Pass, *, wait_ms: int | None) -> tuple[Docket, list[Refund]]:
    """Lock and load; refunds in ascending id, so that two of one order are decided in sequence on the same rows."""
    locked, now = lock_orders_of(refund_ids, wait_ms=wait_ms)
    if missing := set(refund_ids) - locked.keys():
        known = orders_of(missing)
        result.skipped += sorted(known)
        result.due_in.update(dict.fromkeys(missing - known.keys()))
    docket = Docket(set(locked.values()), now=now)
    mine = sorted(locked)
    docket.open_cases(mine)
    return docket, [docket.refunds[i] for i in mine]


def _apply_webhooks(docket: Docket, cases: Sequence[Refund], can: Abilities) -> None:
    """What was stored for these refunds, and what came before its parcel was known: one of them may make it so."""
    known = adopt_early_words(docket)
    _hear(docket, cases, can)
    if adopt_early_words(docket, known):
        _hear(docket, cases, can)


def _hear(docket: Docket, cases: Sequence[Refund], can: Abilities) -> None:
    ids = [refund.id for refund in cases]
    for webhook in records.load(InboundWebhook, "refund_id", ids, where="applied_at IS NULL"):
        if webhook.id not in docket.changes.webhooks and take_webhook(docket, webhook, can):
            webhook.applied_at = docket.now
            docket.changes.webhooks[webhook.id] = webhook
