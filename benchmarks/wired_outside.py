"""Wires the product to what is real in the rows `gateway` and `mail`, and to this process for the rest.

Payments at the account "sandbox" are at the gateway of this process, all others at those of the configuration; mails to
the domain of the mail server go to the server of the configuration.
"""

from benchmarks.in_process import GATEWAY, MESSENGERS
from benchmarks.peers.mail_server import DOMAIN
from workers import bootstrap
from workers.ports import Budget, Delivery, OutgoingMessage

configured_gateway, configured_messengers = bootstrap.gateway, bootstrap.messengers


class Mail:
    def send(self, message: OutgoingMessage, *, budget: Budget) -> Delivery:
        messengers = configured_messengers() if message.to.endswith(DOMAIN) else MESSENGERS
        return messengers["email"].send(message, budget=budget)


bootstrap.gateway = lambda account: GATEWAY if account == "sandbox" else configured_gateway(account)
bootstrap.messengers = lambda: {**MESSENGERS, "email": Mail()}
