"""Exponential back-off with a cap. Pure: chance is an argument."""

# Past this exponent the cap has long been reached, and 2**n would only grow without bound.
_HIGHEST_EXPONENT = 40


def backoff_seconds(failures: int, *, base: float, cap: float, jitter: float = 0.0) -> float:
    """Seconds to wait after `failures` failures in a row (1: `base`); `jitter` in [0, 1) is the part taken off."""
    if failures <= 0:
        return 0.0
    exponent = min(failures - 1, _HIGHEST_EXPONENT)
    return min(cap, base * 2.0**exponent) * (1.0 - jitter)
