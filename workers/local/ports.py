"""Free TCP ports on the loopback address."""

import random
import socket

LOOPBACK = "127.0.0.1"
# Below the range the kernel takes for outgoing connections, or one could be gone before its use.
CANDIDATES = range(20000, 32000)
# Not the seeded one: processes that were seeded alike would all choose the same port.
_random = random.SystemRandom()
_given = set[int]()


def free_port() -> int:
    """A port nobody listens on now, another one at each call; two processes at once hardly ever get the same."""
    while True:
        port = any_port()
        if port in _given:
            continue
        try:
            _try_to_listen(port)
        except OSError:
            continue
        _given.add(port)
        return port


def any_port() -> int:
    """One of the candidates, whether free or not."""
    return _random.choice(CANDIDATES)


def claim(port: int) -> socket.socket:
    """Hold the port, while nobody listens on it yet, against others who claim it; OSError when it is taken.

    The UDP port of the same number stands for it: the kernel gives it to one process and takes it back at its end.
    """
    _try_to_listen(port)
    held = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        held.bind((LOOPBACK, port))
    except OSError:
        held.close()
        raise
    return held


def _try_to_listen(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((LOOPBACK, port))


def is_listening(port: int) -> bool:
    try:
        socket.create_connection((LOOPBACK, port), timeout=1).close()
    except OSError:
        return False
    return True
