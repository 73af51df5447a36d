"""What is declared, over the API: policies and channels as manifests. The command line does the same.

Who may, and on what, is decided by the services (`refunds.services.manifests.applying`).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.http import HttpResponse
from rest_framework.request import Request

from orders.errors import Invalid, NotFound, Stale
from orders.rest import bodies, parameters
from orders.rest.answers import answer
from orders.rest.door import Door
from orders.rest.pagination import page, read_page
from orders.rest.schema import operation
from orders.snapshot import snapshot
from refunds.actions import Action, permit
from refunds.api import manifest_shapes as shapes
from refunds.api import schema
from refunds.declared.envelope import Declared, kind_named, read_manifest
from refunds.models import Manifest
from refunds.selectors.manifests import declaring, manifest_named, manifests_page, tree, version_tree, versions_of
from refunds.services.manifests.applying import (
    CREATED,
    Applied,
    Declarer,
    Seen,
    apply_manifest,
    approve_manifest,
    refuse_violations,
    roll_back_manifest,
)
from refunds.services.manifests.removing import delete_manifest, withdraw_removal

#: What became of it: created, configured or unchanged.
APPLIED = "Refundry-Applied"


class ManifestDoor(Door):
    """Doors to one kind."""

    @property
    def channels(self) -> dict[str, int]:
        return declaring(self.caller.channels, self.caller.actor.reference)

    @property
    def by(self) -> Declarer:
        return Declarer(self.caller.actor, self.channels)

    def kind(self, word: str) -> str:
        found = kind_named(word)
        if found is None:
            raise NotFound("not_found", "There is no such kind: GET /apis lists them.")
        return found

    def found(self, kind: str, name: str) -> Manifest:
        return manifest_named(self.kind(kind), name, channels=self.channels)

    def tried(self, work: Callable[[], HttpResponse]) -> HttpResponse:
        """The answer that the work would give; with `?dry_run=true` nothing of it stays."""
        with transaction.atomic():
            response = work()
            if self.is_dry:
                transaction.set_rollback(True)
        return response

    @property
    def is_dry(self) -> bool:
        said = parameters.query_text(self.request._request, "dry_run") or "false"
        if said not in ("true", "false"):
            raise Invalid.of("dry_run", "bad_parameter", "dry_run is true or false.")
        return said == "true"

    def seen(self) -> int | None:
        """The version that was seen of what has to be there."""
        parameters.refuse_if_none_match(self.request._request)
        return parameters.if_match(self.request._request)

    def applied(self, done: Applied) -> HttpResponse:
        status = 201 if done.what == CREATED else 200
        return shown(done.manifest, status=status, headers={APPLIED: done.what})


def shown(row: Manifest, *, status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    return answer(tree(row), status=status, resource_version=row.resource_version, headers=headers)


class Kinds(Door):
    """GET /apis"""

    @operation(operation_id="list_kinds", responses={200: shapes.KindsShape} | schema.problems(403))
    def get(self, request: Request) -> HttpResponse:
        """What can be declared."""
        permit(Action.READ, self.caller.actor)
        return answer({"items": shapes.show_kinds()})


class Manifests(ManifestDoor):
    """GET /apis/{kind}"""

    @operation(
        operation_id="list_manifests",
        parameters=[schema.LABELS, *schema.PAGE],
        responses={200: shapes.ManifestPageShape} | schema.problems(404),
    )
    def get(self, request: Request, kind: str) -> HttpResponse:
        """By name: those that are about the caller's channels, and no others."""
        permit(Action.READ, self.caller.actor)
        found_kind, wish = self.kind(kind), read_page(request._request, (str,))
        after, labels = wish.after[0] if wish.after else "", self._labels()
        with snapshot():
            found = manifests_page(found_kind, channels=self.channels, labels=labels, after=after, limit=wish.to_read)
        return answer(page(found, wish, show=tree, key=lambda row: row.name))

    def _labels(self) -> dict[str, str]:
        said = parameters.query_text(self.request._request, "labels", max_length=2000)
        pairs = [pair.partition("=") for pair in said.split(",")] if said else []
        if any(not name or not sign for name, sign, _ in pairs):
            raise Invalid.of("labels", "bad_parameter", "labels are name=value, several by comma.")
        return {name: value for name, _, value in pairs}


