"""Speed of the product, and of what a shop would build instead, measured in one run on servers of its own.

Nothing of the product knows of this package. `docs/benchmarks.md` says how to run it and how to read it.
"""
