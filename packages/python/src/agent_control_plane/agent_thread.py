"""Threads of a runtime."""

from __future__ import annotations

import threading
from typing import Callable

from .cancellation import Cancelled


def start_thread(
    name: str,
    work: Callable[[], None],
    *,
    on_error: Callable[[BaseException], object],
    at_end: Callable[[], object],
) -> threading.Thread:
    """Starts work in a thread that does not keep the process alive.

    Args:
        on_error: is told of the error that ends the work. A cancellation is none.
        at_end: called in the thread, however the work ends.
    """

    def loop() -> None:
        try:
            work()
        except Cancelled:
            pass
        except BaseException as error:
            on_error(error)
        finally:
            at_end()

    thread = threading.Thread(target=loop, name=f"agent-{name}", daemon=True)
    thread.start()
    return thread
