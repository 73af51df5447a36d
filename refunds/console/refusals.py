"""What the services refuse, in the agent's language. A code without words here keeps the service's own English ones."""

from django.utils.translation import gettext_lazy as _

from orders.errors import FieldError, Problem
from refunds.console import written

_STALE = _(
    "This refund has changed since you opened it. It is shown as it is now, with what happened and what you typed: "
    "look at it again, and send it once more if it still holds."
)
WORDS = {
    "stale_terms": _STALE,
    "stale_version": _STALE,
    "changed_since": _(
        "Somebody has changed this policy since you opened it. What you typed is still here: open the page anew, and "
        "look at what has changed."
    ),
    "foreign_channels": _("This policy is for orders of channels that are not yours."),
    "channel_closing": _("This shop is being closed: it takes no new refunds."),
    "channel_gone": _("This shop is closed for good: it takes no new refunds."),
    "being_removed": _("This policy is being removed."),
    "not_being_removed": _("This policy is not being removed: somebody has withdrawn that."),
    "removal_begun": _("This policy takes nothing new any more: its removal cannot be withdrawn."),
    "incident_not_found": _("There is no such incident."),
    "incident_closed": _("Somebody else has closed this incident already."),
    "incident_lasts": _("What caused it is not over yet: it is closed by itself when that ends."),
    "busy": _("Somebody else is changing this right now: send it again."),
    "role_forbidden": _("Your role may not do this."),
    "forbidden": _("Your role may not do this."),
    "day_not_closed": _("That day is not closed yet."),
    "oneself": _("Nobody lets himself out: a colleague does."),
    "no_proof_awaited": _("No proof of the delivery is asked for; or somebody has said, or it is too late."),
    "own_request": _("Nobody approves a refund he requested: a colleague has to."),
    "no_offer": _("There is no offer that waits for an answer."),
    "goods_not_received": _("The goods have not been received."),
    "goods_inspected": _("Somebody has looked at these goods already."),
    "refunded_at_once": _("It is refunded at once: nobody is going to look at photos."),
    "not_contestable": _("Nothing of it was refused, or the time to contest that is over."),
    "taken_since": _("Its units or its money are in another refund by now."),
    "approved_before": _("Whoever approved it is not the second person: a colleague has to be."),
    "assigned_to_another": _("A colleague works on this case: have him give it to you, or take it first."),
    "no_bypass": _("By its policy nobody does without the second person."),
    "no_second_needed": _("Nobody else has to approve it; or somebody has."),
    "decided_before": _("Whoever decided it before does not decide now: a colleague has to."),
    "refund_not_found": _("There is no such refund."),
    "not_found": _("There is nothing at this address."),
    "stop_not_awaited": _("Whether they stay is no question any more."),
    "wrong_state": _("In its present state that cannot be done."),
    "not_cancellable": _("In its present state it cannot be cancelled any more."),
    "money_claimed": _("It is already being paid out."),
    "code_wrong": _("This is not the code that was sent."),
    "code_expired": _("The code has run out: say anew where the money goes, and the customer gets another."),
    "code_spent": _("A wrong code was entered too often: say anew where the money goes."),
    "no_code_sent": _("No change of where the money goes waits for a code."),
    "too_many_codes": _("Three codes were sent within the hour: try again later."),
    "contact_changed": _("The order's phone and address were changed within a day: nothing proves who asks."),
    "no_store_credit": _("This customer cannot have store credit."),
    "own_target": _("Whoever said where the money goes is not the second person: a colleague has to be."),
    "nothing_to_replace": _("Nothing of it was sent to the customer: there is nothing to replace."),
    "already_replaced": _("The shop has sent another one already."),
    "remedy_unchanged": _("The customer is to get that already."),
    "not_on_hold": _("It is not on hold."),
    "already_collected": _("The goods are on their way home already."),
    "not_fetched": _("These goods are not fetched by a courier."),
    "doubted_already": _("Somebody has said so already: the incident is open."),
    "no_parcel_yet": _("No parcel of it is here, or on its way."),
    "label_given": _("They are handed in with a label already."),
    "not_delivered": _("The customer does not have these goods."),
    "not_on_its_way": _("It is known already what became of the parcel."),
    "goods_received": _("The goods are in the warehouse already."),
    "nothing_to_receive": _("No goods were to come back for this refund."),
    "being_stopped": _("The carrier is turning the parcel round."),
    "goods_returned": _("The carrier has brought the parcel back."),
    "cancel_requested": _("It is to be cancelled once the courier confirms."),
    "nothing_to_retry": _("No payment of this refund has failed."),
    "outcome_open": _("The gateway has not yet said what became of the money."),
    "more_than_left": _("That is more than is left."),
    "not_overpaid": _("Nothing was paid too much, or it has gone back."),
    "shipping_not_left": _("No shipping is left that could be paid back."),
    "not_captured": _("The order has not been paid yet."),
    "changed": _("It would come to something else than was shown: look at it again before you confirm."),
    "money_not_left": _("What is left of the payment is not enough."),
    "unknown_agent": _("That person is no agent of this channel."),
    "more_than_requested": _("The refund is about fewer units than that."),
    "nothing_left": _("Approve at least one unit, or reject the refund."),
    "units_do_not_add_up": _("Account for every announced unit, and for no more."),
    "nothing_refused": _("Nothing that came back was found to be damaged or wrong."),
    "disposed_already": _("It was said before what becomes of them."),
    "still_contestable": _("They stay here while it can be contested that they were refused."),
    "more_than_refused": _("Fewer refused units are here of which that was not said yet."),
    "line_not_inspected": _("Say what was found of every line."),
    "too_many_photos": _("That is more photos than a refund can have."),
    "out_of_range": _("That time is not possible: it is past, or too far ahead."),
    "form_incomplete": _("This form did not come whole: look at what is shown, and send it again."),
    "idempotency_key_reused": _("This page was sent before with other words: look at it, and send it again."),
    "required": _("This has to be said."),
    "too_long": _("This is too long."),
    "asked_too_often": _("It was asked for too often: somebody has to look at the refunds that there are."),
    "more_than_bought": _("That is more than was bought."),
    "sold_as_set": _("These are sold as one set: they come back together."),
    "units_not_left": _("Fewer of these are left: others are in refunds already."),
    "excluded": _("By its policy this is not taken back."),
    "window_over": _("By its policy it is too late to take this back."),
    "order_not_found": _("There is no such order."),
    "no_replacements": _("By its policy the money goes back: nothing is replaced."),
    "payer_only": _("Only who paid can have the money: choose another way."),
    "bad_range": _("The last day is before the first."),
    "in_the_future": _("That time lies ahead."),
    "unknown_zone": _("A time zone such as Europe/Berlin."),
    "unknown_line": _("The refund has no such line."),
    "ambiguous_sku": _("Several lines have this article number: choose one of them."),
    "not_a_choice": _("This cannot be chosen here."),
    "nothing_found": _("Say what was found in this box, or that no more come."),
    "already_recorded": _("This proof is recorded already."),
    "more_than_missing": _("That is more than is missing of this payment."),
    "unknown_payment": _("Choose one payment of which something is missing."),
    "unknown_account": _("No account of this name pays others out."),
    "bad_record": _("An address, such as https://tickets.example/REF-1."),
    "built_in": _("This is the name of the rules that come with the product."),
    "exists_already": _("There is a policy of this name already."),
    "own_manifest": _("Who asked for it does not agree to it: a colleague has to."),
    "unknown_generation": _("There is no such version of it."),
    "photo_not_found": _("There is nothing at this address."),
    "no_photo": _("This is no JPEG, PNG or WebP photo, or it is broken."),
    "photo_too_detailed": _("This photo has too many pixels: at most 40 million."),
    "photo_too_large": _("This photo is too large: at most 10 MB."),
    "idempotency_key_in_use": _("Somebody else is changing this right now: send it again."),
}


#: Of one field, where the code means something else there.
OF_FIELD = {("amount_minor", "out_of_range"): _("At most %(most)s: so much do these goods cost.")}


def in_words(problem: Problem) -> str:
    if len(problem.errors) == 1:
        return _words(problem.errors[0], problem)
    return str(WORDS.get(problem.code, problem.detail))


def at_fields(problem: Problem) -> list[tuple[str, str]]:
    """(JSON path, words) of each wrong field."""
    return [(error.field, _words(error, problem)) for error in problem.errors]


def _words(error: FieldError, problem: Problem) -> str:
    if own := OF_FIELD.get((error.field, error.code)):
        return own % {"most": written.amount(problem.extra["most_minor"], problem.extra["currency"])}
    return str(WORDS.get(error.code, error.detail))
