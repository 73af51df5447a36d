"""Policies at the console: seen and changed by who may agree to them, and agreed to by a second person."""

import re
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from orders.models import Channel
from orders.roles import Role
from refunds.console import written
from refunds.models import Manifest, ManifestVersion
from refunds.services.manifests.applying import Declarer
from refunds.services.manifests.removing import delete_manifest, withdraw_removal
from tests.integration.console.people import Page, Person
from tests.integration.manifests.test_examples import FOLDER
from tests.integration.policies import declared

pytestmark = pytest.mark.django_db
SPEC: dict[str, Any] = {
    "selector": {"labels": {"kind": "book"}},
    "window": {"days": 14},
    "limits": {"instantMinor": {"EUR": 50000}, "requestAttempts": 2},
    "clocks": {"review": "2d", "inspect": "5d"},
}
LOOSER = {"fees": {}, "returns": {"approve": True}}


@pytest.fixture
def boss() -> Person:
    return Person(Role.SUPERVISOR, name="ada")


def loaded(page: Page) -> dict[str, str]:
    """What the form of the page would send, untouched."""
    form = page.html.split('id="rules-title"')[1]
    said = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    for tag in re.findall(r"<input[^>]*>", form):
        if "hidden" not in tag and (name := re.search(r'name="(\w+)"', tag)):
            value = re.search(r'value="([^"]*)"', tag)
            said[name[1]] = value[1] if value else ""
    for name, text in re.findall(r'<textarea[^>]*name="(\w+)"[^>]*>\s*([^<]*)</textarea>', form):
        said[name] = text
    for name, options in re.findall(r'<select[^>]*name="(\w+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)"\s+selected', options)
        said[name] = chosen[1] if chosen else ""
    return {name: value for name, value in said.items() if name != "csrfmiddlewaretoken"}


def seen_on(page: Page) -> str:
    """The version that the page's forms are about."""
    [seen] = set(re.findall(r'name="seen" value="([^"]*)"', page.html))
    return seen


def changed(person: Person, name: str, **typed: str) -> Page:
    page = person.get(f"policies/{name}/")
    return person.post(f"policies/{name}/", loaded(page) | typed)


def spec_of(name: str) -> dict[str, Any]:
    spec: dict[str, Any] = Manifest.objects.get(name=name).spec
    return spec


@pytest.mark.parametrize("role", [Role.SUPERVISOR, Role.FINANCE])
def test_who_may_agree_sees_what_is_declared_and_what_holds_of_it(role: Role) -> None:
    declared.policy("books", **SPEC)
    declared.channel("default", title="Shop", hostnames=["shop.example"])
    page = Person(role).get("policies/")
    assert page.status == 200
    for text in ("books", "in force", "kind=book", "Open refunds: 0", "shop.example", "the built-in one"):
        assert text in page
    assert 'href="/console/policies/"' in page.html


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.WAREHOUSE, Role.AUDITOR])
def test_nobody_else_does(role: Role) -> None:
    declared.policy("books", **SPEC)
    someone = Person(role)
    assert 'href="/console/policies/"' not in someone.get("").html
    for path in ("policies/", "policies/books/"):
        assert someone.get(path).status == 403
    assert someone.post("policies/books/", {"window": "9"}).status == 403
    assert someone.post("policies/books/approve/", {"said": declared.AGREED, "seen": ""}).status == 403
    assert spec_of("books") == SPEC


def test_policies_of_other_channels_are_not_there(boss: Person) -> None:
    Channel.objects.create(slug="other", name="Other", is_default=False)
    declared.policy("theirs", **SPEC | {"selector": {"channels": ["other"]}})
    assert "theirs" not in boss.get("policies/")
    assert boss.get("policies/theirs/").status == boss.get("policies/nowhere/").status == 404


def test_sent_as_it_was_loaded_it_changes_nothing(boss: Person) -> None:
    for path in FOLDER.glob("*.yaml"):
        spec = yaml.safe_load(path.read_text(encoding="utf-8"))["spec"]
        declared.policy(path.stem, **deepcopy(spec))
        assert changed(boss, path.stem).status == 302
        assert (spec_of(path.stem), Manifest.objects.get(name=path.stem).generation) == (spec, 1)


