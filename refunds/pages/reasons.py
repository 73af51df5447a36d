"""Why a customer wants his money back: the list he chooses from. The codes go into the API's `reason`."""

from django.utils.translation import gettext_lazy as _

#: Whose fault lies in the goods is known to `refunds.routing`.
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


def reason_text(code: str) -> str:
    """As the customer reads it; a code from elsewhere as it is, empty for none."""
    return str(dict(REASONS).get(code, code)) if code else ""
