"""Facts in, the finished message out. Reads templates and the compiled catalogue, nothing else.

One file per event holds the sentences of a mail; `layout.html` and `layout.txt` put them on paper, so that the two
parts of a mail cannot tell different things.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from typing import Any

from django.utils import translation

from orders.typed import is_mail_address, paragraphs, single_line
from refunds.amounts import format_minor
from refunds.destinations import Instrument
from refunds.messages.facts import Item, MessageFacts, Visit
from refunds.messages.language import CHINESE, LOCALES, written_moment, written_span
from refunds.messages.sentences import headline, in_part, listed, missing_minor, unfinished, whole
from refunds.messages.sms import fitted, in_gsm, to_gsm
from refunds.messages.templates import escaped, plain
from refunds.messages.zones import zone_of
from workers.ports import OutgoingMessage

Values = dict[str, Any]
#: Which messages say what the payers of discounts get.
_TELLS_PAYERS = ("received", "refunded", "refunded_at_once")
#: Which ones say what of the worth is not paid back, and how those about money that has moved say where it went.
_TELLS_KEPT = (*_TELLS_PAYERS, "approved", "pickup_booked", "label_ready", "parcel_checked", "closed_in_part")
_TELLS_MONEY = {
    "refunded": whole,
    "refunded_at_once": whole,
    "closed_in_part": in_part,
    "failed": unfinished,
    "reversed": unfinished,
}
#: The courier's visit, until when to hand over, to answer or to prove; and the one of them that an SMS has room for.
_TIMES = ("visit", "deadline", "answer_by", "proof_until")
_TOLD_BY_SMS = {
    "pickup_booked": ("visit",),
    "label_ready": ("deadline",),
    "reminder": ("deadline",),
    "offered": ("deadline",),
    "offer_reminder": ("deadline",),
    "question": ("answer_by",),
    "replacing": ("deadline",),
}
#: What a template may ask for and not every message has, and what the file of a mail may set for the layout.
_EMPTY: Values = {
    **dict.fromkeys((*_TIMES, "missing", "code", "payee", "replaced_by"), ""),
    **dict.fromkeys(("headline", "lead", "next", "then", "button", "accent"), ""),
    **dict.fromkeys(("quote_label", "amount_label", "items_label"), ""),
    **dict.fromkeys(("quiet_amount", "shows_note", "shows_reason", "shows_visit"), False),
    **dict.fromkeys(("shows_findings", "shows_denied"), False),
}
#: Which messages name an offer.
_TELLS_OFFER = ("offered", "offer_reminder", "offer_expired")


def render_message(facts: MessageFacts) -> OutgoingMessage:
    """The message in the language of its facts, whatever language the thread speaks."""
    with translation.override(facts.language):
        return _sms(facts) if facts.channel == "sms" else _mail(facts)


def _mail(facts: MessageFacts) -> OutgoingMessage:
    values, sentences = _values(facts), f"email/{facts.template}.html"
    return OutgoingMessage(
        identity=f"<{facts.identity}>",
        to=facts.to,
        subject=single_line(plain("email/subject.txt", facts.language, values)),
        text=_tidy(plain(sentences, facts.language, values | {"layout": "email/layout.txt"})),
        html=escaped(sentences, facts.language, values | {"layout": "email/layout.html"}),
        template=facts.template,
        refund=facts.refund,
        references=(f"<{facts.thread}>",),
        sender=single_line(facts.sender),
    )


def _sms(facts: MessageFacts) -> OutgoingMessage:
    params, text = fitted(_sms_params(facts), lambda params: _sms_text(facts, params))
    return OutgoingMessage(
        identity=facts.identity,
        to=facts.to,
        text=text,
        template=f"{facts.template}.{facts.language}",
        params=params,
        refund=facts.refund,
    )


def _sms_text(facts: MessageFacts, params: Mapping[str, str]) -> str:
    values = {"facts": facts, "way": facts.way.value, **_EMPTY, **params}
    return _sender_of_sms(params["shop"], facts.language) + single_line(
        plain(f"sms/{facts.template}.txt", facts.language, values).strip()
    )


@lru_cache(maxsize=1024)
def _sender_of_sms(shop: str, language: str) -> str:
    return plain("sms/shop.txt", language, {"shop": shop}).strip("\n")


def _sms_params(facts: MessageFacts) -> dict[str, str]:
    """Named as in the providers' approved templates."""
    amounts = {"amount": facts.amount_minor} | _missing(facts)
    if facts.template in _TELLS_OFFER:
        amounts = {"offer": facts.offered_minor}
    written = {name: _amount(facts, minor).replace("\u00a0", " ") for name, minor in amounts.items()}
    params = {
        "shop": single_line(facts.shop),
        "order": single_line(facts.order),
        "request": facts.request,
        **_proofs(facts),
        **written,
        **_times(facts, _TOLD_BY_SMS.get(facts.template, ()), short=True),
    }
    if facts.language == CHINESE:
        return params
    for name, amount in written.items():
        if not in_gsm(amount):
            params[name] = f"{facts.currency} {to_gsm(amount, instead='')}"
    return {name: to_gsm(text, instead="?" if name == "order" else "") for name, text in params.items()}


