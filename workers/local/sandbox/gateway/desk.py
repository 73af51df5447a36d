"""The gateway played by hand, in a browser: what it was asked, what became of it, and what it is to do next."""

from html import escape

from aiohttp import web

from refunds.amounts import format_minor
from workers.local.journal import Row
from workers.local.page import Page, back, badge, buttons, link, path_of, rows, table, when
from workers.local.sandbox.gateway.ledger import Ledger, is_void
from workers.local.sandbox.gateway.machine import NEXT, Machine
from workers.local.sandbox.gateway.scripts import BEHAVIOURS, parse_script

SHOWN = 40
LABELS = {"succeeded": "Let it succeed", "failed": "Let it fail", "reversed": "Take the money back"}
CALLS = ("at", "method", "number", "idempotency_key", "amount_minor", "currency")
#: How a behaviour reads on the page; the others by their names.
WORDS = {
    "succeed": "pay",
    "timeout_before": "time out before it pays",
    "timeout_after_success": "pay, and time out",
    "error_500": "fail with 500 before it pays",
    "error_500_after_success": "pay, and answer 500",
    "no_webhook": "pay, and send no webhook",
}


class Desk:
    """`/payments/...`: a page for each payment, and what its buttons do."""

    def __init__(self, ledger: Ledger, machine: Machine) -> None:
        self._ledger = ledger
        self._machine = machine

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/payments", self.find_payment),
            web.get("/payments/{reference}", self.show_payment),
            web.post("/payments/{reference}/behaviour", self.set_behaviour),
            web.post("/payments/{reference}/dispute", self.open_dispute),
            web.post("/by-hand/refunds/{refund}/{status}", self.settle),
            web.post("/by-hand/disputes/{dispute}/{outcome}", self.close_dispute),
        ]

    def overview(self) -> str:
        """The newest refunds and disputes; those first that wait for a word."""
        refunds = self._ledger.refunds(None)
        disputes = self._ledger.disputes(None)
        newest = sorted(reversed(refunds), key=lambda row: row["status"] != "pending")[:SHOWN]
        shown = rows(_refund(row, ends=NEXT[row["status"]] if row["status"] == "pending" else ()) for row in newest)
        disputed = f"<h3>Disputes</h3>{rows(_dispute(row) for row in reversed(disputes))}" if disputes else ""
        return f"<section><h2>Payment gateway</h2><p>Refunds: {len(refunds)}</p>{shown}{disputed}</section>"

    async def find_payment(self, request: web.Request) -> web.Response:
        """To the page of the payment that was typed."""
        raise web.HTTPSeeOther(path_of("payments", request.query.get("reference", "").strip() or "-"))

    async def show_payment(self, request: web.Request) -> web.Response:
        """All about one payment, known or not."""
        reference = request.match_info["reference"]
        refunds = rows(_refund(row, ends=NEXT[row["status"]]) for row in reversed(self._ledger.refunds(reference)))
        disputes = rows(_dispute(row) for row in reversed(self._ledger.disputes(reference)))
        asked = table(CALLS, self._ledger.calls(reference))
        parts = [("Refunds", refunds), ("Disputes", disputes + _dispute_form(reference)), ("What was asked", asked)]
        sections = "".join(f"<h2>{title}</h2>{inside}" for title, inside in parts)
        head = f"<p>{link('/', 'Sandbox')}</p><h1>Payment {escape(reference)}</h1>"
        return Page(f"Payment {reference}", head + self._behaviour_form(reference) + sections).response()

    async def set_behaviour(self, request: web.Request) -> web.Response:
        """How the gateway answers the next refund of the payment that it has not seen yet."""
        behaviour = str((await request.post()).get("behaviour", ""))
        if behaviour not in BEHAVIOURS:
            raise web.HTTPUnprocessableEntity(text="no such behaviour")
        self._ledger.put_script(request.match_info["reference"], parse_script({"refunds": [behaviour]}))
        raise self._kept(request)

    async def settle(self, request: web.Request) -> web.Response:
        """A pending refund ends now, or a success is taken back."""
        if self._machine.settle(request.match_info["refund"], request.match_info["status"]) is None:
            raise web.HTTPConflict(text="this refund cannot become that any more")
        raise self._kept(request)

    async def open_dispute(self, request: web.Request) -> web.Response:
        """The customer's bank takes money of the payment back, for now."""
        told = await request.post()
        amount, currency = str(told.get("amount_minor", "")), str(told.get("currency", "")).upper()
        if not (amount.isascii() and amount.isdigit() and int(amount) and len(currency) == 3):
            raise web.HTTPUnprocessableEntity(text="needed: an amount in minor units, and a currency")
        fields = {"payment_reference": request.match_info["reference"], "amount_minor": int(amount)}
        self._machine.tell("dispute.opened", self._ledger.add_dispute({**fields, "currency": currency}))
        raise self._kept(request)

    async def close_dispute(self, request: web.Request) -> web.Response:
        """The bank has decided."""
        dispute, outcome = self._ledger.dispute(request.match_info["dispute"]), request.match_info["outcome"]
        if dispute is None or dispute["status"] != "opened" or outcome not in ("won", "lost"):
            raise web.HTTPConflict(text="no open dispute of this name")
        self._machine.tell(f"dispute.{outcome}", self._ledger.close_dispute(dispute["dispute_id"], outcome))
        raise self._kept(request)

    def _kept(self, request: web.Request) -> web.HTTPSeeOther:
        self._ledger.journal.flush()
        return back(request)

    def _behaviour_form(self, reference: str) -> str:
        now = self._ledger.next_entry(reference).behaviour
        options = "".join(_option(name, selected=name == now) for name in BEHAVIOURS)
        label = f'<label>The next refund of this payment will <select name="behaviour">{options}</select></label>'
        return _form(path_of("payments", reference, "behaviour"), f"{label}<button>Set</button>")


