"""A request as its page shows it: everything written out, so that the template has nothing to decide."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from orders.typed import is_mail_address, paragraphs, single_line
from refunds.actions import Action
from refunds.destinations import Instrument
from refunds.messages.facts import Item
from refunds.messages.sentences import joined
from refunds.pages.codes import CodeAsked
from refunds.pages.facts import Part, Request
from refunds.pages.presenters.destinations import goes_to, money_by
from refunds.pages.presenters.sheets import Row, sheet_rows
from refunds.pages.presenters.story import Step, story
from refunds.pages.presenters.telling import look_every, tell
from refunds.pages.presenters.told import Told
from refunds.pages.presenters.words import Words
from refunds.pages.reasons import reason_text
from refunds.states import RefundState, Remedy

#: What the customer can do, in this order.
_OFFERED = (
    Action.ACCEPT_OFFER,
    Action.DECLINE_OFFER,
    Action.CONTEST,
    Action.CONFIRM_TARGET,
    Action.SET_TARGET,
    Action.CONFIRM_ARRIVAL,
    Action.SHIP_BACK,
    Action.REBOOK_PICKUP,
    Action.DROP_OFF,
    Action.EVIDENCE,
    Action.WRITE,
    Action.CANCEL,
)


@dataclass(frozen=True, slots=True)
class Fact:
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class LetterShown:
    """What one side wrote; `asks`: it waits for the customer's answer."""

    author: str
    text: str
    at: str
    iso: str
    own: bool
    asks: bool


@dataclass(frozen=True, slots=True)
class PartShown:
    """`figure` is the amount as it is now: of a refund that ended in part, how much of what was asked for. `actions`
    are the names of what can be done now. `offer`: what is offered; `asked`: a question waits. `code`: what a code of
    his confirms, and what to do without one."""

    number: str
    title: str
    told: Told
    amount: str
    figure: str
    facts: tuple[Fact, ...]
    items: tuple[str, ...]
    findings: tuple[str, ...]
    rejection: str
    sheet: tuple[Row, ...]
    to: tuple[Row, ...]
    by: str
    steps: tuple[Step, ...]
    is_final: bool
    actions: tuple[str, ...]
    offer: str
    offer_note: str
    asked: bool
    contest_until: str
    letters: tuple[LetterShown, ...]
    label: str
    code: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RequestShown:
    """`every`: seconds between two looks, 0 when all has ended. `can` names every action of every part."""

    number: str
    parts: tuple[PartShown, ...]
    every: int
    amount: str

    @property
    def can(self) -> str:
        return ".".join(f"{part.number}:{action}" for part in self.parts for action in part.actions)

    @property
    def headline(self) -> str:
        return " / ".join(dict.fromkeys(part.told.headline for part in self.parts))

    @property
    def tone(self) -> str:
        return self.parts[0].told.tone.value


def show_request(request: Request, words: Words) -> RequestShown:
    return RequestShown(
        number=request.number,
        parts=tuple(_part(part, words.at(part.country)) for part in request.parts),
        every=look_every(request.parts, words),
        amount=words.amount(request.amount_minor, request.parts[0].currency),
    )


def contact_link(contact: str) -> str:
    """The link behind a channel's contact; empty for what is only to be read."""
    if is_mail_address(contact):
        return f"mailto:{contact}"
    return contact if contact.startswith("https://") else ""


def _part(part: Part, words: Words) -> PartShown:
    return PartShown(
        number=part.number,
        title=_("Part %(part)s of %(parts)s") % {"part": part.part, "parts": part.parts} if part.parts > 1 else "",
        told=tell(part, words),
        amount=words.amount(part.amount_minor, part.currency),
        figure=_figure(part, words),
        facts=_facts(part, words),
        items=tuple(f"{item.quantity} × {single_line(item.name)}" for item in part.items if item.quantity),
        findings=tuple(_found(item) for item in part.items if item.announced),
        rejection="" if part.state is RefundState.IN_REVIEW else paragraphs(part.rejection),
        sheet=sheet_rows(part.sheet, part.currency, words),
        to=() if part.gets_another or part.state is RefundState.OFFERED else goes_to(part.money, part.currency, words),
        by=money_by(part, words),
        steps=story(part, words),
        is_final=part.is_final,
        actions=tuple(str(action) for action in _OFFERED if _is_offered(action, part)),
        offer=words.amount(part.offered_minor, part.currency) if part.state == RefundState.OFFERED else "",
        offer_note=paragraphs(part.offer_note),
        asked=part.answer_by is not None,
        contest_until=words.moment(part.contest_until) if part.contest_until else "",
        letters=_letters(part, words),
        label=part.parcel.label if part.parcel and part.state == RefundState.AWAITING_RETURN else "",
        code=_code(part.code, words.amount(part.amount_minor, part.currency), words) if part.code else (),
    )


