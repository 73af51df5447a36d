"""A package, so that what its tests share (scope="package") ends with the last of them, not with the run."""
