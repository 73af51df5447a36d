"""What a policy would have decided otherwise, had it been in force."""

from datetime import timedelta
from itertools import islice
from typing import Any

from django.core.management.base import CommandError, CommandParser

from orders import clock
from orders.errors import Problem
from orders.snapshot import snapshot
from refunds.declared import policy_rules, structure
from refunds.declared.envelope import checked, read_manifest
from refunds.declared.policy_rules import DeclaredPolicy, read_policy
from refunds.declared.reading import Violation
from refunds.management.arguments import MOST_ID, Once, a_span, a_whole
from refunds.management.manifest_files import documents
from refunds.management.plain import PlainCommand
from refunds.management.simulation import Tally, is_news, summary, told
from refunds.selectors.books_closes import channel_named
from refunds.services.past_requests import Wanted, count_past
from refunds.services.simulation import replay

#: So often it is said how far it has come.
PROGRESS = 1000


class Command(PlainCommand):
    help = "Decide past requests again by the policy of a file, and tell what would be otherwise. Nothing is written."

    def add_arguments(self, parser: CommandParser) -> None:
        file = parser.add_argument("-f", "--file", required=True, action=Once)
        file.help = "the manifest of one RefundPolicy; -: standard input"
        since = parser.add_argument("--since", type=a_span, default="90d", metavar="SPAN", action=Once)
        since.help = "such as 90d, the default"
        parser.add_argument("--channel", metavar="SLUG", action=Once, help="default: all channels")
        parser.add_argument("--verbose", action="store_true", help="tell each refund that would be decided otherwise")
        limit = parser.add_argument("--limit", type=a_whole(MOST_ID), default=MOST_ID, metavar="N", action=Once)
        limit.help = "at most so many refunds, the oldest first"

    def handle(self, *_: Any, file: str, since: timedelta, channel: str | None, **named: Any) -> None:
        name, policy = _policy(file)
        if channel:
            _refuse_unknown(channel)
        wanted, tally = Wanted(clock.now() - since, channel), Tally()
        with snapshot():
            most = min(count_past(wanted), named["limit"])
            replayed = (one for page in replay(name, policy, wanted) for one in page)
            for one in islice(replayed, most):
                tally.add(one)
                if named["verbose"] and is_news(one):
                    self.stdout.write(told(one))
                self._say_progress(tally.seen, most)
        self.stdout.write("\n".join(summary(tally)))

    def _say_progress(self, done: int, most: int) -> None:
        if done % PROGRESS == 0 or done == most:
            self.stderr.write(f"{done} of {most} refunds ({done * 100 // most} %)")


def _refuse_unknown(channel: str) -> None:
    try:
        channel_named(channel)
    except Problem as problem:
        raise CommandError(problem.detail) from problem


def _policy(path: str) -> tuple[str, DeclaredPolicy]:
    """The one policy of the file. CommandError with everything that is wrong with it."""
    found = documents(path)
    if len(found) != 1:
        raise CommandError(f"{path}: one manifest is simulated at a time, not {len(found)}.")
    declared, wrong = read_manifest(found[0])
    if declared is None:
        raise CommandError(_told(path, wrong))
    if declared.kind != policy_rules.KIND:
        raise CommandError(f"{path}: {declared.kind} decides nothing: a {policy_rules.KIND} is simulated.")
    if wrong := checked(declared):
        raise CommandError(_told(path, wrong))
    policy, _ = read_policy(declared.spec)
    assert policy is not None, "what cannot be read was refused above"
    if wrong := structure.violations(policy):
        raise CommandError(_told(path, wrong))
    return declared.name, policy


def _told(path: str, wrong: list[Violation]) -> str:
    return "\n".join(f"{path}: {one.path}: {one.detail}" for one in wrong)
