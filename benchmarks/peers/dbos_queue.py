"""Enqueueing for the chain on DBOS, by the SQL function that DBOS brings for it: in the caller's own transaction.

Nothing of the library is needed for that.
"""

from collections.abc import Sequence

from django.db import connection

APPLICATION, QUEUE, WORKFLOW = "refunds", "dbos", "refund_order"
_ENQUEUE = """
SELECT dbos.enqueue_workflow(%s, %s, ARRAY[to_json(id)], application_name => %s) FROM unnest(%s::bigint[]) AS id
"""


def enqueue(refund_ids: Sequence[int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_ENQUEUE, [WORKFLOW, QUEUE, APPLICATION, list(refund_ids)])
