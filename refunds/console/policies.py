"""The declared policies and channels, for who runs them: the commonest rules as a form, and a second approval."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from orders.errors import Forbidden, Invalid, Problem
from orders.selectors.access import Caller
from orders.snapshot import snapshot
from refunds.console import policy_words, written
from refunds.console.access import agent
from refunds.console.acts import click, sent
from refunds.console.policy_forms import ApprovalForm, PolicyForm, label_of, violations
from refunds.console.refusals import in_words
from refunds.console.site import show
from refunds.console.tables import Line, Link, Table
from refunds.declared import approval, channel_rules, policy_rules
from refunds.declared.envelope import Declared
from refunds.declared.loosening import loosened
from refunds.declared.policy_rules import read_policy
from refunds.models import Manifest
from refunds.policy import BUILT_IN, PolicySpec
from refunds.selectors.desk import names_of
from refunds.selectors.manifests import declaring, manifest_named, manifests_page, scope_of, versions_of, withdrawn
from refunds.selectors.policies import version_in_force
from refunds.services.manifests.applying import AGREE, Declarer, Seen, apply_manifest, approve_manifest
from refunds.services.manifests.removing import has_begun, withdraw_removal

KIND = policy_rules.KIND
_SPEC = "spec."


def policies(request: HttpRequest) -> HttpResponse:
    """GET /console/policies/"""
    caller = _caller(request)
    with snapshot():
        tables = [_policies(_listed(KIND, caller)), _channels(_listed(channel_rules.KIND, caller))]
    return show(request, "console/policies.html", {"title": _("Policies"), "tables": tables})


def policy(request: HttpRequest, name: str) -> HttpResponse:
    """GET /console/policies/{name}/; POST writes what was typed."""
    caller = _caller(request)
    row = manifest_named(KIND, name, channels=_mine(caller))
    if request.method != "POST":
        return _page(request, row)
    form = PolicyForm(row.spec, request.POST)
    if not form.is_valid():
        return _page(request, row, form=form, status=422)
    spec = form.spec()
    if found := violations(spec):
        form.tell((v.path, v.code, v.detail) for v in found)
        return _page(request, row, form=form, status=422)
    wanted = Declared(KIND, name, spec, row.labels, row.annotations, expected=_seen(request, row))
    problem = sent(click(request, caller), f"policies/{name}", lambda: apply_manifest(wanted, _declarer(caller)))
    if problem:
        _tell(form, problem)
        return _page(request, row, form=form, status=problem.status)
    return _done(request, name, _("It is applied, and comes into force once it has been looked at."))


def approve(request: HttpRequest, name: str) -> HttpResponse:
    """POST /console/policies/{name}/approve/"""
    caller = _caller(request)
    row = manifest_named(KIND, name, channels=_mine(caller))
    if request.method != "POST":
        return HttpResponseRedirect(reverse("console:policy", args=[name]))
    form = ApprovalForm(request.POST)
    if not form.is_valid():
        return _page(request, row, approving=form, status=422)
    said = form.cleaned_data["said"]
    seen = Seen(removal=row.deletion_at is not None, version=_seen(request, row))
    problem = sent(
        click(request, caller),
        f"policies/{name}/approve",
        lambda: approve_manifest(KIND, name, said, _declarer(caller), seen=seen),
    )
    if problem:
        form.add_error(None, in_words(problem))
        return _page(request, row, approving=form, status=problem.status)
    return _done(request, name, _("Your approval is noted, and is looked at now."))


def withdraw(request: HttpRequest, name: str) -> HttpResponse:
    """POST /console/policies/{name}/withdraw/"""
    caller = _caller(request)
    row = manifest_named(KIND, name, channels=_mine(caller))
    if request.method != "POST":
        return HttpResponseRedirect(reverse("console:policy", args=[name]))
    seen = _seen(request, row)
    problem = sent(
        click(request, caller),
        f"policies/{name}/withdraw",
        lambda: withdraw_removal(KIND, name, _declarer(caller), expected=seen),
    )
    if problem:
        messages.error(request, in_words(problem))
        return _page(request, row, status=problem.status)
    return _done(request, name, _("It is not removed: it stays as it was."))


def _page(
    request: HttpRequest,
    row: Manifest,
    *,
    form: PolicyForm | None = None,
    approving: ApprovalForm | None = None,
    status: int = 200,
) -> HttpResponse:
    caller = _caller(request)
    may_change = scope_of(_mine(caller)).may_change(row)
    may_approve = may_change and _waits(row) and row.asked_by != caller.actor.reference
    context = {
        "title": row.name,
        "states": policy_words.said(row.conditions),
        "details": policy_words.details(row.conditions),
        "facts": _facts(row),
        "form": form or PolicyForm.of(row.spec),
        "approving": approving or (ApprovalForm() if may_approve else None),
        "looser": _looser(row) if _waits(row) and not row.deletion_at else [],
        "is_leaving": row.deletion_at is not None,
        "may_withdraw": row.deletion_at is not None and not has_begun(row),
        "waits_for_others": _waits(row) and not may_approve,
        "may_change": may_change,
        "seen": request.POST.get("seen", "") if form or approving else row.resource_version,
        "once": uuid.uuid4().hex,
    }
    return show(request, "console/policy.html", context, status=status)


def _facts(row: Manifest) -> list[tuple[str, str]]:
    [applied] = versions_of(row, limit=1)
    told = [(_("Applied"), row.applied_by, applied.applied_at)]
    if row.deletion_at:
        told.append((_("Removal asked for"), row.deletion_by, row.deletion_at))
    told += [(_("Removal withdrawn"), by, at) for at, by, _asked in withdrawn(row)[:1]]
    names = names_of([by for _text, by, _at in told], has_left=written.has_left)
    in_force = row.status.get("inForceGeneration")
    return [
        (_("For orders"), _selector(row)),
        *((text, f"{names.get(by, by)}, {written.moment(at)}") for text, by, at in told),
        (_("Version"), str(row.generation)),
        (_("In force"), str(in_force) if in_force else _("none")),
        (_("Running by it"), policy_words.rollout(row.status)),
    ]


def _listed(kind: str, caller: Caller) -> list[Manifest]:
    return manifests_page(kind, channels=_mine(caller), labels={})


def _policies(rows: list[Manifest]) -> Table:
    heads = [_("Policy"), _("What holds of it"), _("For orders"), _("Running by it")]
    lines = [
        Line(
            [
                Link(row.name, reverse("console:policy", args=[row.name])),
                policy_words.said(row.conditions),
                _selector(row),
                policy_words.rollout(row.status),
            ]
        )
        for row in rows
    ]
    return Table("policies", _("Policies"), heads, lines)


def _channels(rows: list[Manifest]) -> Table:
    heads = [_("Channel"), _("What holds of it"), _("Hostnames"), _("Policy")]
    lines = [
        Line(
            [
                row.name,
                policy_words.said(row.conditions),
                ", ".join(row.status.get("acceptedNames", {}).get("hostnames", ())),
                row.spec.get("policy", "") or _("the built-in one"),
            ],
            note=" ".join(policy_words.details(row.conditions)),
        )
        for row in rows
    ]
    return Table("channels", _("Channels"), heads, lines)


def _selector(row: Manifest) -> str:
    selector = row.spec.get("selector")
    if selector is None:
        return _("of channels that name it")
    labels = [f"{name}={value}" for name, value in selector.get("labels", {}).items()]
    parts = [*selector.get("channels", ()), *labels]
    return ", ".join(parts) or _("all")


def _waits(row: Manifest) -> bool:
    return approval.is_awaited(row.conditions, row.generation)


def _looser(row: Manifest) -> list[str]:
    """The rules that it loosens, by their fields where these have some here, else by their paths."""
    declared, _wrong = read_policy(row.spec)
    held = version_in_force(row)
    before = PolicySpec.from_json(held.spec) if held else BUILT_IN
    return [label_of(path) for path in loosened(before, declared.rules)] if declared else []


def _seen(request: HttpRequest, row: Manifest) -> int:
    """The version that the form was filled from; a form that does not say so has seen none."""
    text = request.POST.get("seen", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else row.resource_version - 1


def _tell(form: PolicyForm, problem: Problem) -> None:
    if isinstance(problem, Invalid) and problem.errors:
        form.tell((error.field.removeprefix(_SPEC), error.code, error.detail) for error in problem.errors)
    else:
        form.add_error(None, in_words(problem))


def _done(request: HttpRequest, name: str, text: str) -> HttpResponse:
    messages.success(request, text)
    return HttpResponseRedirect(reverse("console:policy", args=[name]))


def _declarer(caller: Caller) -> Declarer:
    return Declarer(caller.actor, _mine(caller))


def _mine(caller: Caller) -> dict[str, int]:
    return declaring(caller.channels, caller.actor.reference)


def _caller(request: HttpRequest) -> Caller:
    """Who may agree to policies may see them here."""
    caller = agent(request).caller
    if caller.role not in AGREE:
        raise Forbidden("role_forbidden", f"The role {caller.role} may not do that to manifests.")
    return caller
