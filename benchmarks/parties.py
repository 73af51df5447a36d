"""The contenders that are asked over HTTP: their web servers, their doors, and who works off what was asked.

All web servers are the product's own command (gunicorn, two processes of four threads, its options) and are up during
a row. Crews (the worker and the scheduler of ours, the worker of the tuned chain) stand still while it is not their
turn.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from benchmarks.contenders import Ours, Tuned
from benchmarks.cost import cpu_seconds
from benchmarks.crews import Crew, standing
from benchmarks.ground import Ground
from benchmarks.load import Door
from benchmarks.peers.bare import make_table
from workers.local.children import Child, Command
from workers.local.ports import free_port
from workers.local.product import Product, wait_ready

OURS = ("single", "bulk")
#: By contender its path, in which {order} is the order's number.
PATHS = {
    "single": "/api/v1/orders/{order}/refunds",
    "bulk": "/api/v1/refunds:batch",
    "tuned": "/tuned/{order}",
    "bare": "/bare/{order}",
}


@dataclass(frozen=True)
class Party:
    """One contender. Its crew may be another's too, or empty: then nobody works anything off."""

    name: str
    door: Door
    ground: Ground
    web: Child
    crew: Crew

    def cpu_seconds(self) -> dict[str, float]:
        """Until now, by whose it is."""
        own = {"web": [self.web.process.pid], "worker": [child.process.pid for child in self.crew]}
        return cpu_seconds(own | self.ground.roots())


@contextmanager
def parties(ground: Ground, names: Sequence[str]) -> Iterator[dict[str, Party]]:
    """These contenders, ready, their crews standing still; ended at the end."""
    make_table()
    key = _shop_key(ground)
    crews = {name: _crew_of(name, ground) for name in names}
    peers = replace(ground.product, addresses=replace(ground.product.addresses, web=free_port()))
    sites = {name: ground.product if name in OURS else peers for name in names}
    with (
        standing(ground.children, _once([command for crew in crews.values() for command in crew])) as workers,
        _serving(ground, [ground.product.web(), _web_of(peers)]) as webs,
    ):
        for web, site in zip(webs, (ground.product, peers), strict=True):
            wait_ready(web, ground.children, site.addresses)
        yield {
            name: Party(
                name,
                Door(name, site.addresses.web, PATHS[name], key, name == "bulk"),
                ground,
                webs[0 if site is ground.product else 1],
                [workers[command.name] for command in crews[name]],
            )
            for name, site in sites.items()
        }


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


def _web_of(peers: Product) -> Command:
    """The product's web server, with another application in it."""
    web = peers.web()
    argv = ["django.core.wsgi:get_wsgi_application()" if part == "config.wsgi" else part for part in web.argv]
    environment = web.env | {"DJANGO_SETTINGS_MODULE": "benchmarks.peers.web_settings"}
    return replace(web, name="web-of-peers", argv=argv, env=environment)


def _crew_of(name: str, ground: Ground) -> list[Command]:
    if name == "bare":
        return []
    return (Ours if name in OURS else Tuned)(ground, "benchmarks.wired").commands()


def _once(commands: Sequence[Command]) -> list[Command]:
    return list({command.name: command for command in commands}.values())


def _shop_key(ground: Ground) -> str:
    """Of the demo's shop, which is loaded once."""
    file = ground.product.home.path / "demo-shop.json"
    if not file.exists():
        ground.children.run(ground.product.manage("load_demo", "--output", str(file)))
    key: str = json.loads(file.read_text())["keys"]["shop"][0]
    return key
