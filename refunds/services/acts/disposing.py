"""What becomes of goods that were refused, by the warehouse's own word."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from orders.errors import Conflict, Invalid
from orders.roles import Actor
from orders.services.lines import LineKey
from refunds.actions import Action
from refunds.models import Refund
from refunds.selectors.disposed import Units
from refunds.services.acts.desk import Target, conclude, line_named, open_for
from refunds.services.dispositions import dispose_refused, is_contested, refused_here
from refunds.services.docket import Docket
from refunds.states import Disposition


@dataclass(frozen=True, slots=True)
class Disposed:
    """So many refused units of a line, and what becomes of them. `path` is for errors."""

    key: LineKey
    quantity: int
    disposition: Disposition
    path: str = "lines[0]"


@transaction.atomic
def dispose(target: Target, lines: Sequence[Disposed], *, actor: Actor) -> Refund:
    """Of what was found damaged or wrong, is here, and of which nobody has said it yet: the shop keeps it, or sends it
    back. Of what is said nobody is told again, whoever decides later.

    Raises what `desk.open_for` raises, Conflict when all was said before, and for goods that are to leave while they
    are contested; Invalid for more units than are here.
    """
    refund, docket = open_for(Action.DISPOSE, target, actor)
    here = refused_here(docket, refund)
    if not here.total():
        raise Conflict("disposed_already", "It was said of all of them before what becomes of them.")
    if any(said.disposition is Disposition.SEND_BACK for said in lines) and is_contested(docket, refund):
        raise Conflict("still_contestable", "They stay here while it can be contested that they were refused.")
    dispose_refused(docket, refund, _sums(docket, refund, lines, here), actor=actor)
    return conclude(docket, refund)


def _sums(docket: Docket, refund: Refund, lines: Sequence[Disposed], here: Units) -> dict[Disposition, Units]:
    sums: dict[Disposition, Units] = defaultdict(Units)
    for said in lines:
        rows = line_named(docket, refund, said.key, said.path)
        name = docket.lines[rows[0].order_line_id].line_id
        if said.quantity > here[name]:
            detail = f"{here[name]} refused units of {said.key} are here, of which nobody has said it yet."
            raise Invalid.of(f"{said.path}.quantity", "more_than_refused", detail)
        here[name] -= said.quantity
        sums[said.disposition][name] += said.quantity
    return sums
