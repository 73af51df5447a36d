"""Manifests at the machine: files are applied, compared and let go, and every command ends as scripts expect."""

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from orders.models import Channel
from refunds.management.manifest_files import documents
from refunds.management.yaml_form import dump, load
from refunds.models import Manifest
from refunds.services.manifests.syncing import sync_manifest
from tests.fingerprint import fingerprint
from tests.integration.manifests.written import channel, policy

pytestmark = pytest.mark.django_db


class Ran:
    """A command that ran to its end: what it wrote, and its exit code."""

    def __init__(self, *words: str) -> None:
        out, err = io.StringIO(), io.StringIO()
        self.code, self.error = 0, ""
        try:
            call_command(*words, stdout=out, stderr=err)
        except CommandError as error:
            self.code, self.error = error.returncode, str(error)
        self.out, self.err = out.getvalue(), err.getvalue()
        self.lines = self.out.splitlines()


@pytest.fixture(autouse=True)
def user(monkeypatch) -> None:
    for name in ("LOGNAME", "USER"):
        monkeypatch.setenv(name, "ann")


@pytest.fixture
def file(tmp_path: Path) -> Any:
    def write(*trees: Any, name: str = "a.yaml") -> str:
        text = trees[0] if isinstance(trees[0], str) else dump(*trees)
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def synced() -> None:
    for pk in Manifest.objects.values_list("pk", flat=True):
        sync_manifest(pk)


def test_what_is_written_is_applied_and_told(file) -> None:
    both = file(policy(), channel("mine"))
    first = Ran("apply", "-f", both)
    assert (first.code, first.lines) == (0, ["refundpolicy/fresh created", "channel/mine created"])
    assert set(Manifest.objects.values_list("applied_by", flat=True)) == {"operator:ann"}
    before = fingerprint()
    again = Ran("apply", "-f", both)
    assert again.lines == ["refundpolicy/fresh unchanged", "channel/mine unchanged"]
    assert fingerprint() == before
    assert Ran("apply", "-f", file(policy(window={"days": 7}))).lines == ["refundpolicy/fresh configured"]


def test_a_dry_run_tells_and_writes_nothing(file) -> None:
    before = fingerprint()
    ran = Ran("apply", "-f", file(policy(), channel("mine")), "--dry-run")
    assert (ran.code, ran.lines[0]) == (0, "refundpolicy/fresh created (dry run)")
    assert fingerprint() == before


def test_a_folder_is_all_its_manifests(file, tmp_path) -> None:
    file(policy("one"), name="1.yaml")
    file(json.dumps(policy("two")), name="2.json")
    file(policy("three"), name="3.yml")
    file("no manifest", name="README.md")
    ran = Ran("apply", "-f", str(tmp_path))
    assert ran.lines == [f"refundpolicy/{name} created" for name in ("one", "two", "three")]


@pytest.mark.parametrize("command", ["apply", "diff", "delete"])
def test_a_folder_without_any_is_told_as_wrong(file, tmp_path, command) -> None:
    file("no manifest", name="README.md")
    ran = Ran(command, "-f", str(tmp_path))
    assert ran.code != 0
    assert f"{tmp_path}: No file right in this folder ends with .yaml, .yml, .json." in ran.err + ran.error


def test_several_files_and_what_is_piped_in(file, monkeypatch) -> None:
    piped = SimpleNamespace(buffer=io.BytesIO(dump(policy("two")).encode()))
    monkeypatch.setattr("sys.stdin", piped)
    ran = Ran("apply", "-f", file(policy("one")), "-f", "-")
    assert (ran.code, ran.lines) == (0, ["refundpolicy/one created", "refundpolicy/two created"])


def test_one_that_is_refused_does_not_hold_up_the_others(file) -> None:
    ran = Ran("apply", "-f", file(policy("one"), policy("two", clocks={"revue": "1d"}), policy("three")))
    assert (ran.code, ran.lines) == (1, ["refundpolicy/one created", "refundpolicy/three created"])
    assert "a.yaml:19: spec.clocks.revue: There is no such field." in ran.err
    assert ran.error == "1 of 3 could not be applied."


