"""Who works for an agent's channels: a list for those who run it, in which somebody is let out."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from orders.snapshot import snapshot
from refunds.console import words, written
from refunds.console.access import agent
from refunds.console.acts import click, sent
from refunds.console.refusals import in_words
from refunds.console.site import show
from refunds.selectors.desk import Person
from refunds.selectors.desk import people as people_of
from refunds.services.leaving import Left, leave, permit_people


def people(request: HttpRequest) -> HttpResponse:
    """GET /console/people/"""
    return _page(request)


def leaves(request: HttpRequest, principal_id: int) -> HttpResponse:
    """POST /console/people/{id}/leave/"""
    caller, done = agent(request).caller, list[Left]()
    if request.method != "POST":
        return HttpResponseRedirect(reverse("console:people"))
    problem = sent(
        click(request, caller),
        f"people/{principal_id}/leave",
        lambda: done.append(leave(principal_id, channels=caller.channel_ids, actor=caller.actor)),
    )
    if problem:
        messages.error(request, in_words(problem))
        return _page(request, status=problem.status)
    for left in done:
        messages.success(request, _told(left))
    return HttpResponseRedirect(reverse("console:people"))


def _page(request: HttpRequest, *, status: int = 200) -> HttpResponse:
    caller = agent(request).caller
    permit_people(caller.actor)
    with snapshot():
        found = people_of(channels=caller.channel_ids)
    here = [_shown(person, may=person.reference != caller.actor.reference) for person in found]
    context = {"title": _("People"), "people": here, "once": uuid.uuid4().hex}
    return show(request, "console/people.html", context, status=status)


def _shown(person: Person, *, may: bool) -> dict[str, object]:
    left_at = person.principal.left_at
    return {
        "id": person.principal.pk,
        "name": person.principal.name,
        "role": words.ROLES[person.principal.role],  # type: ignore[index]
        "cases": person.cases,
        "left": written.moment(left_at),
        "may": may and left_at is None,
    }


def _told(left: Left) -> str:
    text = _("%(name)s has left. Cases that are nobody's now: %(count)s.")
    return text % {"name": left.principal.name, "count": len(left.cases)}
