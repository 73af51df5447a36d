"""An audit pack as one zip file: the same bytes for the same state, a page to begin at, and a digest of each file."""

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

from refunds.amounts import format_minor
from refunds.books.lines import cell, utc
from refunds.selectors.audit_pack import Pack

#: A zip file tells a time of each of its files: the earliest there is, so that it says nothing.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_STYLE = "body{font:16px sans-serif;max-width:60rem;margin:2rem auto}dt{font-weight:bold}td{padding:.2rem 1rem .2rem 0}"
_ABOUT = {
    "refund": "The refund as it stands, with its lines. Without the customer's note and address.",
    "order": "The order, its lines, payments and parcels. Without the customer.",
    "sheet": "How the amount came about, entry by entry.",
    "credit_note": "What a credit note says of it, and the number the shop has issued.",
    "policy": "The rules it was decided under, in the version it is pinned to.",
    "conditions": "What is observed of it.",
    "events": "What happened, in order; each hash covers the one before.",
    "ledger": "All entries of the payments it is about.",
    "movements": "The transfers, with what the gateway told of each.",
    "parcels": "The goods' way home.",
    "messages": "What the customer was told, when, under which identity. Without the texts and the recipient.",
    "webhooks": "What gateways and couriers told.",
    "incidents": "What a person had to look at.",
}


def packed(pack: Pack) -> bytes:
    """The zip file."""
    files = {f"{name}.json": _json(content) for name, content in pack.files.items()}
    files |= {f"{name}.csv": _csv(pack.files[name]) for name in ("events", "ledger", "movements") if pack.files[name]}
    files["index.html"] = _index(pack, files)
    digests = [f"{hashlib.sha256(content).hexdigest()}  {name}" for name, content in sorted(files.items())]
    files["SHA256SUMS"] = "\n".join([*digests, ""]).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(f"{pack.refund.number}/{name}", date_time=_NO_TIME)
            info.create_system, info.external_attr, info.compress_type = 3, 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return out.getvalue()


def _json(content: Any) -> bytes:
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, default=_text).encode() + b"\n"


def _text(value: Any) -> str:
    return utc(value) if isinstance(value, datetime) else str(value)


def _csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(rows[0])
    writer.writerows([cell(_flat(value)) for value in row.values()] for row in rows)
    return text.getvalue().encode()


def _flat(value: Any) -> Any:
    return json.dumps(value, sort_keys=True, ensure_ascii=False) if isinstance(value, dict | list) else value


def _index(pack: Pack, files: Mapping[str, bytes]) -> bytes:
    refund = pack.refund
    trail = len(pack.files["events"])
    chain = f"Broken: {'; '.join(pack.chain)}." if pack.chain else f"Whole: {trail} events, verified to the last."
    facts = [
        ("Refund", refund.number),
        ("Order", f"{refund.order.number} ({refund.order.channel.slug})"),
        ("Amount", format_minor(refund.amount_minor, refund.currency, "en")),
        ("State", refund.state),
        ("Requested", f"{utc(refund.created_at)} by {refund.requested_by} as {refund.requested_role}"),
        ("Policy", f"{refund.policy_version.name}, version {refund.policy_version.generation}"),
        ("Chain of events", chain),
    ]
    heads = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts)
    happened = "".join(_event(event) for event in pack.files["events"])
    listed = "".join(_file(name) for name in sorted(files))
    page = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(refund.number)}</title>
<style>{_STYLE}</style>
</head><body><h1>Refund {escape(refund.number)}</h1>
<dl>{heads}</dl>
<h2>Files</h2><ul>{listed}</ul>
<p>SHA256SUMS has a digest of each of them.</p>
<h2>What happened</h2><table>{happened}</table>
</body></html>
"""
    return page.encode()


def _event(event: Mapping[str, Any]) -> str:
    cells = (event["seq"], event["occurred_at"], event["kind"], f"{event['actor']} as {event['role']}")
    return f"<tr>{''.join(f'<td>{escape(str(told))}</td>' for told in cells)}</tr>\n"


def _file(name: str) -> str:
    about = _ABOUT.get(name.partition(".")[0], "")
    return f'<li><a href="{escape(name)}">{escape(name)}</a> {escape(about)}</li>'
