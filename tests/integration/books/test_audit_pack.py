"""All about one refund in one file, the same bytes for the same state."""

import hashlib
import io
import json
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from refunds.management.audit_files import packed
from refunds.models import Refund
from refunds.selectors.audit_pack import audit_pack
from tests.factories import make_order, request
from tests.integration.engine.conftest import Engine

pytestmark = pytest.mark.django_db


@pytest.fixture
def refund() -> Refund:
    found = request(make_order(2_900, customer_name="Anna Muster", shipping_address={"line1": "Weg 1"})).refunds[0]
    Engine().run(found)
    return Refund.objects.get(pk=found.pk)


def opened(refund: Refund) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(packed(audit_pack(refund.number)))) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def test_it_has_all_there_is_with_its_digests(refund: Refund) -> None:
    files = opened(refund)
    names = (
        "refund order sheet credit_note policy conditions events ledger movements parcels messages webhooks incidents"
    )
    assert {f"{name}.json" for name in names.split()} | {"events.csv", "ledger.csv", "movements.csv"} < set(files)
    assert [row["kind"] for row in json.loads(files["ledger.json"])] == ["reserve", "release", "refund"]
    assert json.loads(files["movements.json"])[0]["amount_minor"] == 2_900
    assert json.loads(files["messages.json"])[0]["template"] == "refunded_at_once"
    sums = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].decode().splitlines())
    assert sums == {n: hashlib.sha256(content).hexdigest() for n, content in files.items() if n != "SHA256SUMS"}


def test_it_can_be_read_and_says_that_the_chain_is_whole(refund: Refund) -> None:
    page = opened(refund)["index.html"].decode()
    assert refund.number in page and "€29.00" in page and "refunded" in page
    assert f"Whole: {refund.event_seq} events, verified to the last." in page


def test_the_same_state_gives_the_same_bytes(refund: Refund) -> None:
    assert packed(audit_pack(refund.number)) == packed(audit_pack(refund.number))


def test_the_customer_is_not_in_it(refund: Refund) -> None:
    order = refund.order
    whole = b"".join(opened(refund).values()).decode()
    for private in (order.customer_name, order.customer_email, order.customer_phone, "Weg 1"):
        assert private and private not in whole


def test_a_changed_event_is_said(refund: Refund, tmp_path: Path) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("UPDATE refunds_refundevent SET data = '{}' WHERE refund_id = %s AND seq = 1", [refund.pk])
        cursor.execute("RESET session_replication_role")
    assert audit_pack(refund.number).chain == ("event 1 is not what was written",)
    out = StringIO()
    call_command("audit", "pack", refund.number, "-o", str(tmp_path / "a.zip"), stdout=out)
    assert "their chain is BROKEN: event 1" in out.getvalue()


def test_the_command_writes_it_or_says_why_not(refund: Refund, tmp_path: Path) -> None:
    file, out = tmp_path / "pack.zip", StringIO()
    call_command("audit", "pack", refund.number, "-o", str(file), stdout=out)
    assert file.read_bytes() == packed(audit_pack(refund.number))
    assert out.getvalue().endswith("events, their chain is whole\n")
    with pytest.raises(CommandError, match="number: There is no refund RF-0"):
        call_command("audit", "pack", "RF-0")
    with pytest.raises(CommandError, match="--output"):
        call_command("audit", "pack", refund.number, "-o", "/no/such/place.zip")
