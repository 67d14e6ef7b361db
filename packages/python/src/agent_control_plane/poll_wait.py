"""How long a poll may wait."""

from __future__ import annotations

import time

from .errors import ServiceError
from .service_link import is_connection_failure

#: Seconds; half of what HAProxy and load balancers allow a silent connection in their defaults.
FIRST = 25
LEAST = 10
#: Seconds. What fails sooner was not waited for: nobody is there.
EARLY = 1.0


class PollWait:
    """Less and less where a proxy ends polls that wait."""

    def __init__(self) -> None:
        self.seconds = FIRST
        self._began = 0.0

    def begin(self) -> int:
        """Returns the seconds of a poll that begins now."""
        self._began = time.monotonic()
        return self.seconds

    def failed(self, error: Exception) -> None:
        if time.monotonic() - self._began >= EARLY and _is_end_of_proxy(error):
            self.seconds = max(LEAST, self.seconds // 2)


def _is_end_of_proxy(error: Exception) -> bool:
    if isinstance(error, ServiceError):
        return error.status in (502, 504)
    return is_connection_failure(error)
