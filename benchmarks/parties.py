"""The contenders that share a stage: the workers of ours and of the chains, and the web servers before them.

Web servers are the product's own command (gunicorn, two processes of four threads, its options). Crews (the worker and
the scheduler of ours, the workers of the chains) stand still while it is not their turn. What a row does not need is
not started for it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from benchmarks import extras
from benchmarks.contenders import Contender, Naive, Ours, Tuned
from benchmarks.cost import cpu_seconds
from benchmarks.crews import Crew, standing
from benchmarks.ground import Ground
from benchmarks.installation import shop_key
from benchmarks.load import Door
from benchmarks.peers.bare import make_table
from benchmarks.seeds import seeds
from workers.local.children import Child, Command
from workers.local.ports import free_port
from workers.local.product import Product, wait_ready

WIRING = "benchmarks.wired"
KINDS: dict[str, type[Ours | Tuned]] = {"ours": Ours, "tuned": Tuned, "naive": Naive}
#: By row, whose workers take part; and the extras that were asked for, in EXTRA_ROWS.
CREWS = {
    "drain": ("ours", "tuned", "naive"),
    "calls": ("ours", "tuned"),
    "intake": ("ours",),
    "end_to_end": ("ours", "tuned"),
    "clicks": ("ours", "tuned"),
}
EXTRA_ROWS = {"drain", "end_to_end"}
#: Rows that come through the web.
THROUGH_WEB = {"intake", "end_to_end", "clicks"}
#: By door, who works off what is asked there, and its path, in which {order} is the order's number. An extra has a door
#: of its name.
DOORS = {
    "single": ("ours", "/api/v1/orders/{order}/refunds"),
    "bulk": ("ours", "/api/v1/refunds:batch"),
    "tuned": ("tuned", "/tuned/{order}"),
    "bare": ("", "/bare/{order}"),
}
#: The web server of peers that have none for themselves.
SHARED = "peers"


@dataclass(frozen=True)
class Party:
    """A contender that is asked at a door. Its crew may be another's too, or empty: then nobody works anything off."""

    name: str
    door: Door
    ground: Ground
    web: Child
    crew: Crew

    def cpu_seconds(self) -> dict[str, float]:
        """Until now, by whose it is."""
        own = {"web": [self.web.process.pid], "worker": [child.process.pid for child in self.crew]}
        return cpu_seconds(own | self.ground.roots())


@dataclass(frozen=True)
class Parties:
    """`crews` by contender, `at` by door."""

    ground: Ground
    crews: dict[str, Crew]
    at: dict[str, Party]

    def contenders(self) -> list[Contender]:
        return [_contender(name, self.ground) for name in self.crews]


@contextmanager
def opened(ground: Ground, rows: Sequence[str]) -> Iterator[Parties]:
    """Those of these rows, ready, their crews standing still; ended at the end."""
    seeds()
    names = [name for name in KINDS if any(name in CREWS[row] for row in rows)]
    asked_for = [] if EXTRA_ROWS.isdisjoint(rows) else ground.extras
    for name in asked_for:
        ground.children.run(extras.KINDS[name](ground).schema())
    commands = {name: _contender(name, ground).commands() for name in (*names, *asked_for)}
    with standing(ground.children, [command for of in commands.values() for command in of]) as workers:
        crews = {name: [workers[command.name] for command in of] for name, of in commands.items()}
        if THROUGH_WEB.isdisjoint(rows):
            yield Parties(ground, crews, {})
            return
        with _at_doors(ground, crews) as at:
            yield Parties(ground, crews, at)


@contextmanager
def _at_doors(ground: Ground, crews: dict[str, Crew]) -> Iterator[dict[str, Party]]:
    make_table()
    key = shop_key(ground)
    taking_part = [name for name in ground.extras if name in crews]
    products = {"ours": ground.product} | {name: _elsewhere(ground.product) for name in (SHARED, *taking_part)}
    webs = [product.web() if name == "ours" else _web_of(product, name) for name, product in products.items()]
    with _serving(ground, webs) as children:
        sites = dict(zip(products, children, strict=True))
        for name, web in sites.items():
            wait_ready(web, ground.children, products[name].addresses)
        at = {}
        for name, (whose, path) in (DOORS | {name: (name, f"/{name}/{{order}}") for name in taking_part}).items():
            site = whose if whose in sites else SHARED
            door = Door(name, products[site].addresses.web, path, key, name == "bulk")
            at[name] = Party(name, door, ground, sites[site], crews.get(whose, []))
        yield at


@contextmanager
def _serving(ground: Ground, commands: Sequence[Command]) -> Iterator[list[Child]]:
    webs: list[Child] = []
    try:
        for command in commands:
            webs.append(ground.children.start(command))
        yield webs
    finally:
        for web in webs:
            ground.children.kill(web)


def _elsewhere(product: Product) -> Product:
    return replace(product, addresses=replace(product.addresses, web=free_port()))


def _web_of(product: Product, whose: str) -> Command:
    """The product's web server, with another application in it."""
    web = product.web()
    argv = ["django.core.wsgi:get_wsgi_application()" if part == "config.wsgi" else part for part in web.argv]
    settings = "benchmarks.peers.web_settings" if whose == SHARED else f"benchmarks.peers.{whose}_web_settings"
    return replace(web, name=f"web-of-{whose}", argv=argv, env=web.env | {"DJANGO_SETTINGS_MODULE": settings})


def _contender(name: str, ground: Ground) -> Contender:
    return extras.KINDS[name](ground) if name in extras.KINDS else KINDS[name](ground, WIRING)
