"""The numbers people and gateways see. Pure: each is read off the refund's own number, a name for life.

PREFIX-1042      the refund; the digits are its id, so that no index is needed to find it
PREFIX-R1042     its request: the id of the first refund that was asked for together with it
PREFIX-1042-1    its first movement; unique over installations by the prefix
PREFIX-C7        store credit that was spent: the reference of the payment that it is
"""


def refund_number(prefix: str, refund_id: int) -> str:
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
