"""The controller runtime: queue, pump, reconcilers, and the edges to the outside."""