def test_of_a_file_that_cannot_be_read_nothing_is_applied(file, tmp_path) -> None:
    file(dump(policy("one")) + "---\na:\n\tb: 1\n", name="1.yaml")
    file(policy("two"), name="2.yaml")
    ran = Ran("apply", "-f", str(tmp_path), "-f", str(tmp_path / "none.yaml"))
    assert (ran.code, ran.lines) == (1, ["refundpolicy/two created"])
    assert "1.yaml:11: This is not YAML: found character '\\t'" in ran.err
    assert "none.yaml: No such file or directory." in ran.err
    assert "Traceback" not in ran.err


ODD = [
    ("", "a.yaml: There is no manifest in it."),
    ("---\n---\n", "a.yaml: There is no manifest in it."),
    ("just words\n", "a.yaml:1: A manifest is a group of fields: apiVersion, kind, metadata, spec."),
    ("- just\n- words\n", "a.yaml:2: A manifest is a group of fields"),
    ("7\n", "a.yaml:1: A manifest is a group of fields"),
    ("a: 1\na: 2\n", "a.yaml:2: a stands there twice."),
    ("{", "a.yaml:1: This is not YAML"),
    ("kind: Pod\n", "a.yaml:1: kind: One of RefundPolicy, Channel."),
    ("kind: RefundPolicy\n", "a.yaml:1: metadata: This has to be said."),
]


@pytest.mark.parametrize(("text", "told"), ODD)
def test_odd_files_are_refused_with_their_place(file, text: str, told: str) -> None:
    ran = Ran("apply", "-f", file(text))
    assert (ran.code, ran.out) == (1, "")
    assert told in ran.err
    assert not Manifest.objects.exists()


def test_odd_bytes_are_refused_with_their_place(tmp_path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: 1\nb: \xff\n")
    assert "a.yaml:2: It is not UTF-8." in Ran("apply", "-f", str(path)).err
    path.write_bytes(b"#" * (256 * 1024 + 1))
    assert "It is larger than" in Ran("apply", "-f", str(path)).err


def test_a_byte_order_mark_and_windows_lines_do_no_harm(tmp_path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + dump(policy()).replace("\n", "\r\n").encode())
    assert Ran("apply", "-f", str(path)).lines == ["refundpolicy/fresh created"]


def test_json_is_read_as_such(file) -> None:
    assert Ran("apply", "-f", file(json.dumps([policy("one"), policy("two")]), name="a.json")).code == 0
    tabbed = json.dumps(policy("three", title="x") | {"spec": {"reasons": [{"code": "c", "text": {"en": "😀"}}]}})
    assert Ran("apply", "-f", file(tabbed.replace("{", "{\t"))).lines == ["refundpolicy/three created"]
    assert "😀" in Ran("get", "policy", "three", "-o", "yaml").out
    ran = Ran("apply", "-f", file('{"kind": 1, "kind": 2}', name="b.json"))
    assert "b.json: The file is not JSON: 'kind' stands there twice." in ran.err
    assert Ran("apply", "-f", file("{apiVersion: refundry/v1, kind: Channel, metadata: {name: x}, spec: {}}")).code == 0


def test_norway_and_days_stay_texts(file) -> None:
    text = dump(policy()).replace("spec:\n", "spec:\n  calendar:\n    holidays: [2026-10-01]\n") + "  precedence: 1\n"
    text = text.replace("  selector:\n", "  selector:\n    labels: {country: no}\n")
    assert Ran("apply", "-f", file(text)).code == 0
    spec = Manifest.objects.get().spec
    assert (spec["selector"]["labels"], spec["calendar"]["holidays"]) == ({"country": "no"}, ["2026-10-01"])


def test_a_secret_in_a_file_is_refused_and_not_repeated(file) -> None:
    written = channel(accounts=[{"name": "till", "adapter": "http", "secret": "hunter2"}])
    for command in ("apply", "diff", "delete"):
        ran = Ran(command, "-f", file(written))
        assert "hunter2" not in ran.out + ran.err + ran.error
    assert "secret_not" not in ran.err and "accounts[0].secret: A reference" in Ran("apply", "-f", file(written)).err


def test_what_the_state_forbids_is_told(file) -> None:
    one = file(policy())
    Ran("apply", "-f", one)
    Ran("delete", "policy/fresh")
    ran = Ran("apply", "-f", one)
    assert (ran.code, ran.err) == (
        1,
        f"{one}:1: refundpolicy/fresh: RefundPolicy/fresh is being removed: "
        "withdraw that, or apply it again once it is gone.\n",
    )


def test_manifests_are_listed_as_a_table(file) -> None:
    Ran("apply", "-f", file(policy("a", precedence=5), policy("b", labels={"team": "x"}), channel("mine")))
    assert Ran("get", "policies").lines[1].split()[:6] == ["a", "1", "none", "5", "Unknown", "NotLookedAt"]
    synced()
    ran = Ran("get", "policies")
    assert ran.lines[0].split("  ")[0] == "NAME"
    assert [line.split()[:6] for line in ran.lines[1:]] == [
        ["a", "1", "1", "5", "True", "InForce"],
        ["b", "1", "1", "0", "True", "InForce"],
    ]
    assert [line.split()[0] for line in Ran("get", "policies", "-l", "team=x").lines] == ["NAME", "b"]
    assert [line.split()[0] for line in Ran("get", "channel").lines] == ["NAME", "default", "mine"]
    assert Ran("get", "policies", "-l", "team").code == 1
    nothing = Ran("get", "policies", "-l", "team=z")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "There is no RefundPolicy.\n")


