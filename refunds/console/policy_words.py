"""The words of what controllers found of policies and channels, and of what is wrong with a rule."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from refunds.console import refusals
from refunds.console.tables import Word

#: By type, status and reason ("": any): words, and how they look. What is as it has to be is told by Ready alone.
_SAID = {
    ("Ready", "True", ""): (_("in force"), "success"),
    ("Ready", "False", "NotInForce"): (_("not in force"), "warning"),
    ("Ready", "False", "NotReady"): (_("not ready"), "warning"),
    ("RulesViolation", "True", ""): (_("rules that cannot be right"), "danger"),
    ("RulesViolation", "Unknown", ""): (_("its rules could not be checked"), "danger"),
    ("ApprovalConformant", "True", "Approved"): (_("approved by a second person"), "success"),
    ("ApprovalConformant", "False", "Missing"): (_("waits for a second person"), "warning"),
    ("ApprovalConformant", "False", "Invalid"): (_("what was said is no approval"), "danger"),
    ("ApprovalConformant", "False", "Bypassed"): (_("let pass without a second person"), "warning"),
    ("ApprovalConformant", "Unknown", ""): (_("its approval could not be judged"), "danger"),
    ("Progressing", "True", ""): (_("running refunds follow"), "info"),
    ("Progressing", "False", "Suspended"): (_("running refunds do not follow: suspended"), "warning"),
    ("Terminating", "False", ""): (_("its removal waits for a second person"), "warning"),
    ("Terminating", "True", ""): (_("being removed"), "warning"),
    ("NamesAccepted", "False", ""): (_("others hold names that it wants"), "danger"),
    ("Established", "False", ""): (_("web processes are loading it"), "info"),
    ("Established", "Unknown", ""): (_("no web process is running"), "warning"),
    ("PolicyFound", "False", ""): (_("its policy is not in force"), "warning"),
    ("WebhooksOpen", "False", ""): (_("an address for webhooks is closed"), "warning"),
}
_TOLD_BY_THEM = {
    ("RulesViolation", "RulesError"),
    ("ApprovalConformant", "Invalid"),
    ("ApprovalConformant", "Bypassed"),
    ("ApprovalConformant", "Unknown"),
    ("WebhooksOpen", "Gone"),
}
#: What is wrong with a rule; `contradiction` by its field.
_WRONG = {
    "required": _("This has to be said."),
    "wrong_type": _("This cannot be read here."),
    "out_of_range": _("This number is not possible here."),
    "unknown_value": _("This cannot be chosen here."),
    "bad_duration": _("A number and its unit: s, m, h, d or w, such as 48h or 7d."),
    "bad_currency": _("A currency is three capital letters, such as EUR."),
    "unknown_currency": _("There is no such currency."),
    "too_short": _("Nobody can act in no time."),
    "too_long": _("This is too long."),
    "unknown_zone": _("A time zone such as Europe/Berlin."),
    "excludes_everything": _("It would exclude everything: say which lines."),
    "twice": _("This is there already."),
    "no_text": _("It needs a text in English."),
    "unknown_message": _("There is no such message."),
    "never_told": _("Customers would never be told how it ended."),
    "empty": _("There is nothing in it."),
    "bad_name": _("At most 60 small letters and digits, with single hyphens between them."),
    "unknown_field": _("There is no such field."),
}
_CONTRADICTIONS = {
    "window.faultDays": _("What is the shop's fault cannot have less time than a change of mind."),
    "calendar.weekend": _("Nobody would ever work: every clock would stand still."),
    "calendar.workdays": _("A day is off and worked at once."),
    "clocks.remindBefore": _("The reminder would come before the time for the return has begun."),
}


def said(conditions: list[dict[str, Any]]) -> list[Word]:
    """What is to be told of a manifest, the summary first; nothing yet where its controller has not looked."""
    by_rank = sorted(conditions, key=lambda c: bool(c["type"] != "Ready"))
    return [word for condition in by_rank if (word := _word(condition))] or [Word(str(_("not looked at yet")), "info")]


def details(conditions: list[dict[str, Any]]) -> list[str]:
    """The controllers' own sentences, where they say more than is told in words anyway."""
    return [c["message"] for c in conditions if (c["type"], c["reason"]) in _TOLD_BY_THEM or _is_conflict(c)]


def rollout(status: Mapping[str, Any]) -> str:
    """How many open refunds are on which generation."""
    running, current = status.get("running", {}), status.get("inForceGeneration")
    new, old = (sum(n for g, n in running.items() if (g == str(current)) is is_new) for is_new in (True, False))
    told = _("Open refunds: %(count)s") % {"count": new + old}
    if not old:
        return str(told)
    on_old = _("%(old)s of them on older versions, of which %(movable)s are to follow")
    return f"{told}, {on_old % {'old': old, 'movable': status.get('movable', 0)}}"


def wrong(path: str, code: str, detail: str) -> str:
    """`path` below the spec."""
    if code == "contradiction" and path in _CONTRADICTIONS:
        return str(_CONTRADICTIONS[path])
    return str(_WRONG.get(code) or refusals.WORDS.get(code) or detail)


def is_of_the_policy(code: str) -> bool:
    """Not of the page that it was sent with, or of who sent it."""
    return code in _WRONG or code not in refusals.WORDS


def _word(condition: dict[str, Any]) -> Word | None:
    key = (condition["type"], condition["status"])
    text, tone = _SAID.get((*key, condition["reason"])) or _SAID.get((*key, "")) or ("", "")
    return Word(str(text), tone) if text else None


def _is_conflict(condition: dict[str, Any]) -> bool:
    return condition["type"] == "NamesAccepted" and condition["status"] == "False"
