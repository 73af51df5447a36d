"""Real SMTP: mails a second through the product's adapter to a mail server.

Stored refunds, each with a mail and an SMS to send; gateway and SMS are in the worker's own process. The channel
"email" is an account of its own: at most `MESSAGE_SLOTS` (32) of a pump's call threads send mails, each over a
connection kept.
"""

from benchmarks.figures import Figures
from benchmarks.ground import Ground
from benchmarks.outside import FIRST, HASTE, outside
from benchmarks.peers import mail_server
from benchmarks.rounds import Rounds
from workers.local.ports import LOOPBACK, free_port

SECONDS, QUICK_SECONDS = 5.0, 2.0


def run(ground: Ground, *, quick: bool) -> list[Figures]:
    port, rounds = free_port(), Rounds("mail")
    url = f"smtp://{LOOPBACK}:{port}"
    with outside(ground, mail_server.__name__, port, wiring="benchmarks.wired_mail", EMAIL_URL=url) as server:
        rate = server.drain("mail", FIRST, told=True).rate
        count = max(FIRST, round(rate * HASTE * (QUICK_SECONDS if quick else SECONDS)))
        rounds.add(server.drain("mail", count, told=True))
    return [rounds.table()]
