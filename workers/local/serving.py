"""Runs a local peer's aiohttp application until it is told to stop, and says where it listens."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator

from aiohttp import web


async def serve(app: web.Application, *, host: str, port: int, name: str) -> None:
    """Serve until SIGINT or SIGTERM. Port 0 takes a free one; the line printed tells it."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with listening(app, host=host, port=port) as url:
        print(f"{name} listening on {url}", flush=True)
        await stop.wait()


@contextlib.asynccontextmanager
async def listening(app: web.Application, *, host: str, port: int) -> AsyncIterator[str]:
    """The application's base URL while it is being served. Hung-up callers cancel their handlers."""
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield f"http://{host}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
