"""The chain on DBOS: a durable workflow of two steps.

Steps, for the ORM writes: DBOS's own transactions are those of SQLAlchemy.
"""

from dbos import DBOS

from benchmarks.peers import chain
from benchmarks.peers.dbos_queue import WORKFLOW


@DBOS.step()
def pay(refund_id: int) -> None:
    chain.pay(refund_id)


@DBOS.step()
def tell(refund_id: int) -> None:
    chain.tell(refund_id)


@DBOS.workflow(name=WORKFLOW)
def refund_order(refund_id: int) -> None:
    pay(refund_id)
    tell(refund_id)
