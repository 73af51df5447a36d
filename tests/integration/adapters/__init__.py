"""Adapters against real servers of the outside parties, each a process or a socket of its own."""
