"""What the policy says of giving a line back: until when, since when no more, what not, and for which reasons still."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from refunds.messages.sentences import joined
from refunds.pages.presenters.terms import Terms
from refunds.pages.presenters.words import Words
from refunds.pages.reasons import choices
from refunds.states import Goods, Route

#: The reason of a policy that says it, too.
NOT_RECEIVED = Goods.NOT_RECEIVED.value


def rules_of(open_: Mapping[str, Any], terms: Terms, words: Words) -> tuple[str, ...]:
    """From the `refundable` of a line."""
    is_one = len(open_["limited"]) == 1 and not open_["quantity"]
    return (*_until(open_, words), *(_limited(one, terms, words, counted=not is_one) for one in open_["limited"]))


def words_that_help(one: Mapping[str, Any], terms: Terms) -> list[str]:
    """What a customer can say on his page so that these units are taken back: one of the reasons he chooses from, or,
    of what was sent, that it has not come. Of an entry of `limited`."""
    one_of = {code: text for code, text in choices(terms.policy.reasons) if code in one["reasons"]}
    named = [*one_of.values()]
    was_sent = any(Route(way["route"]) in (Route.PICKUP, Route.INTERCEPT) for way in one["routes"])
    is_missing = one["not_received"] and was_sent and NOT_RECEIVED not in one_of
    return [*named, _("you have not received it")] if is_missing else named


def _until(open_: Mapping[str, Any], words: Words) -> list[str]:
    if not open_["quantity"] or not open_["until"]:
        return []
    return [_("Can be given back until %(moment)s.") % {"moment": words.moment(open_["until"])}]


def _limited(one: Mapping[str, Any], terms: Terms, words: Words, *, counted: bool) -> str:
    """In one paragraph; `counted`: it is about so many units, beside others of the line."""
    said = [_why(one, words), *_still(one, terms, words)]
    text = joined(said)
    return _("%(count)s of it: %(text)s") % {"count": one["quantity"], "text": text} if counted else text


def _why(one: Mapping[str, Any], words: Words) -> str:
    if one["code"] == "window_over":
        return _("The time to give it back ended on %(moment)s.") % {"moment": words.moment(one["until"])}
    if one["not_received"]:
        return _("Not taken back unless something is wrong with it: %(rule)s.") % {"rule": one["rule"]}
    return _("Not taken back: %(rule)s.") % {"rule": one["rule"]}


def _still(one: Mapping[str, Any], terms: Terms, words: Words) -> list[str]:
    """For what it is taken back all the same."""
    named = words_that_help(one, terms)
    if not named:
        return []
    listed = pgettext("list of reasons", "; ").join(named)
    said = [_("Still taken back where you say: %(reasons)s.") % {"reasons": listed}]
    if one["reasons_until"]:
        said.append(_("These reasons until %(moment)s.") % {"moment": words.moment(one["reasons_until"])})
    return [
        *said,
        _("Can be refunded then: %(amount)s.") % {"amount": words.amount(one["amount_minor"], terms.currency)},
    ]
