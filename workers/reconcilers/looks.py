"""When a key is looked at again."""

from workers.workqueue import Outcome, after, ok

#: Looks further ahead than this are left to the sweep, so that the queue holds only what is near.
NEAR_SECONDS = 30.0
#: What has ended several workers is left alone for so long.
STALLED_SECONDS = 3600.0


def look_in(seconds: float | None) -> Outcome:
    """The outcome of a key that is due in so many seconds; None: never."""
    return ok() if seconds is None or seconds > NEAR_SECONDS else after(seconds)
