"""A peer as a program: `--port`, and "ready" once it listens there."""

import argparse
import asyncio
from collections.abc import Callable

from workers.local.ports import LOOPBACK

READY = "ready"


def main(protocol: Callable[[], asyncio.Protocol]) -> None:
    """Serve until it is ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    asyncio.run(_serve(protocol, parser.parse_args().port))


async def _serve(protocol: Callable[[], asyncio.Protocol], port: int) -> None:
    server = await asyncio.get_running_loop().create_server(protocol, LOOPBACK, port)
    print(READY, flush=True)
    await server.serve_forever()
