"""Results on their way to the service."""

from __future__ import annotations

import threading
import zlib
from dataclasses import replace
from functools import partial
from typing import Set

from .cancellation import Cancellation, Cancelled
from .errors import KeyRefusedError, ServiceError, StateDirectoryError, UnexpectedReplyError
from .runtime_event import EventListener, RuntimeEvent
from .runtime_state import Outcome, RuntimeState
from .service_client import Reply, post
from .service_link import ServiceLink
from .telemetry_outbox import REFUSED_FOR_CONTENT
from .turns import Turns

#: Acknowledgements under way at a time.
LANES = 4


class Acknowledgements:
    """Sends the results of commands to the service. A result is stored until the service has accepted it."""

    def __init__(
        self, link: ServiceLink, state: RuntimeState, on_event: EventListener, sending: Cancellation
    ) -> None:
        self._link = link
        self._state = state
        self._on_event = on_event
        self._sending = sending
        self._turns = Turns("agent-acknowledge")
        self._lock = threading.Lock()
        self._under_way: Set[str] = set()

    def resume(self) -> None:
        """Sends the results that an earlier process could not send."""
        for command_id, outcome in self._state.unacknowledged():
            self.send(command_id, outcome)

    def send(self, command_id: str, outcome: Outcome) -> None:
        """Never waits. A command's acknowledgement is under way once at a time."""
        with self._lock:
            if command_id in self._under_way:
                return
            self._under_way.add(command_id)
        lane = str(zlib.crc32(command_id.encode()) % LANES)
        self._turns.add(lane, lambda: self._send_until_taken(command_id, outcome))

    def wait_settled(self, cancellation: Cancellation) -> None:
        self._turns.wait_settled(cancellation)

    def _send_until_taken(self, command_id: str, outcome: Outcome) -> None:
        try:
            try:
                self._tell(command_id, outcome)
            except ServiceError as error:
                if outcome.result is None or error.status not in REFUSED_FOR_CONTENT:
                    raise
                # what came of the command counts more than its result: without it the command would count as failed
                self._warn(f"does not take the result of command {command_id}, and is told without it", error)
                self._tell(command_id, replace(outcome, result=None))
        except (Cancelled, KeyRefusedError):
            # the result is sent again after the next start
            return
        except ServiceError as error:
            self._warn(f"does not take the outcome of command {command_id}", error)
        finally:
            with self._lock:
                self._under_way.discard(command_id)
            self._link.close()
        self._state.mark_acknowledged(command_id)
        try:
            self._state.save()
        except StateDirectoryError:
            # the next process sends it once more, which changes nothing
            pass

    def _tell(self, command_id: str, outcome: Outcome) -> None:
        request = post("/agents/commands/acknowledge", {"command_id": command_id, **outcome.to_json()})
        self._link.retry_transient(request, self._sending, partial(_require_command, command_id))

    def _warn(self, what: str, error: ServiceError) -> None:
        message = f"The service {what}: {error.detail}"
        self._on_event(RuntimeEvent("warning", "acknowledgement_refused", message))


def _require_command(command_id: str, reply: Reply) -> None:
    """A proxy's page may have the status 200 and be JSON."""
    if reply.get("command_id") != command_id:
        raise UnexpectedReplyError("The reply does not name the command")
