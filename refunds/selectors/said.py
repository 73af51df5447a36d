"""What a person wrote, for the messages that bring it to the customer."""

from collections.abc import Collection

from refunds import records
from refunds.models import Notification

_BRINGS = ("question", "message")
#: What was written last before the message was owed: the event names it.
_SAID = """
SELECT n.id, m.text FROM refunds_notification n
CROSS JOIN LATERAL (
    SELECT e.data FROM refunds_refundevent e
    WHERE e.refund_id = n.refund_id AND e.kind = 'case.message' AND e.seq <= n.event_seq ORDER BY e.seq DESC LIMIT 1
) e
JOIN refunds_casemessage m ON m.id = (e.data->>'message')::bigint AND m.refund_id = n.refund_id
WHERE n.id = ANY(%b::bigint[])
"""


def what_was_said(notifications: Collection[Notification]) -> dict[int, str]:
    """The text by notification id, of those that bring one."""
    ids = [n.id for n in notifications if n.template in _BRINGS]
    return dict(records.execute(_SAID, [ids]).fetchall()) if ids else {}
