"""The Celery tasks of the tuned chain: one for the refund, one for its messages."""

import logging

from benchmarks.peers.chain import pay, tell
from benchmarks.peers.tuned import app

# Celery's own lines about each task, wherever its options put them.
logging.getLogger("celery.app.trace").setLevel(logging.WARNING)
logging.getLogger("celery.worker.strategy").setLevel(logging.WARNING)


@app.task(name="refund_order")
def refund_order(refund_id: int) -> None:
    pay(refund_id)
    tell_customer.delay(refund_id)


@app.task(name="tell_customer")
def tell_customer(refund_id: int) -> None:
    tell(refund_id)
