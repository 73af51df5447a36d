"""Methods that an address is not made for, and the answer to a HEAD."""

import re
from collections.abc import Iterator

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver

from orders.rest.methods import READS, methods_of

SAMPLES = {"action": "cancel", "order_id": "1", "incident_id": "1", "principal_id": "1", "position": "1"}


def addresses(resolver: URLResolver, before: str = "/") -> Iterator[tuple[str, tuple[str, ...]]]:
    """A sample of every address that is no door of the API, and the methods it is for."""
    for pattern in resolver.url_patterns:
        route = str(pattern.pattern)
        path = before + re.sub(r"<\w+:(\w+)>", lambda named: SAMPLES.get(named[1], "x"), route)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern, path)
        elif isinstance(pattern, URLPattern) and (methods := methods_of(pattern.callback)):
            yield path, methods


ADDRESSES = dict(addresses(get_resolver("config.urls")))


def test_pages_with_forms_and_pages_without_are_told_apart() -> None:
    assert ADDRESSES["/r/x"] == ADDRESSES["/console/refunds/"] == READS
    assert ADDRESSES["/r/x/refund"] == ADDRESSES["/console/refunds/bulk/"] == (*READS, "POST")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE"])
def test_no_address_answers_to_a_method_it_is_not_for(method: str) -> None:
    client = Client(enforce_csrf_checks=True)
    for path, methods in ADDRESSES.items():
        answer = client.generic(method, path)
        assert (path, answer.status_code, answer.headers["Allow"]) == (path, 405, ", ".join(methods))


def test_nothing_is_sent_to_what_is_only_read() -> None:
    client = Client(enforce_csrf_checks=True)
    refused = [client.post(path) for path, methods in ADDRESSES.items() if methods == READS]
    assert {answer.status_code for answer in refused} == {405}


@pytest.mark.parametrize("path", ["/r/x", "/console/"])
def test_people_are_told_so_on_a_page(path: str) -> None:
    answer = Client().put(path, headers={"accept": "text/html", "accept-language": "en"})
    assert "That did not work" in answer.content.decode()


@pytest.mark.parametrize("path", ["/r/", "/nothing", "/static/refundry/icon.svg"])
def test_a_head_is_answered_without_a_body_and_with_its_length(path: str) -> None:
    handler = WSGIHandler()
    whole, head = (handler.get_response(RequestFactory().generic(method, path)) for method in ("GET", "HEAD"))
    assert b"".join(head) == b""
    assert head.headers["Content-Length"] == whole.headers["Content-Length"]
