"""A flag that ends work in other threads: it wakes whoever waits, and cuts off requests that are under way."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Callable, Dict, Iterator


class Cancelled(Exception):
    """The work was told to end. Raised inside the loops of this package only, never to a caller of it."""


class Cancellation:
    """Set once, by any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: Dict[object, Callable[[], None]] = {}
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Runs every callback, in the calling thread. A second call does nothing."""
        with self._lock:
            if self._cancelled:
                return
            self._cancelled = True
            callbacks = list(self._callbacks.values())
            self._callbacks.clear()
        for callback in callbacks:
            callback()

    def raise_if_cancelled(self) -> None:
        if self._cancelled:
            raise Cancelled()

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Has `callback` called by `cancel` while the block runs; at once when it is cancelled already."""
        token = object()
        with self._lock:
            is_late = self._cancelled
            if not is_late:
                self._callbacks[token] = callback
        if is_late:
            callback()
        try:
            yield
        finally:
            with self._lock:
                self._callbacks.pop(token, None)