def _refund(row: Row, *, ends: tuple[str, ...]) -> str:
    """With a button for each end it can be brought to."""
    actions = [(path_of("by-hand", "refunds", row["gateway_refund_id"], end), LABELS[end]) for end in ends]
    what = " (hold released)" if is_void(row) else ""
    head = f"<strong>{_money(row)}</strong>{what} {badge(row['status'])}{when(row['created_at'])}"
    payment = link(path_of("payments", row["payment_reference"]), row["payment_reference"])
    why = f" <small>{escape(row['failure_code'])}</small>" if row["failure_code"] else ""
    return (
        f'<p class="head">{head}</p><p><small>{escape(row["number"])}</small> of {payment}{why}</p>{buttons(actions)}'
    )


def _option(behaviour: str, *, selected: bool) -> str:
    chosen = " selected" if selected else ""
    return f'<option value="{behaviour}"{chosen}>{WORDS.get(behaviour, behaviour.replace("_", " "))}</option>'


def _dispute(row: Row) -> str:
    head = f"<strong>{_money(row)}</strong> {badge(row['status'])}{when(row['created_at'])}"
    payment = link(path_of("payments", row["payment_reference"]), row["payment_reference"])
    outcomes = [
        (path_of("by-hand", "disputes", row["dispute_id"], end), f"The shop has {end}") for end in ("won", "lost")
    ]
    return f'<p class="head">{head}</p><p>of {payment}</p>{buttons(outcomes if row["status"] == "opened" else ())}'


def _dispute_form(reference: str) -> str:
    amount = '<label>Amount in minor units <input name="amount_minor" inputmode="numeric" size="8"></label>'
    currency = '<label>Currency <input name="currency" size="4" maxlength="3"></label>'
    return _form(path_of("payments", reference, "dispute"), f"{amount}{currency}<button>Open a dispute</button>")


def _form(action: str, inside: str) -> str:
    return f'<form class="fields" method="post" action="{escape(action)}">{inside}</form>'


def _money(row: Row) -> str:
    return escape(format_minor(row["amount_minor"], row["currency"], "en"))
