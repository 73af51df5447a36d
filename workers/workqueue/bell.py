"""How a waiting pump hears that something was added."""

import redis


class Bell:
    """Rings when work is added and a pump listens. Each ring wakes one listener."""

    def __init__(self, client: redis.Redis, key: str) -> None:
        self._client = client
        self._key = key
        self._own: redis.Redis | None = None
        self._id: int | None = None

    def wait(self, seconds: float) -> bool:
        """Block until it rings (True), the time is up, or somebody interrupts."""
        try:
            own = self._connection()
            return own.blpop([self._key], timeout=seconds) is not None
        except redis.RedisError:
            self._id = None
            raise

    def interrupt(self) -> None:
        """End a wait that is going on now; one that has not begun yet is not affected."""
        if self._id is not None:
            self._client.client_unblock(self._id)

    def close(self) -> None:
        if self._own is not None:
            self._own.close()

    def _connection(self) -> redis.Redis:
        self._own = self._own or self._client.client()
        if self._id is None:
            self._id = int(self._own.client_id())
        return self._own
