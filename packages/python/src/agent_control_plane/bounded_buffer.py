"""A queue with limits."""

from __future__ import annotations

from collections import deque
from typing import Callable, Deque, List, NamedTuple


class Entry(NamedTuple):
    """One log entry or measurement. Kept as text, so a change that its sender makes later is not sent."""

    #: JSON in UTF-8.
    text: bytes
    #: The deployment that it is about; empty for none.
    owner: str
    timestamp: str
    #: The runtime's own line, which stands for lines that are missing.
    is_notice: bool = False


class BufferLimits(NamedTuple):
    entries: int
    bytes: int


class BoundedBuffer:
    """First in, first out. Past its limits the oldest entries go, and `on_dropped` is called with each. No lock of its own."""

    def __init__(self, limits: BufferLimits, on_dropped: Callable[[Entry], None]) -> None:
        self._limits = limits
        self._on_dropped = on_dropped
        self._entries: Deque[Entry] = deque()
        self.size_in_bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def push(self, entry: Entry) -> None:
        self._entries.append(entry)
        self.size_in_bytes += len(entry.text)
        while len(self) > self._limits.entries or (
            self.size_in_bytes > self._limits.bytes and len(self) > 1
        ):
            self._on_dropped(self._shift())

    def take(self, most: BufferLimits) -> List[Entry]:
        """The oldest entries, as many as fit. One that is larger than the limit comes alone."""
        taken: List[Entry] = []
        size = 0
        while self._entries and len(taken) < most.entries:
            size += len(self._entries[0].text)
            if taken and size > most.bytes:
                break
            taken.append(self._shift())
        return taken

    def _shift(self) -> Entry:
        entry = self._entries.popleft()
        self.size_in_bytes -= len(entry.text)
        return entry
