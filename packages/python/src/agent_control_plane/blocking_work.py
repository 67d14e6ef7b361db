"""Work that blocks, for a program with an event loop."""

from __future__ import annotations

import asyncio
import threading
from typing import Callable, TypeVar

from .cancellation import Cancellation

T = TypeVar("T")


def require_no_loop(instead: str) -> None:
    """Raises RuntimeError in an event loop, which blocking work would hold up."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeError(f"It would hold up the event loop: await {instead}")


async def in_thread(work: Callable[[Cancellation], T]) -> T:
    """Waits for work in a thread of its own: the threads of the loop's executor are few, and this takes hours.

    The cancellation of the task is that of the work.
    """
    loop = asyncio.get_running_loop()
    done: "asyncio.Future[T]" = loop.create_future()
    cancellation = Cancellation()

    def settle(settling: Callable[[], None]) -> None:
        try:
            loop.call_soon_threadsafe(lambda: None if done.done() else settling())
        except RuntimeError:
            # the loop is closed: the program is at its end
            pass

    def do() -> None:
        try:
            result = work(cancellation)
        except BaseException as raised:
            error = raised
            settle(lambda: done.set_exception(error))
        else:
            settle(lambda: done.set_result(result))

    threading.Thread(target=do, name="agent-waiting", daemon=True).start()
    try:
        return await done
    except asyncio.CancelledError:
        cancellation.cancel()
        raise
