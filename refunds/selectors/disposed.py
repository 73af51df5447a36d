"""What the shop was told of goods that came back: how many units of which line it knows what becomes of."""

from collections import Counter, defaultdict
from collections.abc import Collection

from refunds.models import RefundEvent, RefundLine

#: Units by the id of their line.
Units = Counter[str]


def disposed(refund_ids: Collection[int]) -> defaultdict[int, Units]:
    """Of each of these refunds; of others none."""
    told: defaultdict[int, Units] = defaultdict(Units)
    events = RefundEvent.objects.filter(refund_id__in=refund_ids, kind="goods.disposed")
    for refund_id, data in events.values_list("refund_id", "data"):
        for line in data["lines"]:
            told[refund_id][line["line"]] += line["quantity"]
    return told


def boxes_of(refund_id: int) -> defaultdict[str, Units]:
    """What was accepted of boxes after which more were to come, by what becomes of it."""
    found: defaultdict[str, Units] = defaultdict(Units)
    events = RefundEvent.objects.filter(refund_id=refund_id, kind="refund.box_inspected")
    for data in events.values_list("data", flat=True):
        for line in data.get("accepted", ()):
            found[line["disposition"]][line["line"]] += line["quantity"]
    return found


def rows_of(refund_id: int) -> list[RefundLine]:
    return list(RefundLine.objects.filter(refund_id=refund_id).order_by("id"))
