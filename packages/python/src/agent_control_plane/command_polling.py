"""Waiting for commands."""

from __future__ import annotations

import time
from typing import Callable, List

from .backoff import Backoff
from .cancellation import Cancellation
from .desired_state import Command
from .errors import UnexpectedReplyError
from .poll_wait import PollWait
from .service_client import Reply, Request
from .service_link import ServiceLink

#: Seconds. The service waits as long as it is asked to; with no answer for so much longer the connection is dead.
PATIENCE = 15.0
LIMIT = 50
#: Seconds. An empty answer that comes sooner was not waited for.
EARLY = 1.0


def poll_commands(link: ServiceLink, take: Callable[[Command], bool], cancellation: Cancellation) -> None:
    """Polls until it is told to end.

    Args:
        take: begins to carry a command out and returns whether it is new.

    Raises:
        KeyRefusedError, Cancelled: it was told to end.
    """
    wait = PollWait()

    def compose() -> Request:
        seconds = wait.begin()
        return Request("GET", f"/agents/commands?wait={seconds}&limit={LIMIT}", timeout=seconds + PATIENCE)

    early = Backoff(0.5, 5.0)
    while True:
        asked = time.monotonic()
        reply = link.retry_forever(compose, cancellation, _commands_of, on_failure=wait.failed)
        commands = _commands_of(reply)
        has_news = any([take(command) for command in commands])
        # a service that is ending answers early, and so does one that does not wait: neither is to be hammered
        if not has_news and time.monotonic() - asked < EARLY:
            link.pause(early.next(), cancellation)
        else:
            early.reset()


def _commands_of(reply: Reply) -> List[Command]:
    try:
        return [Command.from_json(it) for it in reply["commands"]]
    except (KeyError, TypeError, ValueError) as error:
        raise UnexpectedReplyError("The reply holds no commands") from error
