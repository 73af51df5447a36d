"""What a run of chaos consists of: how many refunds, and what is done to the processes meanwhile."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

PRICES_MINOR = (999, 1000, 1250, 3333, 12345)


@dataclass(frozen=True)
class Plan:
    """`limit_seconds`: a run that has not come to its end by then has failed. Valkey is emptied, and Valkey and
    PostgreSQL are killed and started again, when these shares of the refunds have ended. `whole_workers`: not only a
    pool's processes are killed, but now and then a worker with all its pool. `quiet_seconds`: so long after the end it
    may take until nothing is left; a message that such a worker had taken, or any when Valkey was started again, comes
    again only after the visibility time-out.
    `share_repeated`: of the most messages that a process may have in hand, so many may come again for each loss, on
    average. A killed process repeats what was delivered and not yet written down: seldom any, and all of the most where
    the machine is so busy that a pass takes a second. Over many losses it was 0.5 to 3 of 64 messages on two cores.
    """

    refunds: int
    seed: int
    limit_seconds: float
    strike_seconds: float = 1.0
    most_strikes: int = 1_000_000
    emptied_at: Sequence[float] = (0.2, 0.45, 0.7)
    valkey_at: Sequence[float] = (0.35, 0.6)
    postgres_at: Sequence[float] = (0.55,)
    whole_workers: bool = True
    quiet_seconds: float = 120.0
    share_repeated: float = 0.1

    def chance(self, whose: str) -> random.Random:
        """A source of chance that depends on nothing but the seed."""
        return random.Random(f"{self.seed} {whose}")

    def purchases(self, prefix: str) -> Iterator["Purchase"]:
        """Every other one is delivered before its money is asked for."""
        chance = self.chance("purchases")
        for n in range(self.refunds):
            quantity, price = chance.randint(1, 3), chance.choice(PRICES_MINOR)
            yield Purchase(f"{prefix}-{n}", quantity, price, delivered=n % 2 == 1)


@dataclass(frozen=True)
class Purchase:
    """An order, and what it costs."""

    number: str
    quantity: int
    price_minor: int
    delivered: bool

    @property
    def payment(self) -> str:
        return f"pay-{self.number}"

    @property
    def amount_minor(self) -> int:
        return self.quantity * self.price_minor
