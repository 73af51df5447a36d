"""Addresses of the customer's pages, below /r/."""

from django.urls import path, re_path, register_converter

from orders.rest.methods import any_method, takes_form
from refunds.pages import acting, asking, cancelling, gifts, lookup, overpaying, photos, showing, slots, state, troubled


class CustomersAct:
    """What a customer can do with a refund, as it stands in an address."""

    regex = "|".join(sorted(acting.DO))

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(CustomersAct, "act")

urlpatterns = [
    path("", takes_form(lookup.look_up)),
    path("new-link", takes_form(lookup.new_link)),
    path("<str:token>", gifts.home),
    path("<str:token>/state.json", any_method(state.state)),
    path("<str:token>/cancel", takes_form(cancelling.cancel_order)),
    path("<str:token>/overpaid", takes_form(overpaying.overpaid)),
    path("<str:token>/refund", takes_form(asking.ask)),
    path("<str:token>/refund/confirm", takes_form(asking.confirm)),
    path("<str:token>/requests/<str:number>", showing.request_page),
    path("<str:token>/requests/<str:number>/live", showing.live),
    path("<str:token>/refunds/<str:number>/slots", slots.slots),
    path("<str:token>/refunds/<str:number>/<act:action>", takes_form(acting.act)),
    path("<str:token>/refunds/<str:number>/evidence/<int:position>", photos.photo),
    re_path("", any_method(troubled.unknown_address)),
]
