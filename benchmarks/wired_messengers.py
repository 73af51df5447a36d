"""Wires the product to the messengers of this process; its gateways are those of its configuration."""

from benchmarks.in_process import MESSENGERS
from workers import bootstrap

bootstrap.messengers = lambda: MESSENGERS
