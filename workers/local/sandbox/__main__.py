"""`python -m workers.local.sandbox --port N --home DIR`: see docs/sandbox.md."""

import argparse
import asyncio
import os
from pathlib import Path

from workers.adapters import signing
from workers.local.sandbox.server import SandboxSettings, create_app
from workers.local.serving import serve


def main() -> None:
    """Read the flags, serve until stopped."""
    flags = _parser().parse_args()
    signing.secret_key(flags.secret)
    settings = SandboxSettings(
        home=flags.home,
        secret=flags.secret,
        webhook_url=flags.webhook_url,
        courier_webhook_url=flags.courier_webhook_url,
        settle_ms=flags.settle_ms,
        hold_seconds=flags.hold_seconds,
        webhook_retry_seconds=flags.webhook_retry_seconds,
    )
    asyncio.run(serve(create_app(settings), host=flags.host, port=flags.port, name="sandbox"))


def _parser() -> argparse.ArgumentParser:
    env = os.environ.get
    parser = argparse.ArgumentParser(prog="python -m workers.local.sandbox", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=int(env("SANDBOX_PORT", "0")), help="0: a free one")
    parser.add_argument("--home", type=Path, required=True, help="where the ledger lives")
    parser.add_argument("--secret", default=env("SANDBOX_SECRET", ""), help="whsec_<base64>, signs both ways")
    parser.add_argument("--webhook-url", default=env("SANDBOX_WEBHOOK_URL", ""), help="empty: none are sent")
    parser.add_argument("--courier-webhook-url", default=env("SANDBOX_COURIER_WEBHOOK_URL", ""), help="empty: none")
    parser.add_argument("--settle-ms", type=int, default=500, help="until pending settles or success reverses")
    parser.add_argument("--hold-seconds", type=float, default=120.0, help="how long a time-out hangs")
    parser.add_argument("--webhook-retry-seconds", type=float, default=600.0)
    return parser


if __name__ == "__main__":
    main()
