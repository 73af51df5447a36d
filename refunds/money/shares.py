"""Splitting a whole number so that nothing is lost and nobody gets too much: the largest remainder."""

from collections.abc import Sequence

from refunds.money.types import whole


def allocate(total: int, weights: Sequence[int]) -> list[int]:
    """Parts of `total` in proportion to the weights, adding up to it, each within one of its exact share.

    What rounding leaves goes to the largest remainders, the earlier one first on a tie. Where the total is no more
    than the weights' sum, no part is more than its weight. ValueError when there is something to give and nobody.
    """
    whole(total, "total")
    weight_sum = sum(whole(weight, "a weight") for weight in weights)
    if not total:
        return [0] * len(weights)
    if not weight_sum:
        raise ValueError(f"{total} cannot be spread over nothing")
    parts = [total * weight // weight_sum for weight in weights]
    if left := total - sum(parts):
        by_remainder = sorted(range(len(weights)), key=lambda i: -(total * weights[i] % weight_sum))
        for i in by_remainder[:left]:
            parts[i] += 1
    return parts


def part_of(total: int, n: int, *, of: int) -> int:
    """What n of so many units are worth together, to the nearest unit: never falls with n, and all are the total.

    Of no units it is nothing.
    """
    return (2 * total * n + of) // (2 * of) if of else 0


def within(wanted: int, least: int, most: int) -> int:
    """What is nearest to the wanted number from `least` up; no more than `most`, unless the least is."""
    return max(least, min(wanted, most))


def split(amount_minor: int, free: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The amount over payment shares (id, free_minor), in proportion to what is free and never above it.

    Parts of zero are left out. ValueError when more is asked than all shares have free.
    """
    free_sum = sum(whole(minor, "a free amount") for _, minor in free)
    if whole(amount_minor, "amount_minor") > free_sum:
        raise ValueError(f"{amount_minor} asked, {free_sum} free")
    parts = allocate(amount_minor, [minor for _, minor in free])
    return [(share_id, part) for (share_id, _), part in zip(free, parts, strict=True) if part]
