"""Why a customer wants his money back: the list he chooses from. The codes go into the API's `reason`."""

from collections.abc import Mapping, Sequence

from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from refunds.messages.language import ENGLISH
from refunds.returnable import Reason

#: Where the policy has none of its own. Whose fault lies in the goods is known to `refunds.routing`.
REASONS = (
    ("", _("I would rather not say")),
    ("changed_mind", _("I have changed my mind")),
    ("ordered_by_mistake", _("I ordered it by mistake")),
    ("too_late", _("It takes too long")),
    ("damaged", _("It arrived damaged")),
    ("defective", _("It does not work")),
    ("wrong_item", _("It is not what I ordered")),
    ("not_as_described", _("It is not as described")),
    ("other", _("Another reason")),
)


def choices(reasons: Sequence[Reason]) -> list[tuple[str, str]]:
    """What he chooses from, in his language: the policy's reasons, or the built-in ones."""
    own = [(reason.code, _in_language(reason.text)) for reason in reasons]
    return own or [(code, str(text)) for code, text in REASONS]


def reason_text(code: str, reasons: Sequence[Reason] = ()) -> str:
    """As the customer reads it, by the policy's `reasons`; a code from elsewhere as it is, empty for none."""
    own = next((reason for reason in reasons if reason.code == code), None)
    if own:
        return _in_language(own.text)
    return str(dict(REASONS).get(code, code)) if code else ""


def _in_language(text: Mapping[str, str]) -> str:
    return text.get(get_language() or ENGLISH) or text.get(ENGLISH, "")
