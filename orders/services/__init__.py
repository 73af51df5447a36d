"""The only writer of orders: each service locks, reads what is there, refuses or writes, in the caller's transaction.

The caller then tells the engine (`refunds.services.wakes.order_changed`), in the same transaction.
"""
