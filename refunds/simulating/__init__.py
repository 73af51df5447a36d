"""What a policy would have made of the requests of the past. Pure.

asked (a request with its order, as it was then) <- outcomes (what a policy makes of it) <- compared (what differs).
"""

from refunds.simulating.asked import Asked, AskedUnits, PastParcel
from refunds.simulating.compared import Compared, Difference, compare
from refunds.simulating.outcomes import FirstStep, NotAsItWas, Outcome, outcome

__all__ = [
    "Asked",
    "AskedUnits",
    "Compared",
    "Difference",
    "FirstStep",
    "NotAsItWas",
    "Outcome",
    "PastParcel",
    "compare",
    "outcome",
]
