"""Trapdoors in a worker, imported by `faulty_worker` alone.

A trap is a file in the home: {point, marks, signal, whole, stays}. The first pool process that comes to the point with
one of the marks takes the file away (unless it stays), leaves its pid, and sends itself the signal, or with `whole` the
worker and all its pool. A mark is a payment or an order's number for what is about an instant refund, and the number of
a pickup for a call to a courier. So a trap acts once, and only on what it was laid for. A process that was frozen says
when it has come to the end of that refund's pass.
"""

import json
import os
import signal
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

from urllib3.connection import HTTPConnection

from refunds.models import Refund
from refunds.services.docket import Docket
from refunds.services.reconcile import ParcelOut
from workers.contract import Call
from workers.reconcilers.notifications import NotificationReconciler
from workers.reconcilers.refunds import RefundReconciler
from workers.reconcilers.webhooks import WebhookReconciler
from workers.workqueue import Lease, WorkQueue

TRAP = Path(os.environ["REFUNDRY_HOME"]) / "trap.json"
SPRUNG, PASSED = TRAP.with_name("sprung.json"), TRAP.with_name("passed.json")
_marks_of_refund: defaultdict[str, set[str]] = defaultdict(set)
_caught: set[str] = set()


def spring(point: str, *marks: str) -> None:
    try:
        trap = json.loads(TRAP.read_text())
        if trap["point"] != point or not set(marks) & set(trap["marks"]):
            return
        if not trap["stays"]:
            TRAP.unlink()
    except FileNotFoundError:
        return
    _caught.update(trap["marks"])
    _say(SPRUNG)
    if trap["whole"]:
        os.killpg(os.getpgrp(), trap["signal"])
    else:
        # To this very thread: another one would take it otherwise, while this one went on for a moment.
        signal.pthread_kill(threading.get_ident(), trap["signal"])


def _say(file: Path) -> None:
    draft = file.with_suffix(".new")
    draft.write_text(json.dumps({"pid": os.getpid()}))
    draft.rename(file)


def trapdoor(owner: type, name: str) -> Callable[[Callable[..., Any]], None]:
    """Put the function around a method; it is called with the method, and then with what the method is called with."""

    def install(around: Callable[..., Any]) -> None:
        original = getattr(owner, name)

        @wraps(original)
        def method(*args: Any, **kwargs: Any) -> Any:
            return around(original, *args, **kwargs)

        setattr(owner, name, method)

    return install


@trapdoor(Docket, "write")
def in_a_transaction_with_the_lock(write: Callable[..., Any], docket: Docket) -> Any:
    for refund, movements in docket.movements.items():
        _marks_of_refund[str(refund)].update(docket.payment_of(movement).reference for movement in movements)
    for pickup in docket.changes.pickups.values():
        _marks_of_refund[str(pickup.refund_id)].add(pickup.number)
    payments = (payment.reference for payment in docket.payments.values())
    marks = {*payments, *(pickup.number for pickup in docket.changes.pickups.values())}
    spring("locked", *marks)
    written = write(docket)
    spring("written", *marks)
    return written


@trapdoor(RefundReconciler, "begin")
def around_t1(
    begin: Callable[..., Any], reconciler: RefundReconciler, leases: Sequence[Lease], *args: Any, **kwargs: Any
) -> Any:
    if TRAP.exists():
        spring("taken", *_learn_the_orders_of(leases))
    begun = begin(reconciler, leases, *args, **kwargs)
    spring("claimed", *map(_mark, begun.calls))
    return begun


@trapdoor(RefundReconciler, "perform")
def around_the_call(perform: Callable[..., Any], reconciler: RefundReconciler, call: Call, *args: Any) -> Any:
    spring("sending", _mark(call))
    reply = perform(reconciler, call, *args)
    spring("answered", _mark(call))
    return reply


@trapdoor(HTTPConnection, "send")
def at_the_socket(send: Callable[..., Any], connection: HTTPConnection, data: bytes) -> Any:
    spring("writing", *_written_references(data))
    return send(connection, data)


@trapdoor(RefundReconciler, "record")
def around_t2(record: Callable[..., Any], reconciler: RefundReconciler, answers: Iterable[Any], **kwargs: Any) -> Any:
    outcomes = record(reconciler, answers, **kwargs)
    spring("recorded", *(_mark(answered.call) for answered in answers))
    return outcomes


@trapdoor(WorkQueue, "finish")
def around_finish(finish: Callable[..., Any], queue: WorkQueue, outcomes: Iterable[Any], **kwargs: Any) -> Any:
    refunds = [lease.key for lease, _ in outcomes if lease.queue == RefundReconciler.queue]
    marks = {mark for key in refunds for mark in _marks_of_refund[key]}
    spring("finishing", *marks)
    finished = finish(queue, outcomes, **kwargs)
    if marks & _caught:
        _say(PASSED)
    return finished


@trapdoor(NotificationReconciler, "perform")
def after_the_delivery(perform: Callable[..., Any], reconciler: NotificationReconciler, call: Call, *args: Any) -> Any:
    reply = perform(reconciler, call, *args)
    spring("delivered", call.payload.facts.order)  # type: ignore[attr-defined]
    return reply


@trapdoor(WebhookReconciler, "perform")
def after_the_shop_was_told(perform: Callable[..., Any], reconciler: WebhookReconciler, call: Call, *args: Any) -> Any:
    reply = perform(reconciler, call, *args)
    spring("told", call.payload.facts.order)  # type: ignore[attr-defined]
    return reply


def _learn_the_orders_of(leases: Sequence[Lease]) -> Iterable[str]:
    rows = Refund.objects.filter(pk__in=[lease.key for lease in leases]).values_list("id", "order__number")
    for refund, order in rows:
        _marks_of_refund[str(refund)].add(order)
    return [order for _, order in rows]


def _mark(call: Call) -> str:
    payload = call.payload
    return payload.subject if isinstance(payload, ParcelOut) else payload.movement.payment_reference  # type: ignore[attr-defined]


def _written_references(data: bytes) -> Iterable[str]:
    """Of a payment, or a booking: both have a number, which is no mark of the former."""
    body = data.rpartition(b"\r\n\r\n")[2] if isinstance(data, bytes) else b""
    try:
        sent = json.loads(body)
        return {sent["number"], sent.get("payment_reference")}
    except (ValueError, KeyError, TypeError, AttributeError):
        return set()