class OneManifest(ManifestDoor):
    """GET, PUT, DELETE /apis/{kind}/{name}"""

    @operation(operation_id="get_manifest", responses={200: shapes.ManifestShape} | schema.problems(404))
    def get(self, request: Request, kind: str, name: str) -> HttpResponse:
        """The manifest. Its ETag moves with what people want of it, and not with its status: it is for If-Match."""
        permit(Action.READ, self.caller.actor)
        with snapshot():
            return shown(self.found(kind, name))

    @operation(
        operation_id="apply_manifest",
        request=shapes.ManifestShape,
        parameters=[schema.IF_MATCH, schema.IF_NONE_MATCH, schema.DRY_RUN],
        responses={200: shapes.ManifestShape, 201: shapes.ManifestShape} | schema.problems(403, 404, 409, 412),
    )
    def put(self, request: Request, kind: str, name: str) -> HttpResponse:
        """Declare it. The header `Refundry-Applied` tells what became of it: created (201), configured or unchanged."""
        kind = self.kind(kind)
        declared = self._declared(kind, name)
        return self.tried(lambda: self.applied(apply_manifest(declared, self.by)))

    @operation(
        operation_id="delete_manifest",
        parameters=[schema.IF_MATCH, schema.DRY_RUN],
        responses={202: shapes.ManifestShape} | schema.problems(403, 404, 409, 412),
    )
    def delete(self, request: Request, kind: str, name: str) -> HttpResponse:
        """Let it go: nothing new is taken at once, and it is gone (404) when what runs has ended. The same again
        changes nothing."""
        kind, expected = self.kind(kind), self.seen()
        return self.tried(lambda: shown(delete_manifest(kind, name, self.by, expected=expected), status=202))

    def _declared(self, kind: str, name: str) -> Declared:
        """The body, which has to be of the address."""
        declared, violations = read_manifest(bodies.parse_object(self.request._request, optional=False))
        refuse_violations(violations)
        assert declared is not None
        for path, here, said in (("kind", kind, declared.kind), ("metadata.name", name, declared.name)):
            if here != said:
                raise Invalid.of(path, "not_the_address", f"The address is of {here[:60]}.")
        request = self.request._request
        expected, exists = parameters.if_match(request), parameters.has_to_exist(request)
        if None not in (expected, declared.expected) and expected != declared.expected:
            raise Stale("changed_since", "If-Match and metadata.resourceVersion name two versions.")
        return replace(declared, expected=declared.expected if expected is None else expected, exists=exists)


class ManifestApproval(ManifestDoor):
    """POST /apis/{kind}/{name}/approve"""

    @operation(
        operation_id="approve_manifest",
        request=shapes.ApproveManifestBody,
        parameters=[schema.IF_MATCH, schema.IDEMPOTENCY_KEY, schema.DRY_RUN],
        responses={200: shapes.ManifestShape} | schema.problems(403, 404, 409, 412),
    )
    def post(self, request: Request, kind: str, name: str) -> HttpResponse:
        """Agree, as the second person, to what loosens a rule, or with `removal` to its end; the condition
        `ApprovalConformant` tells what came of it. 409 `changed_since` where it is not as it was seen any more."""
        kind, said = self.kind(kind), self.read(shapes.ApproveManifestBody())
        work = self.tried if self.is_dry else self.once
        return work(lambda: self._approved(kind, name, said))

    def _approved(self, kind: str, name: str, said: dict[str, Any]) -> HttpResponse:
        seen = Seen(said.get("removal", False), said.get("generation"), self.seen())
        return shown(approve_manifest(kind, name, said["record"], self.by, seen=seen))


class ManifestHistory(ManifestDoor):
    """GET /apis/{kind}/{name}/history"""

    @operation(
        operation_id="list_manifest_versions",
        parameters=[*schema.PAGE],
        responses={200: shapes.ManifestVersionPageShape} | schema.problems(404),
    )
    def get(self, request: Request, kind: str, name: str) -> HttpResponse:
        """What was applied, by whom and when: the newest first."""
        permit(Action.READ, self.caller.actor)
        wish = read_page(request._request, (int,))
        before = wish.after[0] if wish.after else None
        with snapshot():
            found = versions_of(self.found(kind, name), before=before, limit=wish.to_read)
        return answer(page(found, wish, show=version_tree, key=lambda version: version.generation))


class ManifestRollback(ManifestDoor):
    """POST /apis/{kind}/{name}/rollback"""

    @operation(
        operation_id="roll_back_manifest",
        request=shapes.RollBackManifestBody,
        parameters=[schema.IF_MATCH, schema.IDEMPOTENCY_KEY, schema.DRY_RUN],
        responses={200: shapes.ManifestShape} | schema.problems(403, 404, 409, 412),
    )
    def post(self, request: Request, kind: str, name: str) -> HttpResponse:
        """Apply the spec of an earlier generation anew: it becomes the next one."""
        kind, said = self.kind(kind), self.read(shapes.RollBackManifestBody())
        work = self.tried if self.is_dry else self.once
        return work(lambda: self._rolled_back(kind, name, said["to_generation"]))

    def _rolled_back(self, kind: str, name: str, generation: int) -> HttpResponse:
        return self.applied(roll_back_manifest(kind, name, generation, self.by, expected=self.seen()))


class ManifestWithdrawal(ManifestDoor):
    """POST /apis/{kind}/{name}/withdraw"""

    @operation(
        operation_id="withdraw_manifest_removal",
        request=None,
        parameters=[schema.IF_MATCH, schema.IDEMPOTENCY_KEY, schema.DRY_RUN],
        responses={200: shapes.ManifestShape} | schema.problems(403, 404, 409, 412),
    )
    def post(self, request: Request, kind: str, name: str) -> HttpResponse:
        """Take back that it is to go, while that waits for a second person: it stays as it was, and its status tells
        who has asked and who has withdrawn. 409 `removal_begun`, `not_being_removed`."""
        kind, self.parsed = self.kind(kind), {}
        work = self.tried if self.is_dry else self.once
        return work(lambda: shown(withdraw_removal(kind, name, self.by, expected=self.seen())))
