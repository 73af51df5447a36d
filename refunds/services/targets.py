"""Where the money of a request goes, and whether the accounts it goes to would take it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from orders.errors import Conflict
from orders.models import Order, Payment
from orders.roles import Role
from refunds.limits import NOT_CONFIGURED, STORE_CREDIT, Asked, Breach, breach, not_before, refundable_until
from refunds.policy import PolicySpec
from refunds.selectors.credit_accounts import credit_account
from refunds.selectors.sent import last_sent
from refunds.selectors.store_credit import holder_of
from refunds.services.beside import Beside
from refunds.services.docket import Docket
from refunds.services.gateways import accounts, limits_of
from refunds.services.payers import Gives, Source
from refunds.services.wishes import Part, RefundWish
from refunds.states import RefundTo
from workers.ports import Limits


@dataclass(frozen=True, slots=True)
class Given:
    """What of a payment is given back, and how: `target` is the account it goes to instead, `until` when it could last
    be given back to the payment, `waits_until` when its gateway takes the next refund of it."""

    account: str
    reference: str
    amount_minor: int
    target: str = ""
    until: datetime | None = None
    waits_until: datetime | None = None


def target_of(order: Order, wish: RefundWish, policy: PolicySpec) -> str:
    """The account that the money goes to instead of back to its payments; empty: back. Raises Conflict.

    What the policy says of store credit holds where there is a customer to have it; he himself cannot say otherwise.
    """
    by_policy = RefundTo(policy.refund_to)
    is_bound = by_policy is RefundTo.STORE_CREDIT and wish.actor.role is Role.CUSTOMER
    wanted = None if is_bound else wish.refund_to
    if wanted is RefundTo.STORE_CREDIT:
        return credit_for(order)
    is_credit = (wanted or by_policy) is RefundTo.STORE_CREDIT
    return credit_account() if is_credit and holder_of(order) else ""


def credit_for(order: Order) -> str:
    """The account of store credit that its customer can have. Raises Conflict."""
    if not credit_account():
        raise Conflict("no_store_credit", "This shop gives no store credit: no account of it is configured.")
    if holder_of(order) is None:
        detail = "The order names no customer who could have store credit: neither his reference nor an e-mail address."
        raise Conflict("no_store_credit", detail)
    return credit_account()


def may_choose_credit(order: Order, policy: PolicySpec) -> bool:
    """The customer may have it as store credit, and need not."""
    is_open = RefundTo(policy.refund_to) is RefundTo.ORIGINAL
    return is_open and bool(credit_account()) and holder_of(order) is not None


def sources(docket: Docket, order: Order, policy: PolicySpec, *, target: str) -> tuple[Source, ...]:
    """The order's shares, the oldest first. Back to where it came from is no other target."""
    shares = docket.shares_of(order.id)
    paid_by = {share.id: docket.payments[share.payment_id].account for share in shares}
    return tuple(
        Source(share, docket.turn_of(share, policy), "" if paid_by[share.id] == target else target) for share in shares
    )


class Tellers:
    """The accounts that the parts of a request go to, asked on paper what they would say."""

    def __init__(self, docket: Docket, order: Order, beside: Beside) -> None:
        self._docket, self._order, self._beside = docket, order, beside

    def refuse(self, parts: Sequence[Part]) -> None:
        """Raise Conflict for the first movement that its account would not take, or that no account is there for. The
        end of a hold is no refund."""
        for gives in [gives for part in parts for gives in part.shares]:
            self._refuse_unconfigured(self._payment_of(gives), gives.target)
        new = Counter[int]()
        for gives in [gives for part in parts for gives in part.shares if gives.captured_minor]:
            payment = self._payment_of(gives)
            if found := self._breach(payment, gives, new=new[payment.id]):
                raise self._problem(payment, gives.target, found)
            new[payment.id] += not gives.target

    def given(self, parts: Sequence[Part]) -> Iterator[Given]:
        """What each payment gives, over all parts."""
        sums = Counter[tuple[int, str]]()
        for gives in [gives for part in parts for gives in part.shares]:
            sums[gives.share_id, gives.target] += gives.amount_minor
        for (share_id, target), amount_minor in sums.items():
            payment = self._docket.payments[self._docket.shares[share_id].payment_id]
            limits = limits_of(payment.account)
            yield Given(
                account=payment.account,
                reference=payment.reference,
                amount_minor=amount_minor,
                target=target,
                until=None if target else refundable_until(limits, payment.captured_at),
                waits_until=None if target else self._waits_until(payment, limits),
            )

    def _payment_of(self, gives: Gives) -> Payment:
        return self._docket.payments[self._docket.shares[gives.share_id].payment_id]

    def _refuse_unconfigured(self, payment: Payment, target: str) -> None:
        """An account may have left the configuration since its payment was stated."""
        if (target or payment.account) not in accounts(payment.channel_id):
            detail = "no account of this name is configured any more, so that nothing could be sent"
            raise self._problem(payment, target, Breach(NOT_CONFIGURED, detail, {}))

    def _waits_until(self, payment: Payment, limits: Limits) -> datetime | None:
        ready = not_before(limits, last_sent(payment.id)) if limits.interval_seconds else None
        return ready if ready and ready > self._docket.now else None

    def _breach(self, payment: Payment, gives: Gives, *, new: int) -> Breach | None:
        """As store credit it is no refund of the payment: only the amount and its currency can stand against it."""
        limits, now = limits_of(gives.target or payment.account), self._docket.now
        amount_minor = gives.captured_minor
        if gives.target:
            return breach(limits, Asked(amount_minor, payment.currency, captured_minor=amount_minor), now=now)
        asked = Asked(
            amount_minor=amount_minor,
            currency=payment.currency,
            captured_minor=payment.total_minor,
            captured_at=payment.captured_at,
            earlier=self._beside.refunds_of(payment) + new if limits.most_refunds else 0,
        )
        return breach(limits, asked, now=now)

    def _problem(self, payment: Payment, target: str, found: Breach) -> Conflict:
        account = target or payment.account
        instead: list[dict[str, Any]] = list(found.alternatives)
        if not target and credit_account() and holder_of(self._order):
            instead.append({"refund_to": STORE_CREDIT})
        detail = f"Gateway account {account} would refuse: {found.detail}.{_advice(instead)}"
        figures: dict[str, Any] = {"account": account, "payment": payment.reference, **found.figures}
        return Conflict(found.code, detail, alternatives=instead, **figures)


def _advice(alternatives: Sequence[dict[str, Any]]) -> str:
    words = [f"{one['amount_minor']} back" for one in alternatives if "amount_minor" in one]
    words += ["the amount as store credit" for one in alternatives if "refund_to" in one]
    return f" Possible: {', or '.join(words)}." if words else ""
