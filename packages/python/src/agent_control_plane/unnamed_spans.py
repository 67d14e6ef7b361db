"""Spans of runs of the agent's own that wait until the service has said what it calls the run."""

from __future__ import annotations

from typing import Any, Callable, Dict, List


class UnnamedSpans:
    """No lock of its own.

    Args:
        on_dropped: is called with the number of spans that are too many: those of the oldest run.
    """

    def __init__(self, limit: int, on_dropped: Callable[[int], None]) -> None:
        self._limit = limit
        self._on_dropped = on_dropped
        #: By the agent's own word for the run, the oldest first.
        self._waiting: Dict[str, List[Dict[str, Any]]] = {}
        self._count = 0

    def add(self, key: str, span: Dict[str, Any]) -> None:
        self._waiting.setdefault(key, []).append(span)
        self._count += 1
        while self._count > self._limit:
            self._on_dropped(len(self.take(next(iter(self._waiting)))))

    def take(self, key: str) -> List[Dict[str, Any]]:
        """Removes those of a run."""
        spans = self._waiting.pop(key, [])
        self._count -= len(spans)
        return spans
