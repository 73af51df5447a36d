"""Addresses of the customer's pages, below /r/."""

from django.urls import path, re_path, register_converter

from refunds.pages import acting, asking, cancelling, lookup, showing, state, troubled


class CustomersAct:
    """What a customer can do with a refund, as it stands in an address."""

    regex = "|".join(sorted(acting.DO))

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(CustomersAct, "act")

urlpatterns = [
    path("", lookup.look_up),
    path("new-link", lookup.new_link),
    path("<str:token>", showing.order),
    path("<str:token>/state.json", state.state),
    path("<str:token>/cancel", cancelling.cancel_order),
    path("<str:token>/refund", asking.ask),
    path("<str:token>/refund/confirm", asking.confirm),
    path("<str:token>/requests/<str:number>", showing.request_page),
    path("<str:token>/requests/<str:number>/live", showing.live),
    path("<str:token>/refunds/<str:number>/<act:action>", acting.act),
    re_path("", troubled.unknown_address),
]
