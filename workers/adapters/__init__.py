"""Adapters: the only modules that know a vendor or a protocol of the outside; `workers.bootstrap` chooses."""
