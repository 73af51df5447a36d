"""The demo's file for a story's stack, where `make up` has it: with it the front page has somewhere to lead."""

import json

from tests.processes import Stack
from workers.local.home import write_private


def front_of(stack: Stack) -> str:
    """The front page's address."""
    places = {"base_url": stack.base_url, "sandbox_url": stack.sandbox_url, "inbox_url": stack.inbox_url}
    write_private(stack.home.demo, json.dumps({**places, **stack.demo}))
    return f"{stack.base_url}/"
