"""Events that a runtime reports to its program."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Callable, Optional

#: The logger of this package. `AgentLogHandler` never sends its records to the service.
LOGGER = logging.getLogger("agent_control_plane")
LOGGER.addHandler(logging.NullHandler())


@dataclass(frozen=True)
class RuntimeEvent:
    #: `info`, `warning` or `error`.
    level: str
    #: A short, stable name: `registered`, `command`, `service_lost`, ...
    event: str
    #: One sentence for people. Never holds a secret.
    message: str
    deployment_id: Optional[str] = None


EventListener = Callable[[RuntimeEvent], None]

_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def log_event(event: RuntimeEvent) -> None:
    """The default listener: writes the event to the logger `agent_control_plane`."""
    where = f" [deployment {event.deployment_id}]" if event.deployment_id else ""
    LOGGER.log(_LEVELS.get(event.level, logging.INFO), "%s%s", event.message, where)


def guarded(listener: EventListener) -> EventListener:
    """Calls the listener. One that raises must not end the loop that called it."""

    def tell(event: RuntimeEvent) -> None:
        try:
            listener(event)
        except Exception:
            LOGGER.exception("on_event raised for %s", event.event)

    return tell
