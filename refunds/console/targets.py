"""Changes of where a refund's money goes, as the case page shows them."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from refunds.console import words, written
from refunds.console.tables import Line, Table, Word
from refunds.console.timeline import by
from refunds.destinations import CODE_TRIALS, masked
from refunds.models import Refund, TargetChange


def tables(refund: Refund, names: Mapping[str, str]) -> list[Table]:
    """What was asked, by whom, and where its proof is; none where nothing was."""
    heads = [_("Where to"), _("Asked by"), _("Proof"), _("State"), _("When")]
    lines = [_change(row, names) for row in refund.target_changes.all()]
    return [Table("targets", _("Where the money goes"), heads, lines)] if lines else []


def _change(row: TargetChange, names: Mapping[str, str]) -> Line:
    at = written.moment(row.confirmed_at or row.ended_at or row.asked_at)
    return Line([_where_to(row), by(row.asked_by, "", names), row.proof, _state(row), at], _note(row))


def _where_to(row: TargetChange) -> str:
    if row.payee:
        return f"{row.account} {masked(row.payee)} {row.payee_name}".rstrip()
    return str(words.INSTRUMENTS[row.instrument])  # type: ignore[index]


def _state(row: TargetChange) -> Word:
    if row.confirmed_at:
        return Word(_("Done"), "success")
    return Word(_("Dropped")) if row.ended_at else Word(_("Waits for the code"), "warning")


def _note(row: TargetChange) -> str:
    if row.confirmed_at or row.ended_at:
        return ""
    told = {"left": CODE_TRIALS - row.trials, "until": written.moment(row.code_expires_at)}
    return _("%(left)s trials left, until %(until)s") % told