def _proofs(facts: MessageFacts) -> dict[str, str]:
    payee = single_line(facts.payee) if facts.instrument == Instrument.ACCOUNT else ""
    told = {
        "target_code": {"code": facts.code, "payee": payee},
        "target_set": {"payee": payee},
        "replaced": {"replaced_by": single_line(facts.replaced_by)},
    }
    return {name: text for name, text in told.get(facts.template, {}).items() if text}


def _missing(facts: MessageFacts) -> dict[str, int]:
    """Of a refund that went in part: what did not go, and of how much."""
    if facts.template == "closed_in_part":
        return {"amount": facts.amount_minor + facts.unsent_minor, "missing": facts.unsent_minor}
    missing = missing_minor(facts)
    return {"missing": missing} if facts.template == "failed" and missing < facts.amount_minor else {}


def _values(facts: MessageFacts) -> Values:
    contact = single_line(facts.contact)
    return _EMPTY | {
        "facts": facts,
        "way": facts.way.value,
        "lang": LOCALES[facts.language].replace("_", "-"),
        "customer": single_line(facts.customer),
        "shop": single_line(facts.shop),
        "order": single_line(facts.order),
        "note": paragraphs(facts.note),
        "reason": paragraphs(facts.reason),
        "items": _counted((item.name, item.quantity) for item in facts.items),
        "to_pack": _counted((item.name, item.quantity - item.elsewhere) for item in facts.items),
        "denied": _counted((item.name, item.denied) for item in facts.items),
        "findings": [(single_line(item.name), item.announced, _found(item)) for item in facts.items if item.announced],
        "amount": _amount(facts, facts.amount_minor),
        "funded": [(payer, _amount(facts, part)) for payer, part in facts.funded if facts.template in _TELLS_PAYERS],
        **_money(facts),
        "adjusted": [single_line(name) for name in facts.adjusted],
        "requested_on": written_moment(facts.requested_at, facts.written_in, zone_of(facts.country)),
        **_times(facts, _TIMES),
        "mention": facts.request or single_line(facts.order),
        "payee": single_line(facts.payee),
        "code": facts.code,
        "label": facts.label,
        "waybill": single_line(facts.waybill),
        "replaced_by": single_line(facts.replaced_by),
        "offer": _amount(facts, facts.offered_minor) if facts.template in _TELLS_OFFER else "",
        "offer_note": paragraphs(facts.offer_note),
        "said": paragraphs(facts.said),
        "contact": contact,
        "contact_href": _href(contact),
    }


def _money(facts: MessageFacts) -> Values:
    """Where it went; and what of the worth is not paid back, where that is not told so already."""
    tells = _TELLS_MONEY.get(facts.template)
    says_why = bool(tells) and not facts.amount_minor
    write = partial(_amount, facts)
    return {
        "headline": headline(facts.moved) if tells is whole else "",
        "went": tells(facts, write) if tells else "",
        "kept": listed(facts.kept, write) if facts.template in _TELLS_KEPT and not says_why else (),
    }


def _times(facts: MessageFacts, told: Iterable[str], *, short: bool = False) -> dict[str, str]:
    """Of the times in `_TIMES` those that are to be told, as far as there are such."""
    zone, times = zone_of(facts.country), {}
    for name in told:
        at = getattr(facts, name)
        if isinstance(at, Visit):
            times[name] = written_span(at.starts_at, at.ends_at, facts.written_in, zone, short=short)
        elif at:
            times[name] = written_moment(at, facts.written_in, zone, short=short)
    return times


def _counted(items: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    return [(single_line(name), quantity) for name, quantity in items if quantity]


def _found(item: Item) -> list[tuple[str, int]]:
    counts = (("accepted", item.accepted), ("damaged", item.damaged), ("wrong_item", item.wrong_item))
    return [(kind, count) for kind, count in (*counts, ("missing", item.missing)) if count]


def _amount(facts: MessageFacts, amount_minor: int) -> str:
    return format_minor(amount_minor, facts.currency, facts.written_in)


def _href(contact: str) -> str:
    """The link behind a channel's contact; empty for what is only to be read, as a phone number."""
    if is_mail_address(contact):
        return f"mailto:{contact}"
    return contact if contact.startswith("https://") else ""


def _tidy(text: str) -> str:
    """Paragraphs of the text part: one empty line between them, none at the ends."""
    lines = [line.strip() for line in text.splitlines()]
    kept = [line for at, line in enumerate(lines) if line or (at and lines[at - 1])]
    return "\n".join(kept).strip() + "\n"
