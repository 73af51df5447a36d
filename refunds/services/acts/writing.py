"""What the customer and customer service write to each other on a case."""

from django.db import transaction

from orders.errors import Invalid
from orders.roles import Actor, Role
from refunds.actions import Action
from refunds.calendars import ends_with_a_day
from refunds.models import CaseMessage, Refund
from refunds.services.acts.desk import Target, conclude, open_for
from refunds.services.docket import Docket
from refunds.services.holds import end_hold
from refunds.services.rows import policy_of
from refunds.states import HeldFor

#: Who says what the customer says: he himself, or the shop on whose own pages he wrote it.
CUSTOMERS = frozenset({Role.CUSTOMER, Role.SHOP})
#: The longest that one may write.
LONGEST = 2000


@transaction.atomic
def write(target: Target, *, text: str, actor: Actor) -> Refund:
    """A message to the other side: the customer is told by mail, an agent finds it in his queue. The customer's answer
    to a question ends the hold that waits for it. Raises what `desk.open_for` raises, and Invalid for no text."""
    refund, docket = open_for(Action.WRITE, target, actor)
    say(docket, refund, worded(text, path="text"), actor)
    if actor.role not in CUSTOMERS:
        docket.tell(refund, "message", policy_of(refund.policy_version_id))
    elif refund.held_for == HeldFor.CUSTOMER:
        end_hold(docket, refund, actor=actor)
    return conclude(docket, refund)


@transaction.atomic
def ask(target: Target, *, text: str, actor: Actor) -> Refund:
    """A question the review waits for: its clock stands still until the customer answers, or his time to is over.
    Raises as `write` does."""
    refund, docket = open_for(Action.ASK, target, actor)
    policy = docket.rules_of(refund)
    until = ends_with_a_day(policy.calendar, docket.now, policy.answer_seconds)
    refund.held_from, refund.held_until = refund.held_from or docket.now, until
    refund.held_for = HeldFor.CUSTOMER.value
    say(docket, refund, worded(text, path="text"), actor)
    docket.tell(refund, "question", policy)
    return conclude(docket, refund)


def worded(text: str, *, path: str) -> str:
    """What is to be put into a thread. Raises Invalid at the path."""
    if not text.strip():
        raise Invalid.of(path, "required", "Write something.")
    if len(text) > LONGEST:
        raise Invalid.of(path, "too_long", f"At most {LONGEST} characters.")
    return text.strip()


def say(docket: Docket, refund: Refund, text: str, actor: Actor, *, for_customer: bool = False) -> None:
    """Put it into the thread; the event only says that it is there. `for_customer`: the words are his, whoever writes
    them down; an agent who does has neither written to him nor answered."""
    is_customer = actor.role in CUSTOMERS
    role = Role.CUSTOMER if for_customer and not is_customer else actor.role
    said = CaseMessage.objects.create(
        refund_id=refund.pk, author=actor.reference, role=role.value, text=text, created_at=docket.now
    )
    if is_customer or not for_customer:
        refund.customer_wrote_at = (refund.customer_wrote_at or docket.now) if is_customer else None
    docket.decide_anew(refund)
    docket.record(refund, "case.message", {"message": said.pk}, actor)