def test_what_is_typed_is_written_and_all_else_stays(boss: Person) -> None:
    declared.policy("books", **deepcopy(SPEC))
    answer = changed(
        boss,
        "books",
        window="7",
        instant="EUR 250.00\nJPY 30000",
        second="EUR 1,000.00",
        restocking="100",
        shipping="EUR 4.90",
        approve="no",
        way_back="drop_off",
        pay_on="receipt",
        refund_to="store_credit",
        handing_over="10d",
    )
    assert answer.status == 302
    assert spec_of("books") == {
        "selector": {"labels": {"kind": "book"}},
        "window": {"days": 7},
        "limits": {"instantMinor": {"EUR": 25000, "JPY": 30000}, "requestAttempts": 2},
        "approval": {"aboveMinor": {"EUR": 100000}},
        "fees": {"restocking": {"perMille": 100}, "returnShipping": {"fixedMinor": {"EUR": 490}}},
        "returns": {"approve": False, "wayBack": "drop_off", "payOn": "receipt"},
        "money": {"refundTo": "store_credit"},
        "clocks": {"review": "2d", "inspect": "5d", "return": "10d"},
    }
    row = Manifest.objects.get(name="books")
    assert (row.generation, row.applied_by) == (2, boss.actor.reference)


def test_what_is_emptied_is_taken_out_with_its_group(boss: Person) -> None:
    declared.policy("books", **deepcopy(SPEC))
    assert changed(boss, "books", window="", instant="", review="").status == 302
    assert spec_of("books") == {
        "selector": {"labels": {"kind": "book"}},
        "limits": {"requestAttempts": 2},
        "clocks": {"inspect": "5d"},
    }


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"window": "many"}, "A whole number, at most 3650."),
        ({"restocking": "1001"}, "A whole number, at most 1000."),
        ({"review": "2 days"}, "such as 48h or 7d"),
        ({"review": "0h"}, "Nobody can act in no time."),
        ({"instant": "500"}, "A line for each currency"),
        ({"instant": "EUR five"}, "write it such as EUR 1250.00"),
        ({"second": "ZZZ 5"}, "A line for each currency"),
        ({"instant": "EUR 5\nJPY 7\nEUR 6"}, "EUR: This is there already."),
        ({"second": "EUR 5\nEUR 5"}, "EUR: This is there already."),
        ({"shipping": "EUR 5\nEUR 6"}, "EUR: This is there already."),
        ({"approve": "perhaps"}, "This cannot be chosen here."),
        ({"faults": "3"}, "cannot have less time than a change of mind"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_is_written(
    boss: Person, typed: dict[str, str], said: str
) -> None:
    declared.policy("books", **deepcopy(SPEC))
    page = changed(boss, "books", **typed)
    assert (page.status, spec_of("books")) == (422, SPEC)
    [name] = typed
    assert re.search(rf'id="policy-{name}_error">[^<]*{re.escape(said)}', page.html), page


def test_when_it_was_applied_is_told_and_not_when_it_was_looked_at(boss: Person) -> None:
    declared.policy("books", **deepcopy(SPEC))
    Manifest.objects.update(updated_at=datetime(2031, 3, 1, 12, tzinfo=UTC))
    shown = re.search(r"<dt>Applied</dt><dd>([^<]*)</dd>", boss.get("policies/books/").html)
    assert shown and shown[1] == f"operator:ann, {written.moment(ManifestVersion.objects.get().applied_at)}"


def test_a_policy_that_has_changed_since_is_not_overwritten(boss: Person) -> None:
    declared.policy("books", **deepcopy(SPEC))
    form = loaded(boss.get("policies/books/"))
    declared.policy("books", **SPEC | {"window": {"days": 10}})
    page = boss.post("policies/books/", form | {"window": "7"})
    assert page.status == 412 and "Somebody has changed this policy" in page
    assert 'value="7"' in page.html
    assert spec_of("books")["window"] == {"days": 10}
    again = boss.post("policies/books/", loaded(page))
    assert again.status == 412


def test_from_the_page_after_apply_it_can_be_changed_again(boss: Person) -> None:
    """The controller writes what it has found while the page is open: nobody has changed the policy."""
    declared.policy("books", **deepcopy(SPEC))
    assert changed(boss, "books", window="7").status == 302
    form = loaded(boss.get("policies/books/"))
    declared.synced(Manifest.objects.get(name="books"))
    assert boss.post("policies/books/", form | {"window": "6"}).status == 302
    assert spec_of("books")["window"] == {"days": 6}


def test_what_is_wrong_with_it_stands_at_its_fields_when_it_is_opened(boss: Person) -> None:
    declared.policy("books", window={"days": 14, "faultDays": 3}, calendar={"zone": "Nowhere/Town"})
    page = boss.get("policies/books/")
    assert "rules that cannot be right" in page
    assert re.search(r'id="policy-faults_error">[^<]*less time', page.html)
    assert "calendar.zone: A time zone such as Europe/Berlin." in page


def test_what_cannot_be_read_and_what_cannot_be_right_stand_there_together(boss: Person) -> None:
    declared.policy("books", **SPEC)
    Manifest.objects.update(spec={"window": {"days": 14, "faultDays": 3}, "clocks": {"review": "soon"}})
    page = boss.get("policies/books/")
    assert re.search(r'id="policy-faults_error">[^<]*less time', page.html)
    assert re.search(r'id="policy-review_error">[^<]*such as 48h', page.html)


def test_a_loosened_rule_waits_for_another_supervisor(boss: Person) -> None:
    declared.policy("books", **deepcopy(SPEC))
    assert changed(boss, "books", approve="yes").status == 302
    declared.synced(Manifest.objects.get(name="books"))
    mine = boss.get("policies/books/")
    assert "waits for a second person" in mine and "somebody else has to agree" in mine
    assert "approve-said" not in mine.html
    colleague = Person(Role.SUPERVISOR, name="bob")
    theirs = colleague.get("policies/books/")
    assert 'id="approve-said"' in theirs.html and "Looser than before: Who approves returns." in theirs
    said = {"said": declared.AGREED, "seen": seen_on(theirs), "once": "click1"}
    assert colleague.post("policies/books/approve/", said).status == 302
    declared.synced(Manifest.objects.get(name="books"))
    page = colleague.get("policies/books/")
    assert "in force" in page and "approved by a second person" in page


def by(person: Person) -> Declarer:
    return Declarer(person.actor)


STRICT: dict[str, Any] = {"window": {"days": 7}, "selector": {"labels": {"kind": "book"}}}


def test_a_removal_that_waits_is_told_and_agreed_to_by_another_person(boss: Person) -> None:
    """By who did not ask for it: whoever applied the policy may have been anybody."""
    declared.policy("books", by(boss), **STRICT)
    ada, bob = boss, Person(Role.SUPERVISOR, name="bob")
    declared.synced(delete_manifest("RefundPolicy", "books", by(bob)))
    mine, theirs = bob.get("policies/books/"), ada.get("policies/books/")
    for page in (mine, theirs):
        assert "its removal waits for a second person" in page and "Bob" in page
        assert "stays in force until somebody else agrees to its removal" in page
        assert "Looser than before" not in page
    assert 'id="approve-said"' in theirs.html and 'id="approve-said"' not in mine.html
    assert theirs.html.count("policies/books/withdraw/") == mine.html.count("policies/books/withdraw/") == 1
    said = {"said": declared.AGREED, "seen": seen_on(theirs), "once": "click1"}
    assert ada.post("policies/books/approve/", said).status == 302
    declared.synced(Manifest.objects.get(name="books"))
    assert ada.get("policies/books/").status == 404


def test_a_word_about_a_removal_is_none_about_a_version_and_the_other_way_round(boss: Person) -> None:
    """The page was loaded, and what it asked about was withdrawn, or asked for, before he answered."""
    declared.policy("books", by(boss), **STRICT)
    declared.policy("books", by(boss), **STRICT | {"window": {"days": 900}})
    bob = Person(Role.FINANCE, name="bob")
    about_the_version = {"said": declared.AGREED, "seen": seen_on(bob.get("policies/books/")), "once": "click1"}
    declared.synced(delete_manifest("RefundPolicy", "books", by(boss)))
    page = bob.get("policies/books/")
    assert "rules-title" not in page.html, "what is to be removed is not changed"
    about_its_end = {"said": declared.AGREED, "seen": seen_on(page), "once": "click2"}
    assert bob.post("policies/books/approve/", about_the_version).status == 412
    row = declared.synced(withdraw_removal("RefundPolicy", "books", by(boss)))
    refused = bob.post("policies/books/approve/", about_its_end)
    assert refused.status == 412 and "Somebody has changed this policy" in refused
    assert declared.synced(row).approval == "" and row.status["inForceGeneration"] == 1


def test_what_is_for_others_orders_as_well_is_shown_and_has_no_form(boss: Person) -> None:
    mine = Channel.objects.create(slug="mine", name="Mine")
    declared.policy("shared", **STRICT | {"selector": {"channels": ["default", "mine"]}})
    declared.policy("shared", **STRICT | {"selector": {"channels": ["default", "mine"]}, "window": {"days": 900}})
    narrow = Person(Role.SUPERVISOR, mine, name="bob")
    page = narrow.get("policies/shared/")
    assert page.status == 200 and "channels that are not yours, too" in page
    assert "<form" not in page.html.split('id="head-title"')[1]
    for path in ("", "approve/", "withdraw/"):
        said = {"said": declared.AGREED, "seen": str(Manifest.objects.get().resource_version), "once": f"x{path[:1]}"}
        refused = narrow.post(f"policies/shared/{path}", said)
        assert refused.status == 403 and "channels that are not yours" in refused, path


@pytest.mark.parametrize("name", ["ada", "bob"])
def test_a_removal_that_waits_is_withdrawn(boss: Person, name: str) -> None:
    declared.policy("books", **STRICT)
    declared.synced(delete_manifest("RefundPolicy", "books", by(boss)))
    person = boss if name == "ada" else Person(Role.FINANCE, name=name)
    seen = seen_on(person.get("policies/books/"))
    answer = person.post("policies/books/withdraw/", {"seen": seen, "once": "click1"})
    assert answer.status == 302
    declared.synced(Manifest.objects.get(name="books"))
    page = person.get("policies/books/")
    assert "in force" in page and "removal" not in page.html.split("Removal withdrawn")[0]
    shown = re.search(r"<dt>Removal withdrawn</dt><dd>([^<]*)</dd>", page.html)
    assert shown and shown[1].startswith(f"{name.title()}, ")
    again = person.post("policies/books/withdraw/", {"seen": seen, "once": "click2"})
    assert again.status == 412 and "Somebody has changed this policy" in again
    assert person.get("policies/books/withdraw/").status == 302


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ({"said": "fine with me", "seen": ""}, 422, "An address, such as"),
        ({"said": "https://[::1", "seen": ""}, 422, "An address, such as"),
        ({"said": "unapproved: ", "seen": ""}, 422, "An address, such as"),
        ({"said": "", "seen": ""}, 422, "This field is required."),
        ({"said": declared.AGREED, "seen": "7"}, 412, "Somebody has changed this policy"),
        ({"said": "unapproved: in a hurry", "seen": ""}, 403, "Your role may not do this."),
    ],
)
def test_an_approval_that_is_none(boss: Person, said: dict[str, str], status: int, words: str) -> None:
    declared.policy("books", **LOOSER)
    page = boss.post("policies/books/approve/", said | {"once": "click1"})
    assert page.status == status and words in page
    assert Manifest.objects.get(name="books").approval == ""


