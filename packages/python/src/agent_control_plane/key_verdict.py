"""Decides whether a key is refused for good."""

from __future__ import annotations

import time
from typing import Callable

REFUSALS_FOR_GOOD = 3


class KeyVerdict:
    """Counts refusals in a row.

    One 401 proves nothing: it may pass while a key is rotated, or come from a proxy. Three in a row over some seconds,
    with no success in between, are final.

    Args:
        patience: seconds from the first refusal of the row to the final one, at least.
    """

    def __init__(self, patience: float, now: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience
        self._now = now
        self._refusals = 0
        self._first_at = 0.0

    def accepted(self) -> None:
        self._refusals = 0

    def refused(self) -> bool:
        """Counts one more refusal. Returns whether the key is refused for good."""
        if self._refusals == 0:
            self._first_at = self._now()
        self._refusals += 1
        return self._refusals >= REFUSALS_FOR_GOOD and self._now() - self._first_at >= self._patience
