"""Addresses of the console, below /console/. All but the login are behind the site's guard."""

from django.http import HttpRequest, HttpResponse
from django.urls import path, re_path
from django.views.i18n import set_language

from orders.rest.methods import any_method, takes_form
from refunds.console import asking, books, bulk, case, incidents, lists, people, photos, policies, returns, slots
from refunds.console.site import console, nowhere, relaxed

guarded = console.admin_view


def password_changed(request: HttpRequest) -> HttpResponse:
    return console.password_change_done(request)


urlpatterns = [
    path("", guarded(lists.home), name="index"),
    path("login/", takes_form(relaxed(console.enter)), name="login"),
    path("logout/", takes_form(guarded(console.logout)), name="logout"),
    path("password/", takes_form(guarded(console.password_change)), name="password_change"),
    path("password/done/", guarded(password_changed), name="password_change_done"),
    path("language/", takes_form(set_language), name="language"),
    path("refunds/", guarded(lists.refunds), name="refunds"),
    path("refunds/bulk/", takes_form(guarded(bulk.bulk)), name="bulk"),
    path("refunds/<str:number>/", guarded(case.case), name="case"),
    path("refunds/<str:number>/slots/", guarded(slots.slots), name="slots"),
    path("refunds/<str:number>/<slug:action>/", takes_form(guarded(case.act)), name="act"),
    path("refunds/<str:number>/evidence/<int:position>/", guarded(photos.photo), name="photo"),
    path("orders/", guarded(lists.orders), name="orders"),
    path("orders/<int:order_id>/", guarded(asking.order), name="order"),
    path("orders/<int:order_id>/refund/<slug:kind>/", takes_form(guarded(asking.ask)), name="ask"),
    path("incidents/", guarded(incidents.incidents), name="incidents"),
    path("incidents/<int:incident_id>/", takes_form(guarded(incidents.incident)), name="incident"),
    path("incidents/<int:incident_id>/match/", takes_form(guarded(incidents.match)), name="match"),
    path("returns/", takes_form(guarded(returns.returns)), name="returns"),
    path("people/", guarded(people.people), name="people"),
    path("people/<int:principal_id>/leave/", takes_form(guarded(people.leaves)), name="leaves"),
    path("policies/", guarded(policies.policies), name="policies"),
    path("policies/<slug:name>/", takes_form(guarded(policies.policy)), name="policy"),
    path("policies/<slug:name>/approve/", takes_form(guarded(policies.approve)), name="policy_approve"),
    path("policies/<slug:name>/withdraw/", takes_form(guarded(policies.withdraw)), name="policy_withdraw"),
    path("books/", guarded(books.books), name="books"),
    path("books/<slug:channel>/<str:day>/<slug:form>/", guarded(books.download), name="books_download"),
    re_path("(?P<address>.*)", any_method(guarded(nowhere)), name="nowhere"),
]
#: For `path()`: unfold's templates look for the namespace of Django's admin.
console_urls = (urlpatterns, "admin", console.name)
