"""Real SMTP: mails a second through the product's adapter to a mail server.

Stored refunds, each with a mail and an SMS to send; gateway and SMS are in the worker's own process. The channel
"email" is an account of its own: at most `MESSAGE_SLOTS` (32) of a pump's call threads send mails, each over a
connection kept.
"""

from benchmarks.budgets import Budget
from benchmarks.figures import Figures
from benchmarks.goals import Goal
from benchmarks.outside import FIRST, HASTE, QUICK_FIRST, Outside
from benchmarks.rounds import Rounds

SECONDS, QUICK_SECONDS = 5.0, 1.5


def run(stage: Outside, budget: Budget, *, quick: bool) -> list[Figures | Goal]:
    rounds = Rounds("mail")
    first, seconds = (QUICK_FIRST, QUICK_SECONDS) if quick else (FIRST, SECONDS)
    rate = stage.drain("mail", first, stage.mail_server, told=True).rate
    rounds.add(stage.drain("mail", max(first, round(rate * HASTE * seconds)), stage.mail_server, told=True))
    return [rounds.table()]
