"""Where the money of a refund went, in the reader's language: the one place that says so, for mails and pages alike.

Each way has its sentence, which is true whatever else there is beside it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, reduce
from typing import Protocol

from django.utils.translation import get_language, gettext, gettext_noop, pgettext

from orders.typed import single_line
from refunds.messages.kept import Kept
from refunds.messages.moved import Moved, Way

Write = Callable[[int], str]
_CARD = re.compile(r"card ending (\d{4})")


def _(sentence: str) -> str:
    """`gettext`, that looks up each of these few sentences once for a language."""
    return _looked_up(sentence, get_language())


class Told(Protocol):
    """A refund of so much, in minor units; `unsent_minor` is beside it, and is not sent any more."""

    @property
    def amount_minor(self) -> int: ...
    @property
    def moved(self) -> Moved: ...
    @property
    def unsent_minor(self) -> int: ...
    @property
    def kept(self) -> tuple[Kept, ...]: ...


def headline(moved: Moved) -> str:
    """Of a refund that has ended."""
    if moved.original_minor or moved.agreed_minor:
        return _("Your refund has been sent")
    ways = [*moved.by_way]
    if ways == [Way.CREDIT]:
        return _("Your refund is in your store credit")
    if ways == [Way.EXCHANGED]:
        return _("You get a replacement")
    return _("Your refund is complete")


def whole(of: Told, write: Write) -> str:
    """It has ended: all of it went."""
    if not of.amount_minor:
        return nothing(of.kept, write)
    return joined(_went(of.moved, write)) or _("Your refund of %(amount)s is complete.") % _of(of.amount_minor, write)


def in_part(of: Told, write: Write) -> str:
    """It has ended: some of it went, and the rest does not."""
    rest = [_("%(amount)s has not been sent.") % _of(of.unsent_minor, write)] if of.unsent_minor else []
    return joined([*_went(of.moved, write), *rest])


def unfinished(of: Told, write: Write) -> str:
    """Some of it went, or went and came back; the rest is still to go. Empty where nothing has left."""
    back = _("%(amount)s that we had sent you has come back to us.") % _of(of.moved.returned_minor, write)
    said = [*_went(of.moved, write), *([back] if of.moved.returned_minor else [])]
    minor = missing_minor(of) - of.moved.returned_minor
    rest = [_("%(amount)s has not been sent yet.") % _of(minor, write)] if minor > 0 else []
    return joined([*said, *rest]) if said else ""


def nothing(kept: Iterable[Kept], write: Write) -> str:
    """Why there is no money to pay back."""
    if parts := listed(kept, write):
        return _("There is no money to pay back. Not refunded: %(kept)s.") % {
            "kept": pgettext("list", ", ").join(parts)
        }
    return _("There was no money to pay back: nothing had been taken for these items.")


def listed(kept: Iterable[Kept], write: Write) -> tuple[str, ...]:
    """What stays with the shop."""
    return tuple(one.said(write) for one in kept)


def account_named(account: str) -> str:
    """As the gateway names it; what is said of every card, in the reader's language."""
    name = single_line(account)
    card = _CARD.fullmatch(name)
    return _("card ending %(digits)s") % {"digits": card[1]} if card else name


def joined(sentences: Iterable[str]) -> str:
    """As the language puts them beside each other."""
    said, *rest = [*sentences] or [""]
    pair = _("%(first)s %(then)s") if rest else ""
    return reduce(lambda first, then: pair % {"first": first, "then": then}, rest, said)


def missing_minor(of: Told) -> int:
    """What of it is still to reach the customer."""
    return max(0, of.amount_minor - of.moved.gone_minor)


def _went(moved: Moved, write: Write) -> Iterator[str]:
    """What goes to payments comes last: how long it takes is said after it."""
    for way, minor in moved.by_way.items():
        several = way is Way.ORIGINAL and moved.payments > 1
        yield _(_TO_SEVERAL if several else _WENT[way]) % _of(minor, write)
    if moved.accounts:
        accounts = pgettext("list", ", ").join(map(account_named, moved.accounts))
        yield _("It goes to: %(accounts)s.") % {"accounts": accounts}
    if moved.original_minor:
        yield _("It usually takes 1 to 3 working days to arrive.")


@lru_cache(maxsize=256)
def _looked_up(sentence: str, _language: str | None) -> str:
    return gettext(sentence)


def _of(minor: int, write: Write) -> dict[str, str]:
    return {"amount": write(minor)}


_TO_SEVERAL = gettext_noop("We have sent %(amount)s to your original payment methods.")
_WENT = {
    Way.RELEASED: gettext_noop("The hold on %(amount)s is released: that money had not been taken from you."),
    Way.DISPUTED: gettext_noop("Your bank has paid you %(amount)s already, by the dispute you opened there."),
    Way.EXCHANGED: gettext_noop("%(amount)s pays for another one of the same."),
    Way.AGREED: gettext_noop("We have sent %(amount)s in the way agreed with you."),
    Way.CREDIT: gettext_noop("We have added %(amount)s to your store credit. You can spend it in our shop at once."),
    Way.ORIGINAL: gettext_noop("We have sent %(amount)s to your original payment method."),
}
