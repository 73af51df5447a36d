"""Two people at one policy at the console: one after the other, and the second is told and keeps what he has typed."""

from copy import deepcopy
from functools import partial

import pytest

from orders.roles import Role
from refunds.models import Manifest, ManifestVersion
from refunds.services.manifests import applying
from tests.integration.console.people import Page, Person
from tests.integration.console.test_policies import SPEC, loaded
from tests.integration.engine.threads import together
from tests.integration.manifests.test_at_once import somebody_is_at_it
from tests.integration.policies import declared

pytestmark = pytest.mark.django_db(transaction=True)
AT = "policies/books/"


def test_of_two_who_save_at_once_the_second_is_told_and_nothing_is_lost() -> None:
    declared.policy("books", **deepcopy(SPEC))
    people = [Person(Role.SUPERVISOR, name=name) for name in ("ada", "bob")]
    typed = [loaded(person.get(AT)) | {"window": window} for person, window in zip(people, ("7", "9"), strict=True)]
    pages = together(*(partial(person.post, AT, said) for person, said in zip(people, typed, strict=True)))
    saved, told = sorted((page for page in pages if isinstance(page, Page)), key=lambda page: page.status)
    assert (saved.status, told.status) == (302, 412)
    assert "Somebody has changed this policy" in told
    lost = typed[people.index(told.person)]["window"]
    assert f'value="{lost}"' in told.html
    assert Manifest.objects.get().spec["window"] == {"days": 16 - int(lost)}
    assert ManifestVersion.objects.count() == 2


def test_one_who_sends_a_form_twice_at_once_has_changed_it_once() -> None:
    declared.policy("books", **deepcopy(SPEC))
    ada = Person(Role.SUPERVISOR, name="ada")
    said = loaded(ada.get(AT)) | {"window": "7"}
    pages = together(*[partial(ada.post, AT, said)] * 3)
    assert [page.status for page in pages if isinstance(page, Page)] == [302] * 3
    assert ManifestVersion.objects.count() == 2


def test_one_that_is_being_looked_at_for_long_is_told_as_a_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applying, "WEB_WAIT_MS", 50)
    declared.policy("books", **deepcopy(SPEC))
    ada = Person(Role.SUPERVISOR, name="ada")
    said = loaded(ada.get(AT)) | {"window": "7"}
    with somebody_is_at_it():
        page = ada.post(AT, said)
    assert page.status == 503 and "Somebody else is changing this right now: send it again." in page
    assert 'value="7"' in page.html
    assert ada.post(AT, loaded(page) | {"once": "anew"}).status == 302
