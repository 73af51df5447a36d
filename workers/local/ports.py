"""Free TCP ports on the loopback address."""

import random
import socket

LOOPBACK = "127.0.0.1"
# Below the range the kernel takes for outgoing connections, or one could be gone before its use.
CANDIDATES = range(20000, 32000)


def free_port() -> int:
    """A port nobody listens on now; two callers at once are unlikely to be told the same."""
    while True:
        port = random.choice(CANDIDATES)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
            return port


def is_listening(port: int) -> bool:
    try:
        socket.create_connection((LOOPBACK, port), timeout=1).close()
    except OSError:
        return False
    return True