def test_odd_words_are_shown_as_they_are_and_stay(boss: Person) -> None:
    spec = {
        "selector": {"labels": {"品类": '<b>电视 & "x"</b>'}},
        "window": {"days": 14},
        "reasons": [{"code": "太小", "text": {"en": "Too small", "zh-hans": "太小了 <i>😀</i>"}}],
        "exclusions": [{"rule": "生鲜 <script>", "lineLabels": {"类": "生鲜"}}],
    }
    declared.policy("0-books-2026", **deepcopy(spec))
    declared.channel("default", title="北京 <b>店</b> 😀", returnAddress={"street": "长安街 1"})
    page = boss.get("policies/")
    assert page.status == 200 and "<b>" not in page.html
    assert "品类=&lt;b&gt;电视 &amp; &quot;x&quot;&lt;/b&gt;" in page.html
    assert changed(boss, "0-books-2026", window="7").status == 302
    assert spec_of("0-books-2026") == spec | {"window": {"days": 7}}
    boss.client.cookies["django_language"] = "zh-hans"
    assert changed(boss, "0-books-2026", instant="EUR 1,250.00\r\n CNY  99.5 \r\n").status == 302
    assert spec_of("0-books-2026")["limits"] == {"instantMinor": {"EUR": 125000, "CNY": 9950}}


@pytest.mark.parametrize("name", ["BAD", "a_b", "a--b", "b" * 61, "nowhere", "built-in"])
def test_what_nothing_is_called_is_not_there(boss: Person, name: str) -> None:
    for path in (f"policies/{name}/", f"policies/{name}/approve/", f"policies/{name}/withdraw/"):
        assert boss.post(path, {"window": "7"}).status == boss.get(path).status == 404


def test_it_is_all_there_in_chinese(boss: Person) -> None:
    declared.policy("books", **LOOSER)
    boss.client.cookies["django_language"] = "zh-hans"
    page = boss.get("policies/books/")
    assert "等待另一人批准" in page and "最常用的规则" in page
