"""Whether a request arrived before this process knew the channels: what it does not find then is 503 to its end, though
the registry may be loaded while it runs. A 404 would be believed."""

from django.http import HttpRequest

from orders.errors import NotFound, Problem, Unavailable
from orders.registry import registry

RETRY_SECONDS = 5


class NotLoaded(Unavailable):
    retry_after = RETRY_SECONDS

    def __init__(self) -> None:
        super().__init__("starting", "The channels are being loaded: send this again.")


def note(request: HttpRequest) -> None:
    """Call it when the request arrives."""
    request.META["refundry.registry_was_loaded"] = registry.is_loaded


def was_ready(request: HttpRequest) -> bool:
    return bool(request.META.get("refundry.registry_was_loaded", registry.is_loaded))


def no_channel(request: HttpRequest) -> Problem:
    """What to tell whoever asks for a channel that nobody knows."""
    return NotFound("not_found", "There is no such channel.") if was_ready(request) else NotLoaded()
