"""A policy's rules as one frozen value. Pure; every refund is pinned to the version it was decided under.

Times are seconds; amounts are minor units per currency.
"""

from dataclasses import asdict, dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class PolicySpec:
    """The rules the engine reads.

    `instant_limit_minor`: an instant refund above it is looked at by a person first (no entry: no limit).
    `acknowledge_after_seconds`: "received" is told by itself only when the refund is still open by then; a refund
    that ends sooner says both in one message. `unknown_incident_seconds`: so long may an outcome stay unknown, and
    `pending_incident_seconds`: so long may a gateway take, before a person is asked to look. `sms_for`: the few
    messages that also go by SMS.
    """

    instant_limit_minor: dict[str, int] = field(default_factory=dict)
    acknowledge_after_seconds: int = 60
    review_seconds: int = 48 * 3600
    unknown_incident_seconds: int = 3600
    pending_incident_seconds: int = 7 * 24 * 3600
    email_for: tuple[str, ...] = ("received", "refunded", "refunded_at_once", "failed", "cancelled")
    sms_for: tuple[str, ...] = ("refunded", "refunded_at_once", "failed")

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "PolicySpec":
        """Read a stored version; fields it does not name keep the built-in rule. TypeError on unknown fields."""
        if unknown := value.keys() - {f.name for f in fields(cls)}:
            raise TypeError(f"unknown policy fields: {sorted(unknown)}")
        given: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in value.items()}
        return cls(**given)

    def to_json(self) -> dict[str, Any]:
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    def channels_for(self, template: str) -> tuple[str, ...]:
        """The channels this message goes over: email, sms, both or none."""
        return tuple(c for c, wanted in (("email", self.email_for), ("sms", self.sms_for)) if template in wanted)


BUILT_IN = PolicySpec()
BUILT_IN_NAME = "built-in"
