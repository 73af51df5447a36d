"""The channels that this process serves: a copy of their rows in its memory, made whole at every load, never by deltas.

Whoever finds a row in PostgreSQL believes that. The registry answers what is asked before a row is known (whose is this
host name?), and what must cost nothing (may this origin read?). Until its first load it knows nothing, and what is
unknown to it may exist: that is 503, and 404 only afterwards.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Served:
    """A channel as it was loaded; `generation` is that of its manifest, 0 where it has none."""

    id: int
    slug: str
    hostnames: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    locale: str = "en"
    is_closing: bool = False
    generation: int = 0


@dataclass(frozen=True, slots=True)
class _Loaded:
    by_slug: Mapping[str, Served]
    by_host: Mapping[str, Served]
    by_id: Mapping[int, Served]


class Registry:
    """Loads replace all of it at once: who reads meanwhile sees the one before or the one after."""

    def __init__(self) -> None:
        self._loaded: _Loaded | None = None

    @property
    def is_loaded(self) -> bool:
        return self._loaded is not None

    def load(self, channels: Iterable[Served]) -> None:
        found = sorted(channels, key=lambda served: served.slug)
        by_host = {host: served for served in found for host in served.hostnames}
        self._loaded = _Loaded({s.slug: s for s in found}, by_host, {s.id: s for s in found})

    def forget(self) -> None:
        """As before the first load."""
        self._loaded = None

    def all(self) -> tuple[Served, ...]:
        """By slug."""
        return tuple(self._loaded.by_slug.values()) if self._loaded else ()

    def named(self, slug: str) -> Served | None:
        return self._loaded.by_slug.get(slug) if self._loaded else None

    def with_id(self, channel_id: int) -> Served | None:
        return self._loaded.by_id.get(channel_id) if self._loaded else None

    def at(self, host: str) -> Served | None:
        """Whose name this is, with or without a port."""
        return self._loaded.by_host.get(bare(host)) if self._loaded else None

    def hostnames(self) -> Iterator[str]:
        return iter(self._loaded.by_host if self._loaded else ())


def bare(host: str) -> str:
    """`Shop.example.:8443` -> `shop.example`."""
    return host.lower().partition(":")[0].removesuffix(".")


#: This process's.
registry = Registry()
