"""What is told of a refund that has ended, well or not, or whose money did not go."""

from django.utils.translation import gettext as _

from orders.typed import single_line
from refunds.actions import Action
from refunds.messages.sentences import Write, headline, in_part, joined, unfinished, whole
from refunds.pages.facts import Part
from refunds.pages.presenters.told import Told, Tone
from refunds.pages.presenters.words import Words
from refunds.states import Rejection


def refunded(part: Part, words: Words) -> Told:
    if part.replaced_by:
        lead = _("It has the order number %(number)s, and costs you nothing. No money is sent back to you.")
        return Told(Tone.DONE, _("You get a replacement"), lead % {"number": single_line(part.replaced_by)})
    return Told(Tone.DONE, headline(part.moved), whole(part, _writing(part, words)))


def partially_refunded(part: Part, words: Words) -> Told:
    ask = _("If you have questions about the rest, please write to us.")
    said = joined([in_part(part, _writing(part, words)), ask])
    return Told(Tone.DONE, _("Your refund was carried out in part"), said)


def failed(part: Part, words: Words) -> Told:
    lead = _("Your claim stands. We are looking into it, and will write to you again when it is settled.")
    moved, said = part.moved, unfinished(part, _writing(part, words))
    todo = ""
    if moved.returned_minor:
        title, todo = _("Money of your refund has come back to us"), _say_where_to(part)
        lead = _("The card or the account may be closed. Your claim stands: the money is sent once we know where to.")
    elif moved.gone_minor:
        title = _("A part of the money could not be sent yet")
    else:
        title = _("The money could not be sent yet")
    return Told(Tone.TROUBLE, title, joined(filter(None, [said, lead])), todo)


def _writing(part: Part, words: Words) -> Write:
    return lambda minor: words.amount(minor, part.currency)


def _say_where_to(part: Part) -> str:
    if part.may_be_credit:
        return _("Please choose below where it is to go instead, or write to us.")
    return _("Please write to us where it is to go instead.")


def rejected(part: Part, words: Words) -> Told:
    lead = _("No money has been moved.")
    if part.rejected_as is Rejection.NOTHING_ACCEPTED:
        lead = _("We have checked the parcel you sent back. None of it could be accepted, so there is no refund.")
    elif part.rejected_as is Rejection.NOT_REVIEWED:
        lead = _("It could not be approved within the time set for it. No money has been moved.")
    disagree = _("If you do not agree, please write to us, if you can with photos.")
    if Action.CONTEST in part.actions and part.contest_until:
        disagree = _("If you do not agree, you can say so below until %(until)s.") % {
            "until": words.moment(part.contest_until)
        }
    return Told(Tone.OVER, _("Your refund was not approved"), lead, disagree)


def expired(part: Part, words: Words) -> Told:
    lead = _("The goods were not handed over in time. No money has been moved.")
    todo = _("If you have sent the goods already, or still want to send them back, please write to us.")
    return Told(Tone.OVER, _("Your refund has expired"), lead, todo)


def cancelled(part: Part, words: Words) -> Told:
    lead = _("No money has been moved.")
    if part.was_sent:
        lead = _("The money that we had sent you has come back to us, and is not sent again.")
    todo = _("If this is not what you wanted, please write to us.")
    return Told(Tone.OVER, _("This refund has been cancelled"), joined([lead, todo]))
