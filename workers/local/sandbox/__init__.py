"""The sandbox: a payment gateway and a courier that can be told to misbehave. A process of its own (docs/sandbox.md).

They are outside parties: they share no database and no code with the engine but the signature scheme.
"""
