"""Manifests over the API: declared, read, listed, approved, rolled back and let go."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from orders import clock
from orders.models import Channel
from orders.roles import Role
from refunds.models import Manifest, ManifestVersion
from refunds.records import counted
from refunds.services.manifests.syncing import sync_manifest
from tests.fingerprint import fingerprint
from tests.integration.manifests.written import channel, policy
from tests.integration.orders.conftest import ORDER
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db

AT = "/apis/refundpolicy/fresh"
STRICT = {"window": {"days": 7}}
AGREED = {"record": "https://tickets.example/REF-1"}


def put(by: Caller, body: Any, at: str = AT, **headers: str) -> Any:
    return by.call("PUT", at, _raw(body), headers)


def delete(by: Caller, at: str = AT, **headers: str) -> Any:
    return by.call("DELETE", at, b"", headers)


def _raw(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def synced() -> None:
    for pk in Manifest.objects.values_list("pk", flat=True):
        sync_manifest(pk)


def test_it_is_created_configured_and_unchanged(merchant) -> None:
    made = put(merchant, policy(**STRICT))
    assert (made.status, made.headers["Refundry-Applied"]) == (201, "created")
    again = put(merchant, policy(**STRICT))
    assert (again.status, again.headers["Refundry-Applied"], again.headers["ETag"]) == (
        200,
        "unchanged",
        made.headers["ETag"],
    )
    other = put(merchant, policy(window={"days": 6}))
    assert (other.status, other.headers["Refundry-Applied"]) == (200, "configured")
    assert other.body["metadata"]["generation"] == 2 and other.headers["ETag"] != made.headers["ETag"]


def test_it_is_answered_in_the_form_it_is_written_in(merchant) -> None:
    put(merchant, policy(labels={"team": "a"}, **STRICT))
    synced()
    found = merchant.get(AT)
    body, metadata = found.body, found.body["metadata"]
    assert (body["apiVersion"], body["kind"], body["spec"]) == ("refundry/v1", "RefundPolicy", policy(**STRICT)["spec"])
    assert metadata["name"] == "fresh" and metadata["labels"] == {"team": "a"} and metadata["annotations"] == {}
    assert metadata["generation"] == 1 and found.headers["ETag"] == f'"{metadata["resourceVersion"]}"'
    assert metadata["creationTimestamp"].endswith("Z") and metadata["deletionTimestamp"] is None
    status = body["status"]
    assert (status["observedGeneration"], status["inForceGeneration"]) == (1, 1)
    ready = next(c for c in status["conditions"] if c["type"] == "Ready")
    assert ready.keys() == {"type", "status", "reason", "message", "lastTransitionTime", "observedGeneration"}


def test_what_was_read_can_be_sent_back(merchant) -> None:
    put(merchant, policy(**STRICT))
    synced()
    assert put(merchant, merchant.get(AT).body).headers["Refundry-Applied"] == "unchanged"


@pytest.mark.parametrize("word", ["policy", "policies", "refundpolicies", "RefundPolicy"])
def test_a_kind_has_several_names(merchant, word: str) -> None:
    put(merchant, policy(**STRICT))
    assert merchant.get(f"/apis/{word}/fresh").status == merchant.get(f"/apis/{word}").status == 200


def test_the_kinds_are_listed(merchant) -> None:
    items = merchant.get("/apis").body["items"]
    assert [item["kind"] for item in items] == ["RefundPolicy", "Channel"]
    assert "policies" in items[0]["names"]


@pytest.mark.parametrize(
    "path",
    ["/apis/pods", "/apis/pods/x", "/apis/policy/none", "/apis/policy/none/history", "/apis/channel/default"],
)
def test_what_is_not_there_is_not_found(merchant, path: str) -> None:
    assert (merchant.get(path).status, merchant.get(path).code) == (404, "not_found")


LONE = "\ud800"
BAD: list[tuple[Any, int, str, str]] = [
    (policy(clocks={"review": "soon"}), 422, "bad_duration", "spec.clocks.review"),
    (policy(clocks={"revue": "1d"}), 422, "unknown_field", "spec.clocks.revue"),
    (policy(reasons=[{"code": "x"}]), 422, "required", "spec.reasons[0].text"),
    (policy() | {"apiVersion": "refundry/v2"}, 422, "unknown_value", "apiVersion"),
    (policy() | {"kind": "Pod"}, 422, "unknown_value", "kind"),
    (channel("fresh"), 422, "not_the_address", "kind"),
    (policy("other"), 422, "not_the_address", "metadata.name"),
    (policy("UPPER"), 422, "bad_name", "metadata.name"),
    (policy() | {"extra": 1}, 422, "unknown_field", "extra"),
    (policy() | {"metadata": {"name": "fresh", "owner": "x"}}, 422, "unknown_field", "metadata.owner"),
    (policy() | {"metadata": {}}, 422, "required", "metadata.name"),
    (policy() | {"metadata": None}, 422, "wrong_type", "metadata"),
    (policy() | {"spec": []}, 422, "wrong_type", "spec"),
    (
        policy() | {"metadata": {"name": "fresh", "resourceVersion": "x"}},
        422,
        "bad_version",
        "metadata.resourceVersion",
    ),
    ({"kind": "RefundPolicy", "metadata": {"name": "fresh"}, "spec": {}}, 422, "required", "apiVersion"),
    (policy(labels={"a\x00b": "x"}), 422, "bad_name", "metadata.labels.a\\0b"),
    (policy(labels={LONE: "x"}), 422, "bad_name", "metadata.labels.\\ud800"),
    (policy(labels={"": "x"}), 422, "bad_name", "metadata.labels."),
    (policy(labels={"n" * 501: "x"}), 422, "bad_name", f"metadata.labels.{'n' * 100}"),
    (policy(labels={"a": "\x00"}), 422, "forbidden_character", "metadata.labels.a"),
    (policy(selector={"labels": {"a\x00": "x"}}), 422, "bad_name", "spec.selector.labels.a\\0"),
    (policy(selector={"channels": ["mine", 7]}), 422, "wrong_type", "spec.selector.channels[1]"),
    ([], 422, "not_an_object", ""),
    (b"{", 400, "unreadable_body", ""),
    (b'{"kind": 1, "kind": 2}', 400, "unreadable_body", ""),
    (b"", 400, "unreadable_body", ""),
]


@pytest.mark.parametrize(("body", "status", "code", "field"), BAD)
def test_a_bad_field_is_named_by_its_path_and_nothing_is_stored(merchant, body, status, code, field) -> None:
    before = fingerprint()
    refused = put(merchant, body)
    assert (refused.status, refused.code) == (status, code), refused
    assert [e["field"] for e in refused.body["errors"]] == ([field] if status == 422 else [])
    assert fingerprint() == before


def test_everything_wrong_is_told_at_once(merchant) -> None:
    refused = put(merchant, policy(clocks={"review": "x", "offer": 1}))
    assert (refused.status, refused.code) == (422, "invalid_manifest")
    assert [e["field"] for e in refused.body["errors"]] == ["spec.clocks.review", "spec.clocks.offer"]
    written = policy(clocks={"review": "x", "offer": "0s"}, calendar={"zone": "Mars/Base"}) | {"extra": 1}
    refused = put(merchant, written)
    fields = [e["field"] for e in refused.body["errors"]]
    assert fields == ["extra", "spec.clocks.review", "spec.calendar.zone", "spec.clocks.offer"]
    refused = put(merchant, channel("mine", title="", extra=1) | {"apiVersion": "v2"}, "/apis/channel/mine")
    assert [e["field"] for e in refused.body["errors"]] == ["apiVersion", "spec.title", "spec.extra"]


def test_a_secret_is_a_reference_and_a_refused_one_is_not_repeated(caller) -> None:
    merchant = caller(Role.FINANCE)
    till = {"name": "till", "adapter": "http", "baseUrl": "https://till.example", "secret": "hunter2"}
    written = channel(accounts=[till])
    refused = put(merchant, written, "/apis/channel/mine")
    assert (refused.status, refused.code) == (422, "secret_not_a_reference")
    assert "hunter2" not in str(refused.body)
    written["spec"]["accounts"][0]["secret"] = "env:TILL"
    assert put(merchant, written, "/apis/channel/mine").body["spec"]["accounts"][0]["secret"] == "env:TILL"


@pytest.mark.parametrize(
    ("at", "call"),
    [
        (AT, lambda by: put(by, policy(**STRICT), f"{AT}?dry_run=true")),
        (AT, lambda by: put(by, policy(window={"days": 6}), f"{AT}?dry_run=true")),
        ("channel", lambda by: put(by, channel("newcomer"), "/apis/channel/newcomer?dry_run=true")),
        (AT, lambda by: delete(by, f"{AT}?dry_run=true")),
        (AT, lambda by: by.post(f"{AT}/approve?dry_run=true", AGREED, Idempotency_Key="k")),
        (AT, lambda by: by.post(f"{AT}/rollback?dry_run=true", {"to_generation": 1}, Idempotency_Key="k")),
    ],
)
def test_a_dry_run_answers_and_writes_nothing(caller, at: str, call) -> None:
    by, another = caller(Role.SUPERVISOR), caller(Role.SUPERVISOR)
    put(another, policy(window={"days": 8}))
    put(another, policy(window={"days": 9}))
    before = fingerprint()
    answer = call(by)
    assert answer.status in (200, 201, 202), answer
    assert fingerprint() == before


def test_a_dry_run_that_would_create_says_so(merchant) -> None:
    answer = put(merchant, policy(**STRICT), f"{AT}?dry_run=true")
    assert (answer.status, answer.headers["Refundry-Applied"]) == (201, "created")
    assert merchant.get(AT).status == 404


@pytest.mark.parametrize("said", ["yes", "1", ""])
def test_a_dry_run_is_true_or_false(merchant, said: str) -> None:
    assert put(merchant, policy(), f"{AT}?dry_run={said}").code == "bad_parameter"
    assert not Manifest.objects.exists()


@pytest.mark.parametrize(
    "call",
    [
        lambda by, tag: put(by, policy(window={"days": 6}), If_Match=tag),
        lambda by, tag: delete(by, If_Match=tag),
        lambda by, tag: by.post(f"{AT}/approve", AGREED, If_Match=tag),
        lambda by, tag: by.post(f"{AT}/rollback", {"to_generation": 1}, If_Match=tag),
    ],
)
def test_who_has_seen_another_version_changes_nothing(caller, call) -> None:
    by, another = caller(Role.SUPERVISOR), caller(Role.SUPERVISOR)
    put(another, policy(window={"days": 8}))
    seen = put(another, policy(window={"days": 9})).headers["ETag"]
    before = fingerprint()
    for tag in ('"1"', f"W/{seen}"):
        refused = call(by, tag)
        assert (refused.status, refused.code) == (412, "changed_since")
        assert fingerprint() == before
    assert call(by, "7").code == "bad_if_match"
    assert call(by, seen).status in (200, 202)


def test_what_its_controller_finds_is_no_change_that_somebody_made(caller) -> None:
    """Who has created it, or has looked at it, can go on with the ETag that he has: its status moves by itself."""
    by = caller(Role.SUPERVISOR)
    tag = put(by, policy(returns={"approve": True})).headers["ETag"]
    synced()
    found = by.get(AT)
    assert found.body["status"]["conditions"] and found.headers["ETag"] == tag
    caller(Role.SUPERVISOR).post(f"{AT}/approve", AGREED)
    synced()
    assert put(by, policy(window={"days": 6}), If_Match=tag).status == 200


@pytest.mark.parametrize("what", ["labels", "annotations"])
def test_labels_and_annotations_are_something_that_people_change(merchant, what: str) -> None:
    tag, changed = put(merchant, policy(**STRICT)).headers["ETag"], policy(**STRICT)
    changed["metadata"][what] = {"team": "a"}
    assert put(merchant, changed).headers["Refundry-Applied"] == "configured"
    for call in (
        lambda: put(merchant, policy(window={"days": 6}), If_Match=tag),
        lambda: delete(merchant, If_Match=tag),
    ):
        assert call().code == "changed_since"
    assert merchant.get(AT).body["metadata"][what] == {"team": "a"}


def test_if_match_does_not_create(merchant) -> None:
    assert put(merchant, policy(), If_Match='"1"').status == 412
    assert not Manifest.objects.exists()


def test_if_match_of_whatever_version_changes_and_does_not_create(merchant) -> None:
    """RFC 9110, 13.1.1: the condition is false where there is nothing."""
    refused = put(merchant, policy(), If_Match="*")
    assert (refused.status, refused.code) == (412, "changed_since")
    assert not Manifest.objects.exists()
    put(merchant, policy())
    assert put(merchant, policy(**STRICT), If_Match="*").status == 200


def test_if_none_match_creates_and_does_not_change(merchant) -> None:
    """RFC 9110, 13.1.2."""
    made = put(merchant, policy(), If_None_Match="*")
    assert (made.status, made.headers["Refundry-Applied"]) == (201, "created")
    before = fingerprint()
    for body in (policy(**STRICT), policy()):
        refused = put(merchant, body, f"{AT}?dry_run=true", If_None_Match="*")
        assert (refused.status, refused.code) == (412, "exists_already")
        assert put(merchant, body, If_None_Match=" * ").code == "exists_already"
    assert fingerprint() == before
    delete(merchant)
    assert put(merchant, policy(), If_None_Match="*").code == "exists_already"


def test_if_none_match_tells_no_stranger_what_is_there(merchant, owner) -> None:
    put(owner, policy("theirs", selector={"channels": ["default"]}), "/apis/policy/theirs")
    assert put(merchant, policy("theirs"), "/apis/policy/theirs", If_None_Match="*").code == "foreign_channels"


@pytest.mark.parametrize("said", ['"7"', 'W/"7"', '"7", "8"', "", "7", '*, "7"'])
def test_if_none_match_names_no_version(merchant, said: str) -> None:
    refused = put(merchant, policy(), If_None_Match=said)
    assert (refused.code, refused.body["errors"][0]["field"]) == ("bad_if_none_match", "If-None-Match")
    assert not Manifest.objects.exists()


@pytest.mark.parametrize("tag", ["*", '"1"'])
def test_it_cannot_be_there_and_not_be_there(merchant, tag: str) -> None:
    assert put(merchant, policy(), If_Match=tag, If_None_Match="*").code == "bad_if_none_match"


@pytest.mark.parametrize(
    "call",
    [
        lambda by: delete(by, If_None_Match="*"),
        lambda by: by.post(f"{AT}/approve", AGREED, If_None_Match="*"),
        lambda by: by.post(f"{AT}/rollback", {"to_generation": 1}, If_None_Match="*"),
    ],
)
def test_if_none_match_is_for_what_is_created(caller, call) -> None:
    put(caller(Role.SHOP), policy(), AT)
    finance, before = caller(Role.FINANCE), fingerprint()
    assert call(finance).code == "bad_if_none_match"
    assert fingerprint() == before


def test_header_and_body_cannot_name_two_versions(merchant) -> None:
    seen = put(merchant, policy(**STRICT)).headers["ETag"]
    body = policy(window={"days": 6})
    body["metadata"]["resourceVersion"] = seen.strip('"')
    assert put(merchant, body, If_Match='"7777777"').status == 412
    assert put(merchant, body, If_Match=seen).status == 200


def test_what_was_seen_of_one_life_of_a_name_does_not_fit_the_next(merchant) -> None:
    seen = put(merchant, policy(**STRICT)).headers["ETag"]
    Manifest.objects.all().delete()
    put(merchant, policy(window={"days": 9}))
    assert put(merchant, policy(window={"days": 6}), If_Match=seen).status == 412


def test_let_go_it_waits_and_the_second_time_changes_nothing(merchant) -> None:
    put(merchant, policy(**STRICT))
    first = delete(merchant)
    assert (first.status, first.body["metadata"]["deletionTimestamp"] is not None) == (202, True)
    before = fingerprint()
    assert delete(merchant).body == first.body
    assert fingerprint() == before
    assert put(merchant, policy(**STRICT)).code == "being_removed"
    assert merchant.post(f"{AT}/rollback", {"to_generation": 1}).code == "being_removed"
    synced()
    assert (delete(merchant).status, merchant.get(AT).status) == (404, 404)


def test_the_history_is_told_in_pages(merchant) -> None:
    for days in (9, 8, 7):
        put(merchant, policy(window={"days": days}))
    first = merchant.get(f"{AT}/history?limit=2").body
    assert [item["generation"] for item in first["items"]] == [3, 2]
    assert first["items"][0].keys() == {"generation", "appliedBy", "appliedAt", "spec"}
    rest = merchant.get(f"{AT}/history?limit=2&cursor={first['next_cursor']}").body
    assert [item["spec"]["window"]["days"] for item in rest["items"]] == [9] and rest["next_cursor"] is None


def test_rolled_back_the_old_spec_is_the_next_generation(merchant) -> None:
    put(merchant, policy(**STRICT))
    put(merchant, policy(labels={"team": "a"}, window={"days": 6}))
    back = merchant.post(f"{AT}/rollback", {"to_generation": 1})
    assert (back.status, back.headers["Refundry-Applied"]) == (200, "configured")
    assert (back.body["metadata"]["generation"], back.body["spec"]["window"]) == (3, {"days": 7})
    assert back.body["metadata"]["labels"] == {"team": "a"}
    assert merchant.post(f"{AT}/rollback", {"to_generation": 3}).headers["Refundry-Applied"] == "unchanged"
    refused = merchant.post(f"{AT}/rollback", {"to_generation": 9})
    assert (refused.code, refused.body["errors"][0]["field"]) == ("unknown_generation", "to_generation")


def test_a_rollback_to_what_cannot_be_read_any_more_is_refused(merchant) -> None:
    put(merchant, policy(**STRICT))
    put(merchant, policy(window={"days": 6}))
    old = ManifestVersion.objects.get(generation=2)
    old.pk, old.generation, old.spec = None, 7, old.spec | {"gone": 1}
    old.save(force_insert=True)
    refused = merchant.post(f"{AT}/rollback", {"to_generation": 7})
    assert (refused.status, refused.body["errors"][0]["field"]) == (422, "spec.gone")


def test_a_second_person_approves(merchant, caller) -> None:
    put(merchant, policy(returns={"approve": True}))
    synced()
    agreed = caller(Role.FINANCE).post(f"{AT}/approve", AGREED | {"generation": 1})
    assert agreed.status == 200
    assert agreed.body["status"]["approval"]["record"] == AGREED["record"]
    synced()
    conditions = {c["type"]: c["reason"] for c in merchant.get(AT).body["status"]["conditions"]}
    assert (conditions["ApprovalConformant"], conditions["Ready"]) == ("Approved", "InForce")


def test_what_does_not_wait_for_anybody_is_not_approved(merchant, caller) -> None:
    """Nothing is loosened, it is agreed to already, or it is a channel: a word that counts for nothing is refused."""
    finance = caller(Role.FINANCE)
    put(merchant, policy(**STRICT))
    put(merchant, channel(), "/apis/channel/mine")
    synced()
    for at, record in ((AT, AGREED), ("/apis/channel/mine", AGREED), (AT, {"record": "unapproved: alone"})):
        before = fingerprint()
        refused = finance.post(f"{at}/approve", record)
        assert (refused.status, refused.code) == (409, "no_second_needed"), at
        assert finance.post(f"{at}/approve?dry_run=true", record).code == "no_second_needed"
        assert fingerprint() == before
    put(merchant, policy(window={"days": 30}))
    synced()
    assert finance.post(f"{AT}/approve", AGREED).status == 200
    synced()
    again = finance.post(f"{AT}/approve", {"record": "https://tickets.example/REF-2"})
    assert (again.code, "agreed" in again.body["detail"]) == ("no_second_needed", True)
    assert merchant.get(AT).body["status"]["approval"]["record"] == AGREED["record"]


def test_the_end_of_what_nobody_needs_is_not_approved_and_of_what_protects_it_is(owner, caller) -> None:
    finance = Caller(*Channel.objects.all(), role=Role.FINANCE)
    put(owner, policy("strict", selector={}, **STRICT), "/apis/policy/strict")
    put(owner, policy("aside", selector={"labels": {"never": "x"}, "channels": ["mine"]}), "/apis/policy/aside")
    synced()
    delete(owner, "/apis/policy/strict")
    synced()
    assert finance.post("/apis/policy/strict/approve", AGREED | {"removal": True}).status == 200
    synced()
    assert finance.get("/apis/policy/strict").status == 404


def test_the_word_is_about_the_generation_that_was_seen(merchant, caller) -> None:
    put(merchant, policy(returns={"approve": True}))
    put(merchant, policy(returns={"approve": True}, **STRICT))
    refused = caller(Role.FINANCE).post(f"{AT}/approve", AGREED | {"generation": 1})
    assert (refused.status, refused.code) == (409, "changed_since")


@pytest.mark.parametrize("record", ["", " ", "x" * 501, "a\x00b", 7, None])
def test_a_word_is_a_text(merchant, caller, record: Any) -> None:
    put(merchant, policy())
    assert caller(Role.FINANCE).post(f"{AT}/approve", {"record": record}).status == 422


def test_a_removal_is_withdrawn(owner, caller) -> None:
    at = "/apis/policy/strict"
    put(owner, policy("strict", selector={}, **STRICT), at)
    synced()
    assert owner.post(f"{at}/withdraw").code == "not_being_removed"
    seen = delete(owner, at).headers["ETag"]
    synced()
    before = fingerprint()
    assert owner.post(f"{at}/withdraw", If_Match='"1"').code == "changed_since"
    assert owner.post(f"{at}/withdraw?dry_run=true").body["metadata"]["deletionTimestamp"] is None
    assert fingerprint() == before
    done = owner.post(f"{at}/withdraw", If_Match=seen, Idempotency_Key="k")
    assert (done.status, done.body["metadata"]["deletionTimestamp"]) == (200, None)
    assert owner.post(f"{at}/withdraw", If_Match=seen, Idempotency_Key="k").body == done.body
    synced()
    found = owner.get(at).body["status"]
    assert found["withdrawnRemovals"][0]["withdrawnBy"] == f"principal:{owner.stored.principal_id}"
    assert put(owner, policy("strict", selector={}, window={"days": 6}), at).status == 200


MAY = {Role.SHOP: "declare", Role.SUPERVISOR: "declare agree", Role.FINANCE: "declare agree bypass"}


@pytest.mark.parametrize("role", [Role.SHOP, Role.SUPPORT, Role.SUPERVISOR, Role.WAREHOUSE, Role.FINANCE, Role.AUDITOR])
def test_who_may(merchant, caller, role: Role) -> None:
    put(merchant, policy(**STRICT))
    by, may = caller(role), MAY.get(role, "")
    tried = {
        "read": by.get(AT).status,
        "agree": by.post(f"{AT}/approve", AGREED).status,
        "bypass": by.post(f"{AT}/approve", {"record": "unapproved: alone"}).status,
        "declare": put(by, policy(window={"days": 6})).status,
        "roll back": by.post(f"{AT}/rollback", {"to_generation": 1}).status,
        "remove": delete(by).status,
    }
    expected = {"read": 200} | {what: 200 if what in may else 403 for what in ("agree", "bypass", "declare")}
    expected |= {"roll back": expected["declare"], "remove": 202 if "declare" in may else 403}
    assert tried == expected


def test_the_default_channel_stays_whether_or_not_anybody_has_declared_it(merchant, owner) -> None:
    at = "/apis/channel/default"
    for is_declared in (False, True):
        if is_declared:
            put(owner, channel("default"), at)
        before = fingerprint()
        assert (delete(owner, at).status, delete(owner, at).code) == (409, "default_channel")
        assert (delete(merchant, at).status, delete(merchant, at).code) == (404, "not_found")
        assert fingerprint() == before


def test_foreign_manifests_are_not_there(merchant, owner) -> None:
    put(owner, policy("theirs", selector={"channels": ["default"]}), "/apis/policy/theirs")
    put(owner, policy("of-all", selector={}), "/apis/policy/of-all")
    put(owner, policy("shared", selector={"channels": ["mine", "default"]}), "/apis/policy/shared")
    put(owner, channel("default"), "/apis/channel/default")
    put(merchant, policy())
    put(merchant, channel(), "/apis/channel/mine")
    supervisor = Caller(Channel.objects.get(slug="mine"), role=Role.SUPERVISOR)
    names = [item["metadata"]["name"] for item in merchant.get("/apis/policy").body["items"]]
    assert names == ["fresh", "of-all", "shared"]
    assert [item["metadata"]["name"] for item in merchant.get("/apis/channel").body["items"]] == ["mine"]
    before = fingerprint()
    for at in ("/apis/policy/theirs", "/apis/channel/default"):
        assert read(supervisor, at) == {404} and wanted_of(supervisor, at) == {(404, "not_found")}, at
    assert put(merchant, channel("default"), "/apis/channel/default").status == 404
    assert put(merchant, policy("theirs"), "/apis/policy/theirs").code == "foreign_channels"
    assert put(merchant, policy("x", selector={}), "/apis/policy/x").code == "foreign_channels"
    assert fingerprint() == before
    names = [item["metadata"]["name"] for item in owner.get("/apis/policy").body["items"]]
    assert names == ["fresh", "of-all", "shared", "theirs"]


def read(caller: Caller, at: str) -> set[int]:
    return {caller.get(at).status, caller.get(f"{at}/history").status}


def wanted_of(caller: Caller, at: str) -> set[tuple[int, str]]:
    """What is said to all that would change it."""
    answers = [delete(caller, at), caller.post(f"{at}/approve", AGREED), caller.post(f"{at}/withdraw")]
    answers.append(caller.post(f"{at}/rollback", {"to_generation": 1}))
    return {(answer.status, answer.code) for answer in answers}


def test_what_is_for_others_orders_as_well_is_read_and_not_changed(merchant, owner) -> None:
    put(owner, policy("of-all", selector={}), "/apis/policy/of-all")
    put(owner, policy("named"), "/apis/policy/named")
    Manifest.objects.filter(name="named").update(spec={})
    put(owner, policy("shared", selector={"channels": ["mine", "default"]}), "/apis/policy/shared")
    supervisor = Caller(Channel.objects.get(slug="mine"), role=Role.SUPERVISOR)
    before = fingerprint()
    for name in ("of-all", "named", "shared"):
        at = f"/apis/policy/{name}"
        assert read(supervisor, at) == {200} and wanted_of(supervisor, at) == {(403, "foreign_channels")}, name
        assert put(merchant, policy(name), at).code == "foreign_channels"
    assert fingerprint() == before


def test_who_moves_a_policy_to_a_channel_of_his_own_takes_it_from_nobody(owner, mine) -> None:
    """It is theirs as long as it is in force for their orders, and theirs to set right."""
    supervisor = Caller(mine, role=Role.SUPERVISOR)
    at = "/apis/policy/ours"
    put(supervisor, policy("ours", selector={"channels": ["mine"]}, **STRICT), at)
    synced()
    shop = Caller(mine, role=Role.SHOP)
    put(shop, channel("second"), "/apis/channel/second")
    assert put(shop, policy("ours", selector={"channels": ["second"]}), at).status == 200
    synced()
    assert supervisor.get(at).body["status"]["inForceGeneration"] == 1
    assert "ours" in [item["metadata"]["name"] for item in supervisor.get("/apis/policy").body["items"]]
    assert supervisor.post(f"{at}/rollback", {"to_generation": 1}).status == 200
    assert put(shop, policy("ours", selector={"channels": ["second"]}), at).status == 200
    synced()
    assert Caller(mine, role=Role.FINANCE).post(f"{at}/approve", AGREED).status == 200
    synced()
    assert supervisor.get(at).status == 404 and shop.get(at).status == 200


@pytest.mark.parametrize("seen", [{}, {"generation": 2}, {"generation": 1, "removal": True}])
def test_a_word_about_a_version_is_none_about_its_removal(owner, seen: dict[str, Any]) -> None:
    """And the other way round."""
    finance, at = Caller(*Channel.objects.all(), role=Role.FINANCE), "/apis/policy/strict"
    put(owner, policy("strict", selector={}, **STRICT), at)
    synced()
    put(owner, policy("strict", selector={}, window={"days": 900}), at)
    synced()
    delete(owner, at)
    synced()
    refused = finance.post(f"{at}/approve", AGREED | seen)
    assert (refused.status, refused.code) == (409, "changed_since")
    owner.post(f"{at}/withdraw")
    refused = finance.post(f"{at}/approve", AGREED | {"removal": True})
    assert (refused.status, refused.code) == (409, "changed_since")
    synced()
    assert finance.get(at).body["status"]["inForceGeneration"] == 1
    assert finance.post(f"{at}/approve", AGREED | {"generation": 2, "removal": False}).status == 200


def test_a_new_channel_is_its_declarers_own(merchant) -> None:
    made = put(merchant, channel("second", title="Second"), "/apis/channel/second")
    assert made.status == 201
    assert merchant.get("/apis/channel/second").status == 200
    assert Caller(Channel.objects.get(slug="mine")).get("/apis/channel/second").status == 404
    again = put(merchant, channel("second", title="Second street"), "/apis/channel/second")
    assert again.headers["Refundry-Applied"] == "configured"
    assert put(merchant, policy(selector={"channels": ["mine", "second"]})).status == 201
    assert {item["metadata"]["name"] for item in merchant.get("/apis/channel").body["items"]} == {"second"}
    assert delete(merchant, "/apis/channel/second").status == 202


def test_who_declares_another_channel_works_on_for_his_own_as_before(merchant, mine) -> None:
    """His key has one channel, which need not be named: it stays so, and orders of the new one are for its own keys."""
    put(merchant, channel("second"), "/apis/channel/second")
    assert put(merchant, ORDER, "/orders/1").status == 201
    assert merchant.get("/orders/1").status == 200
    assert put(merchant, ORDER, "/orders/2?channel=second").code == "not_found"
    assert list(merchant.stored.principal.channels.all()) == [mine]


def test_a_channel_s_next_life_is_not_who_declared_the_first_ones(merchant) -> None:
    put(merchant, channel("second"), "/apis/channel/second")
    delete(merchant, "/apis/channel/second")
    synced()
    other = Caller(Channel.objects.create(slug="other", name="Other"))
    assert put(other, channel("second"), "/apis/channel/second").status == 201
    assert merchant.get("/apis/channel/second").status == 404
    assert put(merchant, channel("second", title="Back"), "/apis/channel/second").status == 404


def test_a_channel_that_the_operator_has_declared_is_nobody_elses(merchant) -> None:
    """Its row of the channel is written by the controller, a moment later."""
    Manifest.objects.create(
        kind="Channel",
        name="coming",
        spec={},
        applied_by="operator:ann",
        created_at=clock.now(),
        updated_at=clock.now(),
    )
    assert merchant.get("/apis/channel/coming").status == 404
    assert put(merchant, channel("coming", title="Taken"), "/apis/channel/coming").status == 404


def test_a_name_that_was_let_go_and_taken_by_another_is_not_the_first_ones(merchant, mine) -> None:
    Channel.objects.filter(pk=mine.pk).update(retired_at=clock.now())
    again = Caller(Channel.objects.create(slug="mine", name="Another"))
    assert put(again, channel(title="Another"), "/apis/channel/mine").status == 201
    assert put(again, policy()).status == 201
    assert merchant.get("/apis/channel/mine").status == merchant.get(AT).status == 404
    assert put(merchant, channel(title="Back"), "/apis/channel/mine").status == 404


def test_nobody_declares_a_policy_for_a_channel_that_is_still_to_come(owner) -> None:
    """Who has all channels today does not have those of tomorrow."""
    assert put(owner, policy(selector={"channels": ["tomorrow"]})).code == "foreign_channels"


@pytest.mark.parametrize("role", [Role.SHOP, Role.SUPERVISOR, Role.FINANCE])
def test_a_channel_that_a_shop_s_key_declares_takes_all_from_nobody(merchant, mine, role: Role) -> None:
    """Who has every channel that the installation has been given goes on with what is for all orders."""
    everywhere = Caller(mine, Channel.objects.get(is_default=True), role=role)
    put(everywhere, policy("of-all", selector={}), "/apis/policy/of-all")
    put(merchant, channel("second"), "/apis/channel/second")
    assert everywhere.get("/apis/policy/of-all").status == 200
    assert put(everywhere, policy("of-all", selector={}, **STRICT), "/apis/policy/of-all").status == 200
    assert put(everywhere, policy("more", selector={}), "/apis/policy/more").status == 201
    assert everywhere.get("/apis/channel/second").status == 404
    named = policy("of-theirs", selector={"channels": ["second"]})
    assert put(everywhere, named, "/apis/policy/of-theirs").code == "foreign_channels"
    assert put(merchant, policy("x", selector={}), "/apis/policy/x").code == "foreign_channels"


@pytest.mark.parametrize("first", ["default", "mine"])
def test_a_channel_that_is_declared_by_its_own_people_counts_for_others(merchant, first: str) -> None:
    """It was there before: that its own key was the first to declare it makes nobody else have all."""
    default = Channel.objects.get(is_default=True)
    own, other = (merchant, Caller(default)) if first == "mine" else (Caller(default), merchant)
    assert put(own, channel(first), f"/apis/channel/{first}").status == 201
    assert put(other, policy("x", selector={}), "/apis/policy/x").code == "foreign_channels"


@pytest.mark.parametrize("role", [Role.SHOP, Role.SUPERVISOR, Role.FINANCE])
def test_a_channel_that_somebody_opens_takes_nothing_from_who_has_the_others(owner, mine, role: Role) -> None:
    put(owner, policy("all", selector={}), "/apis/policy/all")
    narrow = Caller(mine, role=role)
    assert put(narrow, channel("second"), "/apis/channel/second").status == 201
    assert put(owner, policy("all", selector={}, window={"days": 7}), "/apis/policy/all").status == 200
    assert put(narrow, policy("y", selector={}), "/apis/policy/y").code == "foreign_channels"


def test_once_somebody_is_let_in_there_it_counts_as_any_other(owner, mine) -> None:
    """His orders are governed by what others would end."""
    shop, at = Caller(mine, role=Role.SHOP), "/apis/policy/both"
    put(shop, channel("second"), "/apis/channel/second")
    put(shop, policy("both", selector={"channels": ["mine", "second"]}, **STRICT), at)
    synced()
    supervisor = Caller(mine, role=Role.SUPERVISOR)
    tried = put(supervisor, policy("both", selector={"channels": ["mine"]}, **STRICT), f"{at}?dry_run=true")
    assert tried.status == 200
    put(owner, policy("all", selector={}), "/apis/policy/all")
    Caller(Channel.objects.get(slug="second"))
    before = fingerprint()
    refused = [
        put(supervisor, policy("both", selector={"channels": ["mine"]}, **STRICT), at),
        delete(supervisor, at),
        supervisor.post(f"{at}/approve", AGREED),
        delete(owner, "/apis/policy/all"),
    ]
    assert {answer.code for answer in refused} == {"foreign_channels"} and fingerprint() == before
    assert put(shop, policy("both", selector={"channels": ["mine"]}, **STRICT), at).status == 200, "it has opened it"


def test_a_list_is_narrowed_by_labels(merchant) -> None:
    for name, labels in (("a", {"team": "x"}), ("b", {"team": "x", "tier": "1"}), ("c", {"team": "y"})):
        put(merchant, policy(name, labels=labels), f"/apis/policy/{name}")

    def listed(query: str) -> list[str]:
        return [item["metadata"]["name"] for item in merchant.get(f"/apis/policy{query}").body["items"]]

    assert listed("?labels=team=x") == ["a", "b"]
    assert listed("?labels=team=x,tier=1") == ["b"]
    assert listed("?labels=team=z") == []
    for odd in ("team", "=x", "", "team=x,"):
        assert merchant.get(f"/apis/policy?labels={odd}").code == "bad_parameter"


def test_a_list_is_read_in_pages(merchant) -> None:
    for n in range(5):
        put(merchant, policy(f"p{n}"), f"/apis/policy/p{n}")
    names, cursor = [], ""
    while cursor is not None:
        body = merchant.get(f"/apis/policy?limit=2{cursor and f'&cursor={cursor}'}").body
        names += [item["metadata"]["name"] for item in body["items"]]
        cursor = body["next_cursor"]
    assert names == ["p0", "p1", "p2", "p3", "p4"]
    assert merchant.get("/apis/policy?cursor=x").code == "bad_cursor"


def test_reading_costs_a_constant_number_of_statements(merchant) -> None:
    def cost(path: str) -> int:
        with CaptureQueriesContext(connection) as queries, counted() as statements:
            assert merchant.get(path).status == 200
        return len(queries) + len(statements)

    put(merchant, policy())
    paths = ("/apis/policy", AT, f"{AT}/history")
    merchant.get("/apis/policy")
    few = [cost(path) for path in paths]
    for n in range(20):
        put(merchant, policy(f"p{n}"), f"/apis/policy/p{n}")
        put(merchant, policy(window={"days": 30 - n}))
    assert [cost(path) for path in paths] == few
    assert max(few) <= 5
