"""The money goes elsewhere than it was meant to: said by an agent or the customer, confirmed with a code of his."""

import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from orders.errors import Conflict, Forbidden, Invalid, Problem
from orders.roles import Actor, Role
from refunds import destinations
from refunds.actions import Action
from refunds.destinations import BACK, CODE_LASTS, CODE_TRIALS, CODES_AN_HOUR, Destination, Instrument, Verdict
from refunds.limits import Asked, breach
from refunds.models import GatewayRefund, Refund, TargetChange
from refunds.selectors.allowed import is_redirectable
from refunds.selectors.contact import contact_of
from refunds.selectors.payout_accounts import payout_accounts
from refunds.services.acts.desk import Target, conclude, open_for
from refunds.services.approvals import forget_second
from refunds.services.docket import Docket
from refunds.services.gateways import limits_of
from refunds.services.replacing import redirect
from refunds.services.rows import policy_of
from refunds.services.targets import credit_for
from refunds.services.wakes import wake_notifications
from refunds.states import RefundState

_REFUSALS = {
    Verdict.WRONG: ("code_wrong", "This is not the code that was sent."),
    Verdict.EXPIRED: ("code_expired", "The code has run out: say anew where the money is to go, and get another."),
    Verdict.SPENT: ("code_spent", "A wrong code was entered too often: say anew where the money is to go."),
}


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Where the money is to go. `payee` is what the account knows the payee by, `proof` where the customer's consent
    can be found; both for another account only."""

    instrument: Instrument
    account: str = ""
    payee: str = ""
    payee_name: str = ""
    proof: str = ""


@transaction.atomic
def set_target(target: Target, wanted: Elsewhere, *, actor: Actor) -> Refund:
    """At once, or once the customer's code is entered. A change that was open is dropped for this one.

    Raises what `desk.open_for` raises; Forbidden for what the actor may not say; Invalid for an account that pays
    nobody out; Conflict where the account would not take it, where there is no store credit, or no phone or address
    that could prove anything, and for too many codes.
    """
    refund, docket = open_for(Action.SET_TARGET, target, actor)
    demand = destinations.demand(wanted.instrument, by_customer=actor.role is Role.CUSTOMER)
    if demand is None:
        raise Forbidden("role_forbidden", f"The role {actor.role} may not send money there.")
    if demand.proof and not wanted.proof.strip():
        raise Invalid.of("proof", "required", "Say where the customer's consent can be found.")
    change = _change(docket, refund, wanted, actor)
    _refuse_unpayable(docket, refund, change)
    _open_changes(refund).update(ended_at=docket.now)
    if demand.code:
        _send_code(docket, refund, change, actor)
    else:
        _carry_out(docket, refund, change, actor)
    change.save(force_insert=True)
    return conclude(docket, refund)


@transaction.atomic
def confirm_target(target: Target, *, code: str, actor: Actor) -> Refund | Problem:
    """The customer's code: what was asked for is done. Raises what `desk.open_for` raises.

    A code that is not right is answered, not raised: the caller commits that it was tried.
    """
    refund, docket = open_for(Action.CONFIRM_TARGET, target, actor)
    change = _open_changes(refund).get()
    expires_at = change.code_expires_at or docket.now
    right = destinations.code_of(settings.SECRET_KEY, change.code_salt)
    verdict = destinations.judge(code, right, trials=change.trials, expires_at=expires_at, now=docket.now)
    if verdict is not Verdict.RIGHT:
        return _not_right(docket, refund, change, verdict, actor)
    _refuse_unpayable(docket, refund, change)
    _carry_out(docket, refund, change, actor)
    change.save()
    return conclude(docket, refund)


def _change(docket: Docket, refund: Refund, wanted: Elsewhere, actor: Actor) -> TargetChange:
    """As asked for. Raises Invalid and Conflict for where no money can go."""
    change = TargetChange(
        refund_id=refund.pk, instrument=wanted.instrument.value, asked_by=actor.reference, asked_at=docket.now
    )
    if wanted.instrument is Instrument.STORE_CREDIT:
        change.account = credit_for(docket.orders[refund.order_id])
    elif wanted.instrument is Instrument.ACCOUNT:
        if wanted.account not in payout_accounts():
            known = ", ".join(payout_accounts()) or "none is configured"
            raise Invalid.of("account", "unknown_account", f"No account of this name pays others out; of: {known}.")
        if not wanted.payee.strip():
            raise Invalid.of("payee", "required", "Say what this account knows the payee by.")
        change.account, change.payee, change.payee_name = wanted.account, wanted.payee.strip(), wanted.payee_name
        change.proof = wanted.proof
    return change


def _open_changes(refund: Refund) -> QuerySet[TargetChange]:
    return TargetChange.objects.filter(refund_id=refund.pk, confirmed_at=None, ended_at=None)


def _concerned(docket: Docket, refund: Refund) -> list[GatewayRefund]:
    """The movements that would go there. Money that is held and was not captured goes nowhere else."""
    here = [m for m in docket.movements[refund.id] if is_redirectable(m)]
    return [m for m in here if m.id not in docket.uncaptured_on(docket.shares[m.share_id])]


def _refuse_unpayable(docket: Docket, refund: Refund, change: TargetChange) -> None:
    """Raise Conflict where nothing could go there, or its account would not take it."""
    concerned = _concerned(docket, refund)
    if not concerned:
        raise Conflict("not_captured", "Its money is held and was not captured: it cannot go elsewhere.")
    if change.instrument == Instrument.STORE_CREDIT:
        change.account = credit_for(docket.orders[refund.order_id])
    for movement in concerned if change.account else ():
        amount, currency = movement.amount_minor, movement.currency
        asked = Asked(amount, currency, captured_minor=amount)
        if found := breach(limits_of(change.account), asked, now=docket.now):
            detail = f"Gateway account {change.account} would refuse: {found.detail}."
            raise Conflict(found.code, detail, account=change.account, **found.figures)


def _send_code(docket: Docket, refund: Refund, change: TargetChange, actor: Actor) -> None:
    """To what the order has had for a day, as it is now: a phone that is stated later gets none of it."""
    order = docket.orders[refund.order_id]
    to = destinations.code_goes_to(contact_of(order), docket.now)
    if to is None:
        detail = "The order has no phone and no mail address that has stood for 24 hours: nothing proves who asks."
        raise Conflict("contact_changed", detail)
    since = docket.now - timedelta(hours=1)
    recent = TargetChange.objects.filter(refund__order_id=order.pk, asked_at__gt=since).exclude(code_salt="")
    if recent.count() >= CODES_AN_HOUR:
        raise Conflict("too_many_codes", f"{CODES_AN_HOUR} codes were sent within the hour: try again later.")
    change.code_channel, change.code_to = to
    change.code_salt, change.code_expires_at = secrets.token_hex(16), docket.now + CODE_LASTS
    refund.code_until = change.code_expires_at
    docket.decide_anew(refund)
    docket.record(refund, "target.asked", {**_facts(change), "channel": change.code_channel}, actor)
    docket.owe(refund, "target_code", change.code_channel)


def _carry_out(docket: Docket, refund: Refund, change: TargetChange, actor: Actor) -> None:
    """What a second person agreed to was another target."""
    for movement in _concerned(docket, refund):
        is_back = not change.payee and change.account == docket.payment_of(movement).account
        redirect(docket, movement, BACK if is_back else Destination(change.account, change.payee), actor)
    is_elsewhere = change.instrument != Instrument.ORIGINAL
    refund.target_by, refund.target_at = (change.asked_by, docket.now) if is_elsewhere else ("", None)
    refund.code_until, change.confirmed_at = None, docket.now
    forget_second(refund)
    docket.decide_anew(refund)
    docket.record(refund, "target.set", _facts(change), actor)
    docket.tell(refund, "target_set", policy_of(refund.policy_version_id))
    if refund.state == RefundState.FAILED:
        docket.follow(refund, "retry", actor=actor)


def _not_right(docket: Docket, refund: Refund, change: TargetChange, verdict: Verdict, actor: Actor) -> Problem:
    change.trials += verdict is not Verdict.EXPIRED
    if verdict is not Verdict.WRONG:
        change.ended_at, refund.code_until = docket.now, None
        docket.decide_anew(refund)
    change.save()
    code, detail = _REFUSALS[verdict]
    docket.record(refund, "target.code_refused", {"why": code, "trials": change.trials}, actor)
    wake_notifications(docket.write())
    return Conflict(code, detail, trials_left=CODE_TRIALS - change.trials if verdict is Verdict.WRONG else 0)


def _facts(change: TargetChange) -> dict[str, str]:
    """For the trail: nothing personal."""
    return {"instrument": change.instrument, "account": change.account}
