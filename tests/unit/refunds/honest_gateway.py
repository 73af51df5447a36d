"""A gateway as a model: honest, and as slow, forgetful and unlucky as gateways are. Nothing of the engine is in it."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count

from workers.ports import Accepted, Capabilities, Found, GatewayFact, GatewayStatus, Refused, Reply, Unknown

LIVE = (GatewayStatus.PENDING, GatewayStatus.SUCCEEDED)


@dataclass
class Refunded:
    """A refund object, with every status it ever had."""

    gateway_refund_id: str
    history: list[GatewayStatus]

    def fact(self, back: int = 0) -> GatewayFact:
        """As it is, or was so many changes ago."""
        status = self.history[max(0, len(self.history) - 1 - back)]
        return GatewayFact(self.gateway_refund_id, "RF-1-1", status, 1000, "EUR", failure_code="declined")


@dataclass
class HonestGateway:
    """It remembers what it answered to a key for as long as it says, answers 500 again where it answered 500, and
    forgets refusals that are only for the moment."""

    can: Capabilities
    refunds: list[Refunded] = field(default_factory=list)
    memory: dict[str, tuple[datetime, Reply | Refunded]] = field(default_factory=dict)
    ids: "count[int]" = field(default_factory=count)

    def handle(self, key: str, luck: str, now: datetime) -> Reply:
        """What comes of a request: `luck` says how it goes if the key is new."""
        if luck == "try later":
            return Refused("rate_limited", retryable=True)
        if self.can.idempotency_keys and key in self.memory and now < self._forgets_at(key):
            known = self.memory[key][1]
            return Accepted(known.fact()) if isinstance(known, Refunded) else known
        reply = self._new(luck)
        is_kept = self.can.failed_key_is_final or not isinstance(reply, Refused)
        if is_kept:
            known = self.refunds[-1] if isinstance(reply, Accepted) else reply
            self.memory[key] = (now, known)
        return reply

    def holds(self) -> Found:
        return Found(tuple(refunded.fact() for refunded in self.refunds))

    def live(self) -> list[Refunded]:
        return [refunded for refunded in self.refunds if refunded.history[-1] in LIVE]

    def _new(self, luck: str) -> Reply:
        if luck == "declined":
            return Refused("declined")
        if luck == "500":
            return Unknown("500", answered=True)
        status = {"pending": GatewayStatus.PENDING, "failed": GatewayStatus.FAILED}.get(luck, GatewayStatus.SUCCEEDED)
        self.refunds.append(Refunded(f"gw-{next(self.ids)}", [status]))
        return Unknown("500", answered=True) if luck == "500 after success" else Accepted(self.refunds[-1].fact())

    def _forgets_at(self, key: str) -> datetime:
        return self.memory[key][0] + timedelta(seconds=self.can.key_lifetime_seconds)
