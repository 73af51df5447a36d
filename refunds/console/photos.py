"""One photo of a case, for who may see the case."""

from django.http import HttpRequest, HttpResponse

from orders.rest.answers import picture
from refunds.console.access import agent
from refunds.evidence import STORED_TYPE
from refunds.selectors.evidence import photo_bytes


def photo(request: HttpRequest, number: str, position: int) -> HttpResponse:
    """GET /console/refunds/{number}/evidence/{position}/"""
    return picture(photo_bytes(number, position, channels=agent(request).caller.channel_ids), STORED_TYPE)
