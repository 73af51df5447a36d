"""What the pictures of declared policies show; see `tests.browser.screenshots`."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.browser.agents import Agent
from tests.processes import Stack
from tests.waiting import eventually

EXAMPLES = Path(__file__).parents[2] / "docs" / "policies"
_CODE = """
from orders.roles import Actor, Role
from refunds.declared.envelope import Declared
from refunds.services.manifests.applying import Declarer, apply_manifest
by = Declarer(Actor("operator:ann", Role.SYSTEM))
for kind, name, spec in {manifests!r}:
    apply_manifest(Declared(kind, name, spec), by)
"""
_WAITING = "SELECT count(*) FROM refunds_manifest WHERE observed_generation = 0"


@cache
def declared(stack: Stack) -> None:
    """The examples of the docs, for orders of their own, and a policy that cannot be right."""
    specs = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))["spec"] for path in EXAMPLES.glob("*.yaml")}
    specs["wrong"] = {"window": {"days": 14, "faultDays": 3}, "calendar": {"zone": "Nowhere/Town"}}
    of_their_own = {name: spec | {"selector": {"labels": {"kind": name}}} for name, spec in specs.items()}
    put_in_force(stack, [("RefundPolicy", name, spec) for name, spec in of_their_own.items()])


def put_in_force(stack: Stack, manifests: list[tuple[str, str, dict[str, Any]]]) -> None:
    stack.manage("shell", "-v", "0", "-c", _CODE.format(manifests=manifests))
    eventually(lambda: stack.query(_WAITING) == [(0,)])


def opened(agent: Agent, path: str) -> None:
    declared(agent.shop.stack)
    supervisor = Agent(agent.shop, agent.page, "supervisor")
    supervisor.logs_in()
    supervisor.opens(path)


def policies(agent: Agent) -> None:
    """With a channel that wants a policy which is not there."""
    channel = {"title": "Shop", "hostnames": ["shop.example"], "policy": "nowhere"}
    put_in_force(agent.shop.stack, [("Channel", "default", channel)])
    opened(agent, "policies/")


def policy(agent: Agent) -> None:
    """It waits for a second person."""
    opened(agent, "policies/seven-days/")


def policy_wrong(agent: Agent) -> None:
    opened(agent, "policies/wrong/")


SCENES = (policies, policy, policy_wrong)
