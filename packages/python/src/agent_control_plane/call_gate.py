"""Calls that go on beside each other, and one at times alone."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Callable, Iterator

from .cancellation import Cancellation


class CallGate:
    """A registration names the runs that this process has, and the service abandons all others.

    A run that began beside it would be among those.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._under_way = 0
        self._is_closed = False
        #: Called when calls that wait should end, because one wants to be alone.
        self.hurry: Callable[[], None] = lambda: None

    @property
    def is_wanted(self) -> bool:
        """Whether a call is alone, or waits to be."""
        return self._is_closed

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Waits for the end of a call that is alone."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_closed)
            self._under_way += 1
        try:
            yield
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self, cancellation: Cancellation) -> Iterator[None]:
        """Waits for the end of all others, and lets none begin until the block has ended.

        Raises:
            Cancelled: it was told to end.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._is_closed)
            self._is_closed = True
        try:
            self.hurry()
            with cancellation.calling(self._notify), self._changed:
                self._changed.wait_for(lambda: not self._under_way or cancellation.cancelled)
            cancellation.raise_if_cancelled()
            yield
        finally:
            with self._changed:
                self._is_closed = False
                self._changed.notify_all()

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()