def test_channels_that_nobody_has_declared_are_listed_too(file) -> None:
    """Refunds run in them; the default one comes with the product."""
    Channel.objects.create(slug="old", name="Old", hostnames=["old.example"], policy="strict")
    Ran("apply", "-f", file(channel("mine")))
    synced()
    rows = [line.split() for line in Ran("get", "channels").lines[1:]]
    assert [row[:6] for row in (rows[0], rows[2])] == [
        ["default", "none", "none", "built-in", "True", "BuiltIn"],
        ["old", "none", "old.example", "strict", "True", "NotDeclared"],
    ]
    assert rows[1][:2] == ["mine", "1"] and len(rows) == 3
    assert [line.split()[0] for line in Ran("get", "channel/default").lines] == ["NAME", "default"]
    assert Ran("get", "channel", "none").code == 1
    assert [document.value["metadata"]["name"] for document in load(Ran("get", "channels", "-o", "yaml").out)] == [
        "mine"
    ]
    told = Ran("get", "channel/default", "-o", "yaml").error
    assert told == "The channel default is served and not declared: apply a Channel of this name to change it."
    assert Ran("get", "channels", "-l", "team=x").err == "There is no Channel.\n"
    assert Ran("apply", "-f", file(channel("default", title="Shop"))).code == 0
    assert Ran("get", "channel/default").lines[1].split()[1] == "1"


@pytest.mark.parametrize(
    "words", [("pods",), ("policy", "none"), ("policy/none",), ("policy/a", "b"), ("policy/a", "-l", "a=b")]
)
def test_what_is_not_there_or_makes_no_sense_is_an_error(words: tuple[str, ...]) -> None:
    assert Ran("get", *words).code == 1


@pytest.mark.parametrize("output", ["yaml", "json"])
def test_what_is_got_can_be_applied(file, output: str) -> None:
    Ran("apply", "-f", file(policy("a", window={"days": 7}), policy("b", labels={"country": "no"})))
    synced()
    for words in (("policies",), ("policy/a",)):
        text = Ran("get", *words, "-o", output).out
        before = fingerprint()
        ran = Ran("apply", "-f", file(text))
        assert (ran.code, {line.split()[1] for line in ran.lines}) == (0, {"unchanged"})
        assert fingerprint() == before


def test_one_is_shown_whole(file) -> None:
    Ran("apply", "-f", file(policy()))
    synced()
    (document,) = load(Ran("get", "policy", "fresh", "-o", "yaml").out)
    assert list(document.value) == ["apiVersion", "kind", "metadata", "spec", "status"]
    assert json.loads(Ran("get", "policy/fresh", "-o", "json").out) == document.value


