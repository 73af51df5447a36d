"""The wiring, and the texts of messages left out of both contenders.

Rendering costs both the same, and the fast one most of its time: without it is seen what moves refunds and messages.
"""

from benchmarks import wired
from benchmarks.peers import tuned_tasks
from refunds.messages.facts import MessageFacts
from workers.ports import OutgoingMessage
from workers.reconcilers import notifications

__all__ = ["wired"]


def _blank(facts: MessageFacts) -> OutgoingMessage:
    return OutgoingMessage(identity=facts.identity, to=facts.to)


notifications.render_message = tuned_tasks.render_message = _blank
