"""Wires the product to the gateway of this process and its SMS; mail goes to the server of its configuration."""

from benchmarks.in_process import GATEWAY, MESSENGERS
from workers import bootstrap

configured = bootstrap.messengers
bootstrap.gateway = lambda account: GATEWAY
bootstrap.messengers = lambda: {**configured(), "sms": MESSENGERS["sms"]}
