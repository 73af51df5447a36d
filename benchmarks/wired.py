"""Wires the product to the gateway and messengers of this process.

Its worker is started as it ships, plus `--include benchmarks.wired`: importing this module is all of the difference.
"""

from benchmarks.in_process import GATEWAY, MESSENGERS
from workers import bootstrap

bootstrap.gateway = lambda account: GATEWAY
bootstrap.messengers = lambda: MESSENGERS