def test_a_difference_is_shown_and_is_the_exit_code(file) -> None:
    Ran("apply", "-f", file(policy("same"), policy("other", window={"days": 7}, precedence=1)))
    written = file(policy("same"), policy("other", precedence=1, window={"days": 6}), policy("new"))
    before = fingerprint()
    ran = Ran("diff", "-f", written)
    assert (ran.code, ran.error) == (1, "Different: refundpolicy/other, refundpolicy/new.")
    assert "-    days: 7" in ran.lines and "+    days: 6" in ran.lines and "+  name: new" in ran.lines
    assert "--- stored refundpolicy/other" in ran.lines
    assert not any("same" in line for line in ran.lines)
    assert fingerprint() == before
    Ran("apply", "-f", written)
    same = Ran("diff", "-f", written)
    assert (same.code, same.out, same.err) == (0, "", "")
    assert Ran("diff", "-f", file(policy(clocks={"revue": 1}))).code == 2
    assert Ran("diff", "-f", "/none").code == 2


def test_it_is_let_go_by_name_or_by_file(file) -> None:
    Ran("apply", "-f", file(policy("a"), policy("b"), policy("c")))
    assert (Ran("delete", "policy/a").code, Ran("delete", "policy/a").lines) == (0, ["refundpolicy/a terminating"])
    assert Ran("delete", "-f", file(policy("b"), policy("c", clocks={"revue": 1}))).code == 0
    assert Manifest.objects.filter(deletion_at=None).count() == 0
    synced()
    assert (Ran("delete", "policy/a").code, Ran("delete", "policy/a").err) == (1, "There is no RefundPolicy a.\n")
    assert Ran("delete").code == Ran("delete", "policy/a", "-f", "x").code == Ran("delete", "-f", "/none").code == 1
    assert "default" in Ran("delete", "channel/default").err


def test_the_default_channel_stays(file) -> None:
    assert "cannot be removed" in Ran("delete", "channel/default").err
    assert "cannot be removed" in Ran("delete", "-f", file(channel("default"))).err
    Ran("apply", "-f", file(channel("default")))
    assert "cannot be removed" in Ran("delete", "channel/default").err
    assert Channel.objects.filter(is_default=True, closing_at=None).exists()


def test_history_and_rollback(file) -> None:
    Ran("apply", "-f", file(policy(window={"days": 7})))
    Ran("apply", "-f", file(policy(window={"days": 6}, precedence=3)))
    told = Ran("history", "policy/fresh").lines
    assert told[0].split() == ["GENERATION", "APPLIED", "BY", "CHANGED"]
    assert told[1].startswith("2 ") and told[1].endswith("operator:ann  precedence, window.days")
    assert told[2].startswith("1 ") and told[2].endswith("created")
    versions = json.loads(Ran("history", "policy/fresh", "-o", "json").out)
    assert [v["spec"]["window"]["days"] for v in versions] == [6, 7]
    back = Ran("rollback", "policy/fresh", "--to", "1")
    assert (back.code, back.lines) == (0, ["refundpolicy/fresh configured: generation 3 is as 1 was"])
    assert Manifest.objects.get().spec == policy(window={"days": 7})["spec"]
    assert Ran("rollback", "policy/fresh", "--to", "9").code == 1
    assert Ran("rollback", "policy/none", "--to", "1").code == Ran("history", "policy/none").code == 1


def test_a_removal_is_withdrawn_and_the_history_tells(file) -> None:
    Ran("apply", "-f", file(policy("strict", selector={}, window={"days": 7})))
    synced()
    assert Ran("withdraw", "policy/strict").code == 1
    Ran("delete", "policy/strict")
    synced()
    assert "asked for by operator:ann" in Ran("describe", "policy/strict").out
    done = Ran("withdraw", "policy/strict")
    assert (done.code, done.lines) == (0, ["refundpolicy/strict is not removed: it stays as it was"])
    synced()
    lines = Ran("history", "policy/strict").lines
    assert lines[1].startswith("none ")
    assert lines[1].endswith("operator:ann  withdrew the removal that operator:ann asked for")
    assert lines[2].startswith("1 ") and len(lines) == 3
    text = Ran("describe", "policy/strict").out
    assert "Withdrawn removals" in text and "Being removed" not in text


