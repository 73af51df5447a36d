"""Refunds: the decision, the money and the messages that belong to one."""
