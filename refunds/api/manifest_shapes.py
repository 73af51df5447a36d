"""Manifests as they are sent and answered: in their own form, the one of the files."""

from typing import Any

from rest_framework import serializers

from orders.rest.fields import Body, StrictBoolean, StrictInteger, Text
from refunds.declared.envelope import ALIASES, API_VERSION, KINDS


class KindShape(serializers.Serializer[Any]):
    """`names`: how it may be written in addresses and commands."""

    apiVersion = serializers.CharField()
    kind = serializers.CharField()
    names = serializers.ListField(child=serializers.CharField())


class KindsShape(serializers.Serializer[Any]):
    items = KindShape(many=True)


class ManifestConditionShape(serializers.Serializer[Any]):
    """`lastTransitionTime` moves with the status alone; `observedGeneration`: of which spec it is said."""

    type = serializers.CharField()
    status = serializers.ChoiceField(["True", "False", "Unknown"])
    reason = serializers.CharField()
    message = serializers.CharField()
    lastTransitionTime = serializers.CharField()
    observedGeneration = serializers.IntegerField()


class ManifestApprovalShape(serializers.Serializer[Any]):
    record = serializers.CharField()
    by = serializers.CharField()
    generation = serializers.IntegerField()


class WithdrawnRemovalShape(serializers.Serializer[Any]):
    askedBy = serializers.CharField()
    askedAt = serializers.CharField()
    withdrawnBy = serializers.CharField()
    withdrawnAt = serializers.CharField()


class ManifestStatusShape(serializers.Serializer[Any]):
    """Beside this, what the kind's controller has found: of a policy `inForceGeneration`, `running`, `movable`, of a
    channel `acceptedNames`. `withdrawnRemovals`: who asked for its end, and who withdrew that, the newest first."""

    observedGeneration = serializers.IntegerField()
    conditions = ManifestConditionShape(many=True)
    appliedBy = serializers.CharField()
    approval = ManifestApprovalShape(allow_null=True)
    withdrawnRemovals = WithdrawnRemovalShape(many=True, required=False)


class ManifestMetadataShape(serializers.Serializer[Any]):
    """`name`, `labels` and `annotations` are yours; `resourceVersion` sent back is the version that has to stand."""

    name = serializers.CharField()
    labels = serializers.DictField(child=serializers.CharField(), required=False)
    annotations = serializers.DictField(child=serializers.CharField(), required=False)
    uid = serializers.UUIDField(required=False)
    generation = serializers.IntegerField(required=False)
    resourceVersion = serializers.CharField(required=False)
    creationTimestamp = serializers.CharField(required=False)
    deletionTimestamp = serializers.CharField(required=False, allow_null=True)


class ManifestShape(serializers.Serializer[Any]):
    """docs/manifests.md tells every field of `spec`. A `status` that is sent is not read."""

    apiVersion = serializers.ChoiceField([API_VERSION])
    kind = serializers.ChoiceField(KINDS)
    metadata = ManifestMetadataShape()
    spec = serializers.DictField()
    status = ManifestStatusShape(required=False)


class ManifestPageShape(serializers.Serializer[Any]):
    items = ManifestShape(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class ManifestVersionShape(serializers.Serializer[Any]):
    generation = serializers.IntegerField()
    appliedBy = serializers.CharField()
    appliedAt = serializers.CharField()
    spec = serializers.DictField()


class ManifestVersionPageShape(serializers.Serializer[Any]):
    """The newest first."""

    items = ManifestVersionShape(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class ApproveManifestBody(Body):
    """The address of the record of the approval, or `unapproved: ` and why. `generation`: the one that was seen.
    `removal`: it is its removal that is agreed to."""

    record = Text(max_length=500)
    generation = StrictInteger(min_value=1, required=False)
    removal = StrictBoolean(required=False)


class RollBackManifestBody(Body):
    to_generation = StrictInteger(min_value=1, max_value=2**31 - 1)


def show_kinds() -> list[dict[str, Any]]:
    return [
        {
            "apiVersion": API_VERSION,
            "kind": kind,
            "names": [kind, *(word for word, of in ALIASES.items() if of == kind)],
        }
        for kind in KINDS
    ]
