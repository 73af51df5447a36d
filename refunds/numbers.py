"""The numbers people and gateways see. Pure: each is read off the refund's own number, a name for life.

PREFIX-1042      the refund; the digits are its id, so that no index is needed to find it
PREFIX-R1042     its request: the id of the first refund that was asked for together with it
PREFIX-1042-1    its first movement; unique over installations by the prefix
PREFIX-C7        store credit that was spent: the reference of the payment that it is

PREFIX is the installation's; of refunds and their requests that of the channel follows, where it has one: RF-FH-1042.
"""


def refund_number(prefix: str, refund_id: int, *, channel: str = "") -> str:
    """`channel` is its prefix: it begins with a letter, and is never taken for an id."""
    return f"{prefix}-{channel}-{refund_id}" if channel else f"{prefix}-{refund_id}"


def number_beside(number: str, refund_id: int) -> str:
    """Of a refund that joins the request of the one with this number, whatever the channel's prefix is by now."""
    prefix, _, _ = number.rpartition("-")
    return f"{prefix}-{refund_id}"


def request_number(number: str, request_id: int) -> str:
    """The number shared by refunds that were asked for together; `number` is that of any of them."""
    prefix, _, _ = number.rpartition("-")
    return f"{prefix}-R{request_id}"


def movement_number(number: str, n: int) -> str:
    return f"{number}-{n}"


def pickup_number(number: str, n: int) -> str:
    return f"{number}-P{n}"


def intercept_number(prefix: str, shipment_id: int) -> str:
    return f"{prefix}-S{shipment_id}"


def spend_number(prefix: str, entry_id: int) -> str:
    return f"{prefix}-C{entry_id}"
