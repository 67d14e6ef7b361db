"""Work that runs in order for each key."""

from __future__ import annotations

import threading
from collections import deque
from typing import Callable, Deque, Dict

from .cancellation import Cancellation

Work = Callable[[], None]


class Turns:
    """Runs the work of one key in its order, one after another; that of different keys at the same time.

    Each key with work has a thread, which ends with the work.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._changed = threading.Condition()
        self._waiting: Dict[str, Deque[Work]] = {}

    def add(self, key: str, work: Work) -> None:
        """Adds work, which must not raise. Never waits."""
        with self._changed:
            queue = self._waiting.get(key)
            if queue is not None:
                queue.append(work)
                return
            self._waiting[key] = deque([work])
        threading.Thread(target=self._run, args=(key,), name=f"{self._name}-{key}", daemon=True).start()

    def wait_settled(self, cancellation: Cancellation) -> None:
        """Returns when no work is left, or the cancellation is set."""
        with cancellation.calling(self._notify), self._changed:
            self._changed.wait_for(lambda: not self._waiting or cancellation.cancelled)

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _run(self, key: str) -> None:
        while True:
            with self._changed:
                queue = self._waiting[key]
                if not queue:
                    del self._waiting[key]
                    self._changed.notify_all()
                    return
                work = queue.popleft()
            work()
