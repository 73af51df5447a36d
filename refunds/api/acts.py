"""What is done to one refund: POST /refunds/{number}/{action}. One declaration per action; one door serves them all.

Who may, and when, is decided by the services, from the one table (`refunds.actions`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema_view
from rest_framework.request import Request

from orders.errors import Problem
from orders.rest import parameters
from orders.rest.fields import Body
from orders.rest.problems import problem_response
from orders.rest.schema import operation
from orders.roles import Actor
from refunds.actions import Action, permit
from refunds.api import act_bodies as bodies
from refunds.api import schema
from refunds.api.bodies import NoBody
from refunds.api.cases import CaseDoor
from refunds.api.shapes import RefundShape
from refunds.models import Refund
from refunds.services import acts
from refunds.services.acts import Target
from refunds.states import Remedy

Said = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Act:
    """`about` is for the served description. A problem that `do` answers is committed with what led to it. `may_wait`:
    what is asked can be a wish, answered by 202."""

    action: Action
    about: str
    do: Callable[[Target, Said, Actor], Refund | Problem]
    body: Body = NoBody()
    may_wait: bool = False

    @property
    def may_say_nothing(self) -> bool:
        return not any(said.required for said in self.body.fields.values())


ACTS = (
    Act(
        Action.CANCEL,
        "Withdraw it while no money has been claimed. With a courier on his way that is a wish (202): it is done when "
        "he confirms that he does not come, and dropped when he has the goods already.",
        lambda on, said, actor: acts.cancel_refund(on, actor=actor),
        may_wait=True,
    ),
    Act(
        Action.APPROVE,
        "Approve it, whole or in part. Goods that must come back are awaited, else the money moves. "
        "Nobody approves what he requested himself.",
        lambda on, said, actor: acts.approve(on, bodies.approval(said), actor=actor),
        bodies.ApproveBody(),
    ),
    Act(
        Action.SECOND_APPROVE,
        "Agree to a protected refund as the second person; neither who asked for it nor who approved it can.",
        lambda on, said, actor: acts.second_approve(on, actor=actor),
    ),
    Act(
        Action.BYPASS_SECOND,
        "Let a protected refund pass without a second person, where its policy lets finance do so; the reason is kept.",
        lambda on, said, actor: acts.bypass_second(on, reason=said["reason"], actor=actor),
        bodies.BypassBody(),
    ),
    Act(
        Action.REJECT,
        "Refuse it; the customer is told the reason, and units and money are free again.",
        lambda on, said, actor: acts.reject(on, reason=said["reason"], actor=actor),
        bodies.RejectBody(),
    ),
    Act(
        Action.OFFER,
        "Offer an amount instead: the customer keeps the goods. He accepts or declines it, in the policy's time.",
        lambda on, said, actor: acts.offer(on, acts.Offer(**said), actor=actor),
        bodies.OfferBody(),
    ),
    Act(
        Action.ACCEPT_OFFER,
        "The customer takes what was offered and keeps the goods: the money moves.",
        lambda on, said, actor: acts.accept_offer(on, actor=actor),
    ),
    Act(
        Action.DECLINE_OFFER,
        "The customer does not take it: customer service looks at it again.",
        lambda on, said, actor: acts.decline_offer(on, actor=actor),
    ),
    Act(
        Action.ASK,
        "Ask the customer: the clock of the review stands still until he answers, or his time to answer is over.",
        lambda on, said, actor: acts.ask(on, text=said["text"], actor=actor),
        bodies.MessageBody(),
    ),
    Act(
        Action.WRITE,
        "Write to the other side, at any time: the customer gets it by e-mail, customer service finds it in its queue.",
        lambda on, said, actor: acts.write(on, text=said["text"], actor=actor),
        bodies.MessageBody(),
    ),
    Act(
        Action.CONTEST,
        "The customer does not agree with a refusal, of all or of a part: another agent looks at it again. What was "
        "refused of a part is a further refund under the same request, which is answered.",
        lambda on, said, actor: acts.contest(on, note=said["note"], actor=actor),
        bodies.ContestBody(),
    ),
    Act(
        Action.REOPEN,
        "Look at a rejected one again, while its units and its money are still free; else 409 `taken_since`.",
        lambda on, said, actor: acts.reopen(on, note=said["note"], actor=actor),
        bodies.ReopenBody(),
    ),
    Act(
        Action.REPLACE,
        "Send the customer another one instead of the money; or pay the money after all. Once it would be paid, the "
        "shop is asked, and answers with an order that `replaces` it; without one in the policy's time the money goes.",
        lambda on, said, actor: acts.replace(on, Remedy(said["remedy"]), actor=actor),
        bodies.ReplaceBody(),
    ),
    Act(
        Action.HOLD,
        "Stop its clock, and the money while it has not been claimed.",
        lambda on, said, actor: acts.hold(on, until=said.get("until"), actor=actor),
        bodies.HoldBody(),
    ),
    Act(
        Action.RESUME,
        "End the hold: the clock goes on where it stopped.",
        lambda on, said, actor: acts.resume(on, actor=actor),
    ),
    Act(
        Action.SHIP_BACK,
        "The customer has posted the goods himself: no courier is wanted any more.",
        lambda on, said, actor: acts.ship_back(on, acts.Parcel(**said), actor=actor),
        bodies.ShipBackBody(),
    ),
    Act(
        Action.REBOOK_PICKUP,
        "Another time for the courier.",
        lambda on, said, actor: acts.rebook_pickup(
            on, slot_from=said["slot"]["starts_at"], slot_to=said["slot"]["ends_at"], actor=actor
        ),
        bodies.RebookBody(),
    ),
    Act(
        Action.DROP_OFF,
        "No courier comes: the customer hands the goods in, with a label that the courier makes.",
        lambda on, said, actor: acts.drop_off(on, actor=actor),
    ),
    Act(
        Action.CONFIRM_ARRIVAL,
        "The customer has the goods, he says, of which no carrier reports: they are not stopped but fetched.",
        lambda on, said, actor: acts.confirm_arrival(on, actor=actor),
    ),
    Act(
        Action.RECEIVE,
        "The warehouse has the goods.",
        lambda on, said, actor: acts.receive(on, actor=actor),
    ),
    Act(
        Action.DOUBT_PARCEL,
        "The parcel is not what was announced. It is a case, and nothing is paid for the goods by itself until that is "
        "closed, or somebody has inspected them.",
        lambda on, said, actor: acts.doubt_parcel(on, what=said["what"], note=said["note"], actor=actor),
        bodies.DoubtBody(),
    ),
    Act(
        Action.INSPECT,
        "What was found, of every unit: accepted ones are paid, the rest is free again. Box by box with `more`.",
        lambda on, said, actor: acts.inspect(on, bodies.findings(said), more=said.get("more", False), actor=actor),
        bodies.InspectBody(),
    ),
    Act(
        Action.DISPOSE,
        "What becomes of refused units that are here: the shop keeps them, or sends them back. Said once of each.",
        lambda on, said, actor: acts.dispose(on, bodies.dispositions(said), actor=actor),
        bodies.DisposeBody(),
    ),
    Act(
        Action.CONFIRM_STOP,
        "Whether the unshipped units were kept from leaving, where the policy asks. Then the money goes; else they "
        "have left without a scan, and a person looks. 409 `stop_not_awaited` where it is no question any more.",
        lambda on, said, actor: acts.confirm_stop(on, stopped=said["stopped"], actor=actor),
        bodies.ConfirmStopBody(),
    ),
    Act(
        Action.PROVE_DELIVERY,
        "Whether it can be proved that goods arrived which the customer says he has not received; in the time that "
        "`status.proof` tells. Without proof it ends as the policy has it. 409 `no_proof_awaited`.",
        lambda on, said, actor: acts.prove_delivery(on, **said, actor=actor),
        bodies.ProofBody(),
    ),
    Act(
        Action.RETRY,
        "Send what has failed once more, and pay what was reversed under a new number; 409 when the money is taken. Of "
        "what its gateway has not answered it is your word that it was not done: it is sent again with the same key.",
        lambda on, said, actor: acts.retry(on, actor=actor),
    ),
    Act(
        Action.RECORD_EXTERNAL,
        "So much of what a payment was to give back was paid in another way; it can be a part. Once nothing is missing "
        "the refund is settled.",
        lambda on, said, actor: acts.record_external(on, acts.External(**said), actor=actor),
        bodies.ExternalBody(),
    ),
    Act(
        Action.SET_TARGET,
        "Have the money that has not left go elsewhere: as store credit at once; to another account once the customer "
        "has told the code he is sent (`confirm_target`), and a second person has agreed. 409 `contact_changed` where "
        "neither phone nor address has stood for 24 hours.",
        lambda on, said, actor: acts.set_target(on, bodies.elsewhere(said), actor=actor),
        bodies.SetTargetBody(),
    ),
    Act(
        Action.CONFIRM_TARGET,
        "The code that the customer was sent: the money goes where it was to. 409 `code_wrong`, `code_expired`, and "
        "`code_spent` after the fifth wrong one.",
        lambda on, said, actor: acts.confirm_target(on, code=said["code"], actor=actor),
        bodies.ConfirmTargetBody(),
    ),
    Act(
        Action.CLOSE,
        "Close a failed refund as it stands: what has not moved is free again.",
        lambda on, said, actor: acts.close(on, note=said["note"], actor=actor),
        bodies.CloseBody(),
    ),
    Act(
        Action.ASSIGN,
        "Take the case, give it to a colleague, or give it back. It is told apart in the work queues only.",
        lambda on, said, actor: acts.assign(on, to=bodies.assignee(said, actor), actor=actor),
        bodies.AssignBody(),
    ),
)


class ActDoor(CaseDoor):
    """The act and its answer are one transaction with the kept Idempotency-Key."""

    act: Act = ACTS[0]

    def post(self, request: Request, number: str) -> HttpResponse:
        permit(self.act.action, self.caller.actor)
        said = self.read(self.act.body, optional=self.act.may_say_nothing)
        return self.once(lambda: self._done(number, said))

    def _done(self, number: str, said: Said) -> HttpResponse:
        on = Target(number, self.caller.channel_ids, parameters.if_match(self.request._request))
        done = self.act.do(on, said, self.caller.actor)
        if isinstance(done, Problem):
            return problem_response(done)
        status = 202 if self.act.may_wait and done.cancel_wanted_by else 200
        return self.shown(self.found(done.number), status=status)


def door_of(act: Act) -> type[ActDoor]:
    """The door of one action, described as such."""
    answers = {200: RefundShape} | ({202: RefundShape} if act.may_wait else {})
    described = operation(
        operation_id=f"{act.action}_refund",
        description=act.about,
        request=type(act.body),
        parameters=[schema.IF_MATCH, schema.IDEMPOTENCY_KEY],
        responses=answers | schema.problems(403, 404, 409, 412),
    )
    return extend_schema_view(post=described)(type(f"{act.action.title()}Door", (ActDoor,), {"act": act}))
