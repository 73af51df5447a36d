"""Before a request uses a connection that was kept, Django asks the server for a 1 over it: one more statement of each.

A server that ends a connection says so, and that waits to be read. Where nothing waits, there is nothing to ask.
"""

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    def is_usable(self) -> bool:
        return self._is_quiet() or super().is_usable()

    def _is_quiet(self) -> bool:
        """It is open, and nothing has come over it that nobody waits for."""
        if self.connection is None or self.connection.closed:
            return False
        unread = select.poll()
        unread.register(self.connection.fileno(), select.POLLIN)
        return not unread.poll(0)
