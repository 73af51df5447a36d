"""The sandbox: a payment gateway that can be told to misbehave. A process of its own (docs/sandbox.md).

It is an outside party: it shares no database and no code with the engine but the signature scheme.
"""
