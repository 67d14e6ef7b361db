"""Pauses between attempts."""

from __future__ import annotations

import random
from typing import Callable

#: Seconds. No pause is shorter: what fails at once would be tried in a tight loop.
SHORTEST = 0.1


class Backoff:
    """The pauses of one series of failures: full jitter under a ceiling that doubles.

    Args:
        first: ceiling of the first pause, in seconds.
        longest: ceiling of all later pauses, in seconds.
    """

    def __init__(self, first: float, longest: float, rand: Callable[[], float] = random.random) -> None:
        self._first = first
        self._longest = longest
        self._rand = rand
        self._failures = 0

    def reset(self) -> None:
        self._failures = 0

    def next(self) -> float:
        """Returns the seconds to wait after one more failure."""
        ceiling = min(self._longest, self._first * 2.0 ** min(self._failures, 30))
        self._failures += 1
        return max(SHORTEST, self._rand() * ceiling)