def test_a_second_person_approves(file) -> None:
    Ran("apply", "-f", file(policy(returns={"approve": True})))
    record = ("--record", "https://tickets.example/7")
    Ran("approve", "policy/fresh", *record, "--as", "ann")
    synced()
    assert Manifest.objects.get().status["inForceGeneration"] is None, "he has applied it himself"
    ran = Ran("approve", "policy/fresh", *record, "--as", "bob", "--generation", "1")
    assert (ran.code, ran.lines) == (
        0,
        ["refundpolicy/fresh generation 1: https://tickets.example/7 (operator:bob)"],
    )
    synced()
    assert Manifest.objects.get().status["inForceGeneration"] == 1


def test_what_waits_for_nobody_is_not_approved(file) -> None:
    Ran("apply", "-f", file(policy(window={"days": 7}), channel("mine")))
    synced()
    for subject in ("policy/fresh", "channel/mine"):
        ran = Ran("approve", subject, "--record", "https://tickets.example/7", "--as", "bob")
        assert ran.code == 1 and "nobody has to approve it" in ran.error, ran.error
    assert set(Manifest.objects.values_list("approval", flat=True)) == {""}


def test_one_person_alone_says_why(file) -> None:
    Ran("apply", "-f", file(policy(returns={"approve": True})))
    assert Ran("approve", "policy/fresh", "--record", "unapproved: one-person shop", "--as", "ann").code == 0
    synced()
    assert Manifest.objects.get().status["inForceGeneration"] == 1


@pytest.mark.parametrize("author", ["", "a b", "principal:7", "x" * 51, "a\x00"])
def test_an_author_is_a_name(file, author: str) -> None:
    Ran("apply", "-f", file(policy()))
    assert Ran("approve", "policy/fresh", "--record", "https://x.example", "--as", author).code == 1


@pytest.mark.parametrize("record", ["", " ", "x" * 501, "a\x00"])
def test_a_record_is_a_text(file, record: str) -> None:
    Ran("apply", "-f", file(policy()))
    ran = Ran("approve", "policy/fresh", "--record", record, "--as", "bob")
    assert ran.code == 1 and "record: " in ran.error


@pytest.mark.parametrize("subject", ["fresh", "pod/x", "policy/"])
@pytest.mark.parametrize("command", [("delete",), ("history",), ("rollback", "--to", "1")])
def test_a_subject_is_a_kind_and_a_name(command: tuple[str, ...], subject: str) -> None:
    name, *rest = command
    assert Ran(name, subject, *rest).code == 1


@pytest.mark.parametrize(
    "words",
    [
        ("simulate", "-f", "a.yaml", "-f", "b.yaml"),
        ("simulate", "-f", "a.yaml", "--since", "1d", "--since", "2d"),
        ("simulate", "-f", "a.yaml", "--channel", "mine", "--channel", "other"),
        ("simulate", "-f", "a.yaml", "--limit", "1", "--limit", "2"),
        ("get", "policies", "-l", "a=b", "-l", "c=d"),
        ("get", "policies", "-o", "yaml", "-o", "json"),
        ("history", "policy/fresh", "-o", "yaml", "-o", "table"),
        ("rollback", "policy/fresh", "--to", "1", "--to", "2"),
        ("approve", "policy/fresh", "--as", "bob", "--as", "eve", "--record", "https://x.example"),
        ("approve", "policy/fresh", "--as", "bob", "--record", "https://x.example", "--record", "https://y.example"),
    ],
    ids=" ".join,
)
def test_of_two_values_none_is_taken_silently(words: tuple[str, ...]) -> None:
    ran = Ran(*words)
    assert ran.code and "it is given twice" in ran.error


def test_the_documents_of_a_file_are_there_for_others(file, tmp_path) -> None:
    assert documents(file(policy("a"), policy("b"))) == [policy("a"), policy("b")]
    for bad, said in (
        (file("a: [", name="b.yaml"), "b.yaml:1: This is not YAML"),
        (str(tmp_path / "c"), "No such file"),
    ):
        with pytest.raises(CommandError, match=said):
            documents(bad)
