"""The chain on procrastinate: a task for the refund, one for its messages, each deferred in the transaction before it.

A worker reaches its jobs by connections of its own; what is deferred here goes by Django's.
"""

from procrastinate import App
from procrastinate.contrib.django import app
from procrastinate.contrib.django.django_connector import DjangoConnector

from benchmarks.peers import chain

QUEUE = "procrastinate"
_by_django = App(connector=DjangoConnector())


@app.task(name="refund_order", queue=QUEUE)
def refund_order(refund_id: int) -> None:
    chain.pay(refund_id, then=defer_messages)


@app.task(name="tell_customer", queue=QUEUE)
def tell_customer(refund_id: int) -> None:
    chain.tell(refund_id)


def defer_refund(refund_id: int) -> None:
    _by_django.configure_task("refund_order", queue=QUEUE).defer(refund_id=refund_id)


def defer_messages(refund_id: int) -> None:
    _by_django.configure_task("tell_customer", queue=QUEUE).defer(refund_id=refund_id)
