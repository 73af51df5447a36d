"""Which lines of a stated order belong together: discounts with the lines they are for, gifts, bundles."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from orders.errors import FieldError
from orders.services.facts import DiscountFact, LineFact, OrderFacts


def ids_by_name(lines: Sequence[LineFact]) -> dict[str, str]:
    """How a line may be named by another fact: by its id, or by a sku that one line alone has."""
    skus = Counter(line.sku for line in lines)
    return {line.sku: line.key for line in lines if skus[line.sku] == 1} | {line.key: line.key for line in lines}


def bad_sets(facts: OrderFacts) -> list[FieldError]:
    """What makes no sense about them, by field."""
    ids = ids_by_name(facts.lines)
    return [*_bad_gifts(facts.lines, ids), *_bad_bundles(facts.lines), *_bad_minimums(facts, ids)]


def _bad_gifts(lines: Sequence[LineFact], ids: Mapping[str, str]) -> Iterator[FieldError]:
    gifts = {line.key for line in lines if line.gift_for}
    for i, line in enumerate(lines):
        came_with = ids.get(line.gift_for, "")
        if not line.gift_for:
            continue
        path = f"lines[{i}].gift_for"
        if not came_with:
            yield FieldError(path, "unknown_line", f"the order has no line {line.gift_for}")
        elif came_with == line.key:
            yield FieldError(path, "gift_of_itself", f"{line.key} cannot have come free with itself")
        elif came_with in gifts:
            yield FieldError(path, "gift_of_a_gift", f"{came_with} is a gift itself: name the line that was bought")


def _bad_bundles(lines: Sequence[LineFact]) -> Iterator[FieldError]:
    units = Counter[str]()
    for line in lines:
        units[line.bundle] += line.quantity
    for i, line in enumerate(lines):
        if line.bundle and units[line.bundle] == 1:
            detail = f"{line.bundle} has this one unit only: a set has several, of the lines that name it"
            yield FieldError(f"lines[{i}].bundle", "bundle_of_one", detail)


def _bad_minimums(facts: OrderFacts, ids: Mapping[str, str]) -> Iterator[FieldError]:
    for i, discount in enumerate(facts.discounts):
        spent = _spent(discount, facts, ids)
        if discount.minimum_minor > spent:
            detail = f"is {discount.minimum_minor}, but its lines cost {spent}: it would not have been given"
            yield FieldError(f"discounts[{i}].minimum_minor", "minimum_not_reached", detail)


def _spent(discount: DiscountFact, facts: OrderFacts, ids: Mapping[str, str]) -> int:
    """What the lines it is for cost before any discount."""
    named = None if discount.lines is None else {ids.get(name, name) for name in discount.lines}
    return sum(line.list_minor for line in facts.lines if named is None or line.key in named)