def _code(code: CodeAsked, amount: str, words: Words) -> tuple[str, ...]:
    """A further code is for him to ask for where he may say so himself."""
    facts = {"amount": amount, "payee": code.payee, "to": code.to, "until": words.moment(code.until)}
    if code.instrument is Instrument.STORE_CREDIT:
        goes = _("With it you confirm that %(amount)s is added to your store credit.")
        again = _("No code, or has it run out? Ask for another below.")
    else:
        goes = _("With it you confirm that %(amount)s goes to the account %(payee)s.")
        again = _("No code, or has it run out? Write to us, and we send another.")
    sent = _("We sent a code of 6 digits to %(to)s. It is good until %(until)s.")
    wish = _("Was this not your wish? Then do not enter it, and tell us at once.")
    return joined([sent % facts, goes % facts]), joined([again, wish])


def _letters(part: Part, words: Words) -> tuple[LetterShown, ...]:
    """What waits for an answer is the newest word of customer service."""
    question = next((each for each in reversed(part.thread) if not each.own), None) if part.answer_by else None
    return tuple(
        LetterShown(
            author=_("You") if each.own else _("Customer service"),
            text=paragraphs(each.text),
            at=words.moment(each.at),
            iso=each.at.isoformat(),
            own=each.own,
            asks=each is question,
        )
        for each in part.thread
    )


def _figure(part: Part, words: Words) -> str:
    amount = words.amount(part.amount_minor, part.currency)
    if part.state is RefundState.OFFERED:
        offer = words.amount(part.offered_minor, part.currency)
        return _("%(offer)s instead of %(amount)s") % {"offer": offer, "amount": amount}
    if part.state is not RefundState.PARTIALLY_REFUNDED:
        return amount
    whole = words.amount(part.amount_minor + part.unsent_minor, part.currency)
    return _("%(sent)s of %(amount)s") % {"sent": amount, "amount": whole}


def _is_offered(action: Action, part: Part) -> bool:
    """A wish to cancel that waits for the courier need not be said twice. Of where else the money
    can go, store credit is all that he can choose by himself."""
    if action is Action.SET_TARGET and not part.may_be_credit:
        return False
    return action in part.actions and not (action is Action.CANCEL and part.cancel_wanted)


def _facts(part: Part, words: Words) -> tuple[Fact, ...]:
    parcel = part.parcel
    facts = [Fact(pgettext("label", "Requested"), words.moment(part.requested_at))]
    if parcel and parcel.visit:
        facts.append(Fact(pgettext("label", "Courier"), words.visit(parcel.visit)))
    if parcel and parcel.waybill:
        carrier = f"{single_line(parcel.carrier)} " if parcel.carrier else ""
        facts.append(Fact(pgettext("label", "Parcel"), carrier + single_line(parcel.waybill)))
    if part.boxes > 1:
        facts.append(Fact(pgettext("label", "Boxes"), str(part.boxes)))
    if part.remedy is Remedy.REPLACEMENT:
        facts.append(Fact(pgettext("label", "You get"), _("another one of the same, instead of the money")))
    if part.reason:
        facts.append(Fact(pgettext("label", "Reason"), reason_text(part.reason, part.reasons)))
    if part.note:
        facts.append(Fact(pgettext("label", "Your note"), paragraphs(part.note)))
    return tuple(facts)


def _found(item: Item) -> str:
    counts = (
        (_("%(n)s accepted"), item.accepted),
        (_("%(n)s damaged"), item.damaged),
        (_("%(n)s not the right item"), item.wrong_item),
        (_("%(n)s missing"), item.missing),
    )
    listed = pgettext("list", ", ").join(text % {"n": count} for text, count in counts if count)
    return f"{single_line(item.name)}{pgettext('label', ': ')}{listed}"
