"""`python -m workers.local.inbox --smtp-port N --port N --home DIR`: see docs/sandbox.md."""

import argparse
import asyncio
import os
from pathlib import Path

from workers.adapters import signing
from workers.local.inbox.server import InboxSettings, create_app
from workers.local.serving import serve


def main() -> None:
    """Read the flags, serve until stopped."""
    flags = _parser().parse_args()
    signing.secret_key(flags.secret)
    settings = InboxSettings(
        home=flags.home,
        secret=flags.secret,
        host=flags.host,
        smtp_port=flags.smtp_port,
        hold_seconds=flags.hold_seconds,
    )
    asyncio.run(serve(create_app(settings), host=flags.host, port=flags.port, name="inbox"))


def _parser() -> argparse.ArgumentParser:
    env = os.environ.get
    parser = argparse.ArgumentParser(prog="python -m workers.local.inbox", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=int(env("INBOX_PORT", "0")), help="HTTP; 0: a free one")
    parser.add_argument("--smtp-port", type=int, default=int(env("INBOX_SMTP_PORT", "0")), help="0: a free one")
    parser.add_argument("--home", type=Path, required=True, help="where the messages live")
    parser.add_argument("--secret", default=env("SMS_SECRET", ""), help="whsec_<base64>, what SMS are signed with")
    parser.add_argument("--hold-seconds", type=float, default=120.0, help="how long a time-out hangs")
    return parser


if __name__ == "__main__":
    main()
