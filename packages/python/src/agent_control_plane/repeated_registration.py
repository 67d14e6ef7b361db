"""Registrations of an agent that is registered already."""

from __future__ import annotations

import threading
from typing import Callable

from .backoff import Backoff

FIRST_PAUSE = 0.5
#: Seconds. Far longer than that of failing calls: if the service asks again and again, registrations don't help.
LONGEST_PAUSE = 600.0


class RepeatedRegistration:
    """Registers again, one registration at a time.

    Args:
        register: registers, and returns when that is done.
        pause: waits for some seconds.
        start: begins work beside the caller's.
    """

    def __init__(
        self,
        register: Callable[[], None],
        pause: Callable[[float], None],
        start: Callable[[Callable[[], None]], None],
    ) -> None:
        self._register = register
        self._pause = pause
        self._start = start
        self._backoff = Backoff(FIRST_PAUSE, LONGEST_PAUSE)
        self._was_asked = False
        #: Held while a registration is under way. The thread that ends it is not the one that began it.
        self._under_way = threading.Lock()

    def follow(self, asks: bool) -> None:
        """Follows a heartbeat's reply: registers at once if it asks for that, after a growing pause if it did before."""
        if not asks:
            self._backoff.reset()
            self._was_asked = False
        elif self._under_way.acquire(blocking=False):
            pause = self._backoff.next() if self._was_asked else 0.0
            self._was_asked = True
            self._start(lambda: self._register_after(pause))

    def now(self) -> None:
        if self._under_way.acquire(blocking=False):
            self._start(lambda: self._register_after(0.0))

    def _register_after(self, pause: float) -> None:
        try:
            if pause > 0:
                self._pause(pause)
            self._register()
        finally:
            self._under_way.release()
