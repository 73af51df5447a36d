"""The demo: plays over HTTP what a shop, agents, a warehouse, a courier and a gateway would do (docs/demo.md).

A client like any other: it knows addresses and keys, and nothing of the product's inside.
"""
