"""Under which names the installation is reached: its own, and those that channels have declared."""

from collections.abc import Iterator

from orders.registry import registry


class AllowedHosts(list[str]):
    """What is configured, and whatever the registry has at the moment: a new hostname needs no restart."""

    def __iter__(self) -> Iterator[str]:
        yield from super().__iter__()
        yield from registry.hostnames()
