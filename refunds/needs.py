"""What an action needs besides its role and its state: read off where a refund stands, and who comes. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from orders.errors import Conflict, Forbidden, Problem
from orders.roles import Actor
from refunds.states import GOODS_MAY_ARRIVE, PAID_STATES, RefundState, Route


@dataclass(frozen=True, slots=True)
class Position:
    """What of a refund decides what can be done about it.

    `claimed`: a movement of it has left, or may have. `open_outcome`: what became of one is not known yet;
    `unanswered`: nobody has said so far. `missing`: one has failed or was taken back; `by_hand`: only a person can pay
    one. `doubted`: the gateway is being asked whether it was. `under_way`: the goods are coming home by the word of the
    customer or of a carrier; `carried`: by that of a carrier; `sent`: the customer has sent them himself, he says;
    `labelled`: he hands them in with a label; `received`: they are here. `being_stopped`, `turned_back`: a parcel on
    its way out, or one that is back. `inspected`: the warehouse has looked at the goods;
    `found_wrong`: some of them are not what they should be. `contestable`: something was
    refused, and the customer may still say that he does not agree; `rejected_by`: who refused it before. `approved_by`:
    who has approved it; `lacks_second`: a second person has to; `may_bypass`: the policy lets finance do without.
    `redirectable`: some of its money could still go elsewhere; `redirected_by`: who had it do so; `awaits_code`: a
    change of that waits for a code. `assignee`: whose case it is. `cancel_wanted`: a wish to cancel waits for the
    courier. `unconfirmed`: somebody is to say whether the units were kept from leaving. `outward`: no carrier has said
    where a parcel of it went, nor the customer that it arrived. `proof_awaited`: of the delivery, which he denies.
    `about_goods`: units are in it; `replaced`: he gets another one instead.
    """

    state: RefundState
    route: Route = Route.INSTANT
    requested_by: str = ""
    held: bool = False
    claimed: bool = False
    open_outcome: bool = False
    unanswered: bool = False
    missing: bool = False
    by_hand: bool = False
    doubted: bool = False
    under_way: bool = False
    carried: bool = False
    sent: bool = False
    labelled: bool = False
    unconfirmed: bool = False
    received: bool = False
    being_stopped: bool = False
    turned_back: bool = False
    cancel_wanted: bool = False
    inspected: bool = False
    contestable: bool = False
    rejected_by: str = ""
    approved_by: str = ""
    lacks_second: bool = False
    may_bypass: bool = False
    redirectable: bool = False
    redirected_by: str = ""
    awaits_code: bool = False
    about_goods: bool = False
    replaced: bool = False
    assignee: str = ""
    proof_awaited: bool = False
    found_wrong: bool = False
    outward: bool = False


#: The money may have gone out before anybody looked at the goods.
PAID_BEFORE = frozenset({RefundState.REFUNDING, RefundState.FAILED}) | PAID_STATES


@dataclass(frozen=True, slots=True)
class Need:
    """What an action needs besides role and state; `code` and `detail` are of the problem when it is not so."""

    code: str
    detail: str
    is_met: Callable[[Position, Actor], bool]
    problem: type[Problem] = Conflict


UNCLAIMED = Need("money_claimed", "The refund is already being paid out.", lambda at, who: not at.claimed)
ON_HOLD = Need("not_on_hold", "The refund is not on hold.", lambda at, who: at.held)
BY_ANOTHER = Need(
    "own_request",
    "Nobody approves a refund he requested: somebody else has to.",
    lambda at, who: at.requested_by != who.reference,
    Forbidden,
)
FETCHED = Need(
    "not_fetched",
    "These goods are not fetched by a courier.",
    lambda at, who: at.route is Route.PICKUP and not at.sent,
)
NO_LABEL_YET = Need(
    "label_given",
    "They are handed in with a label already.",
    lambda at, who: not at.labelled,
)
DELIVERED = Need(
    "not_delivered",
    "The customer does not have these goods.",
    lambda at, who: at.route is Route.PICKUP or at.sent,
)
NOT_UNDER_WAY = Need("already_collected", "The goods are on their way already.", lambda at, who: not at.under_way)
NOT_CARRIED = Need("already_collected", "A carrier has the goods already.", lambda at, who: not at.carried)
UNCONFIRMED = Need(
    "stop_not_awaited",
    "It was not asked whether the units stay; or that has been said, or they have left.",
    lambda at, who: at.unconfirmed,
)
NOT_RECEIVED = Need(
    "goods_received",
    "The goods are in the warehouse: what is found there decides.",
    lambda at, who: not (at.received or at.state is RefundState.INSPECTING),
)
TO_BE_INSPECTED = Need(
    "goods_received",
    "The goods are in the warehouse: what is found there decides.",
    lambda at, who: at.inspected or not at.received,
)
ANOTHER_JUDGE = Need(
    "decided_before",
    "Whoever refused it does not decide again: somebody else has to.",
    lambda at, who: at.rejected_by != who.reference,
    Forbidden,
)
NOT_ANOTHERS = Need(
    "assigned_to_another",
    "A colleague works on this case: have him give it to you, or take it first.",
    lambda at, who: at.assignee in ("", who.reference),
)
ON_ITS_WAY_OUT = Need(
    "not_on_its_way",
    "No parcel of it is on its way to the customer, as far as anybody has said.",
    lambda at, who: at.route is Route.INTERCEPT and at.outward,
)
PROOF_AWAITED = Need(
    "no_proof_awaited",
    "No proof of the delivery is asked for; or somebody has said, or it is too late.",
    lambda at, who: at.proof_awaited,
)
LACKS_SECOND = Need(
    "no_second_needed",
    "Nobody else has to approve it; or somebody has.",
    lambda at, who: at.lacks_second,
)
MAY_BYPASS = Need(
    "no_bypass",
    "By its policy nobody does without the second person (approval.bypass).",
    lambda at, who: at.may_bypass,
    Forbidden,
)
SECOND_EYES = Need(
    "approved_before",
    "Whoever approved it is not the second person: somebody else has to be.",
    lambda at, who: at.approved_by != who.reference,
    Forbidden,
)
NOT_REDIRECTED = Need(
    "own_target",
    "Whoever said where the money goes is not the second person: somebody else has to be.",
    lambda at, who: at.redirected_by != who.reference,
    Forbidden,
)
REDIRECTABLE = Need(
    "money_claimed",
    "All of its money is on its way, or has gone: it cannot go elsewhere any more.",
    lambda at, who: at.redirectable,
)
CODE_SENT = Need("no_code_sent", "No change of where the money goes waits for a code.", lambda at, who: at.awaits_code)
UNINVOLVED = Need(
    "decided_before",
    "Whoever asked for it or approved it does not say that it was paid outside: somebody else has to.",
    lambda at, who: who.reference not in (at.requested_by, at.approved_by),
    Forbidden,
)
CONTESTABLE = Need(
    "not_contestable",
    "Nothing of it was refused; or the time to contest that is over.",
    lambda at, who: at.contestable,
)
STILL_LOOKED_AT = Need(
    "not_contestable",
    "It was refused, and the time to contest that is over.",
    lambda at, who: at.state is not RefundState.REJECTED or at.contestable,
)
SOMEBODY_LOOKS = Need(
    "refunded_at_once",
    "It is refunded at once: nobody is going to look at it.",
    lambda at, who: at.state is not RefundState.REQUESTED or at.route is not Route.INSTANT,
)
NOT_STOPPED = Need("being_stopped", "The carrier is turning the parcel round.", lambda at, who: not at.being_stopped)
NOT_BACK = Need("goods_returned", "The carrier has brought the parcel back.", lambda at, who: not at.turned_back)
NOT_WISHED_AWAY = Need(
    "cancel_requested", "It is to be cancelled once the courier confirms.", lambda at, who: not at.cancel_wanted
)
COMES_HOME = Need(
    "nothing_to_receive",
    "No goods were to come back for this refund.",
    lambda at, who: at.state not in GOODS_MAY_ARRIVE | PAID_BEFORE or at.route in (Route.PICKUP, Route.INTERCEPT),
)
NOT_HERE_YET = Need(
    "goods_received",
    "The goods have been received already.",
    lambda at, who: not at.received,
)
REPLACEABLE = Need(
    "nothing_to_replace",
    "Nothing that the customer was sent comes back, or is complained of: there is nothing to replace.",
    lambda at, who: at.about_goods and at.route is not Route.INSTANT,
)
NOT_REPLACED = Need("already_replaced", "The shop has sent another one.", lambda at, who: not at.replaced)
HERE = Need(
    "goods_not_received",
    "The goods have not been received.",
    lambda at, who: at.received or at.state is RefundState.INSPECTING,
)
AT_HAND = Need(
    "no_parcel_yet",
    "No parcel of it is here, or on its way.",
    lambda at, who: at.received or at.under_way or at.state is RefundState.INSPECTING,
)
NOT_INSPECTED = Need("goods_inspected", "Somebody has looked at these goods already.", lambda at, who: not at.inspected)
FOUND_WRONG = Need(
    "nothing_refused",
    "Nothing that came back was found to be damaged or wrong.",
    lambda at, who: at.inspected and at.found_wrong,
)
#: The customer has the goods: else he would lose both them and the money.
WITH_THE_CUSTOMER = (NOT_RECEIVED, NOT_UNDER_WAY, NOT_STOPPED, NOT_BACK)
MISSING = Need(
    "nothing_to_retry",
    "No movement of this refund has failed, or is unknown to its gateway.",
    lambda at, who: at.missing or at.unanswered,
)
PAYABLE_OUTSIDE = Need(
    "nothing_to_retry",
    "No movement of this refund has failed, is unknown to its gateway, or is to be paid by hand.",
    lambda at, who: at.missing or at.unanswered or at.by_hand,
)
UNDOUBTED = Need("outcome_open", "The gateway is being asked what became of it.", lambda at, who: not at.doubted)
SETTLED = Need("outcome_open", "The gateway has not said what became of it.", lambda at, who: not at.open_outcome)
