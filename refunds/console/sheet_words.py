"""The entries of a sheet, in words for people."""

from django.utils.translation import gettext_lazy as _

SHEET = {
    "tax": _("Tax"),
    "shipping": _("Shipping"),
    "shipping_tax": _("Tax on shipping"),
    "discount": _("Discount"),
    "adjustment": _("Price adjustment"),
    "amount": _("Free amount"),
    "overpaid": _("Paid too much"),
    "supplement": _("Express delivery, not refunded"),
    "claw_back": _("Minimum spend not reached any more"),
    "gift": _("Gift that stays in the order"),
    "deposit": _("Deposit, not refunded"),
    "restocking": _("Restocking fee"),
    "return_shipping": _("Return shipping"),
}
#: The label of these says which one.
NAMED_IN_SHEET = frozenset({"adjustment", "claw_back", "gift"})
