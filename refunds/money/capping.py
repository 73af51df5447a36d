"""A sheet that may come to no more than so much."""

from dataclasses import replace

from refunds.money.beside import by_rate
from refunds.money.drawn import Entry, EntryKind, LineShare, Sheet
from refunds.money.left import part, total
from refunds.money.shares import allocate, part_of, within
from refunds.money.types import whole


def capped(worth: Sheet, limit_minor: int, label: str) -> Sheet:
    """The sheet worth no more than this, in minor units, with an entry that says why. What is not given now stays due,
    and a later refund may give it: its lines, the shipping and an overpayment lose in proportion; only then it gives
    back less of a coupon or gift.
    """
    over = worth.total_minor - whole(limit_minor, "limit_minor")
    if over <= 0:
        return worth
    beyond = over - total(_parts(worth)).amount_minor
    lowered = _smaller(_giving_back(worth, beyond) if beyond > 0 else worth, limit_minor)
    return replace(lowered, entries=(*worth.entries, Entry(EntryKind.LIMIT, label, -over)))


def _parts(worth: Sheet) -> list[LineShare]:
    """All that it gives, gross."""
    freight = LineShare(worth.shipping_minor, worth.shipping_tax_minor)
    return [*worth.lines.values(), *worth.adjustments.values(), freight, LineShare(worth.overpaid_minor, 0)]


def _giving_back(worth: Sheet, less_minor: int) -> Sheet:
    """The sheet giving back so much less of what was withheld."""
    back = -worth.clawed_back_minor - worth.gifts_minor
    off_gifts = within(-worth.gifts_minor, 0, less_minor)
    tax = part_of(worth.withheld_tax_minor, back - less_minor, of=back)
    return replace(
        worth,
        clawed_back_minor=worth.clawed_back_minor + less_minor - off_gifts,
        gifts_minor=worth.gifts_minor + off_gifts,
        withheld_tax_minor=tax,
        total_minor=worth.total_minor - less_minor,
        tax_minor=worth.tax_minor + worth.withheld_tax_minor - tax,
    )


def _smaller(worth: Sheet, limit_minor: int) -> Sheet:
    """Everything it gives lowered in proportion; what the shop keeps stays."""
    full = _parts(worth)
    wanted = total(full).amount_minor - (worth.total_minor - limit_minor)
    amounts = allocate(wanted, [one.amount_minor for one in full])
    parts = [part(one, minor) for one, minor in zip(full, amounts, strict=True)]
    *shares, freight, overpaid = parts
    lost_tax = total(full).tax_minor - total(parts).tax_minor
    taxed = limit_minor - overpaid.amount_minor
    tax = within(worth.tax_minor - lost_tax, 0, taxed)
    return replace(
        worth,
        lines=dict(zip(worth.lines, shares[: len(worth.lines)], strict=True)),
        adjustments=dict(zip(worth.adjustments, shares[len(worth.lines) :], strict=True)),
        shipping_minor=freight.amount_minor,
        shipping_tax_minor=freight.tax_minor,
        overpaid_minor=overpaid.amount_minor,
        total_minor=limit_minor,
        tax_minor=tax,
        taxes=by_rate(worth.taxes, LineShare(taxed, tax)),
    )
