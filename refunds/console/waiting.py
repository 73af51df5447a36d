"""Whom a refund's money waits for, and what he has to do: said above the buttons of its case."""

from collections.abc import Collection, Iterator

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from refunds.actions import Action
from refunds.console import written
from refunds.console.timeline import by
from refunds.console.words import ACTIONS
from refunds.destinations import masked_contact
from refunds.models import GatewayRefund
from refunds.selectors.allowed import lacks_second
from refunds.selectors.desk import CaseFile
from refunds.selectors.hand_accounts import is_by_hand
from refunds.states import FINAL_STATES, RefundState


def waits(case: CaseFile, allowed: Collection[Action]) -> list[str]:
    """`allowed`: what the reader may do with it now."""
    return [*_for_a_code(case, allowed), *_for_a_second(case, allowed), *_for_a_hand(case, allowed)]


def _for_a_code(case: CaseFile, allowed: Collection[Action]) -> Iterator[str]:
    change = next((c for c in case.refund.target_changes.all() if not c.confirmed_at and not c.ended_at), None)
    if change is None or not change.code_expires_at:
        return
    to, until = masked_contact(change.code_channel, change.code_to), written.moment(change.code_expires_at)
    text = _("Where the money goes waits for the customer's code: it was sent to %(to)s, and is good until %(until)s.")
    yield text % {"to": to, "until": until}
    if Action.CONFIRM_TARGET in allowed:
        yield _("The customer enters it on the refund's page, or tells it to you: enter it below.")


def _for_a_second(case: CaseFile, allowed: Collection[Action]) -> Iterator[str]:
    refund = case.refund
    if refund.state in FINAL_STATES or not lacks_second(refund):
        return
    first = dict.fromkeys(filter(None, (refund.requested_by, refund.approved_by, refund.target_by)))
    names = pgettext("list", ", ").join(by(reference, "", case.names) for reference in first)
    yield _("The money waits for a second person, who has not taken part before: not for %(names)s.") % {"names": names}
    if Action.SECOND_APPROVE in allowed:
        text = _("Look at the amount and where it goes. If you agree: %(action)s.")
        yield text % {"action": ACTIONS[Action.SECOND_APPROVE]}


def _for_a_hand(case: CaseFile, allowed: Collection[Action]) -> Iterator[str]:
    waiting = [m for m in case.refund.gateway_refunds.all() if is_by_hand(m)]
    if case.refund.state != RefundState.REFUNDING or lacks_second(case.refund):
        return
    for movement in waiting:
        amount = written.amount(movement.amount_minor, movement.currency)
        text = _("%(amount)s waits to be paid by hand, from %(payment)s: no gateway pays it.")
        yield text % {"amount": amount, "payment": _payment(movement)}
    if waiting and Action.RECORD_EXTERNAL in allowed:
        text = _("Pay it, then say so below with its proof: %(action)s.")
        yield text % {"action": ACTIONS[Action.RECORD_EXTERNAL]}


def _payment(movement: GatewayRefund) -> str:
    payment = movement.share.payment
    return f"{payment.account} · {payment.reference}"
