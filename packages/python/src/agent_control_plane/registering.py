"""The call that says that the process has started, and what follows from its reply."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Sequence

from .cancellation import Cancellation
from .correction import Correction, corrections_of
from .errors import ForeignStateError, UnexpectedReplyError
from .machine import machine
from .own_software import OWN_SOFTWARE
from .runtime_event import EventListener, RuntimeEvent
from .runtime_state import RuntimeState
from .service_client import Reply, post
from .service_link import ServiceLink


class Registering:
    """Registers the agent, as often as it is asked to, and hands on what the reply says."""

    #: Is told of each reply.
    on_reply: Callable[[Reply], object]
    #: Is told how a deployment differs from what the service lists.
    on_correction: Callable[[str, Correction], object]
    #: Is told what the service lists as running.
    on_listed: Callable[[Sequence[Any]], object]
    #: Is told what the agent has asked, and does not have the answer to.
    on_approvals: Callable[[Sequence[Any]], object]
    #: Returns the ids of the runs that this process has; None for nothing to say.
    runs: Callable[[], Optional[Sequence[str]]]

    def __init__(
        self,
        link: ServiceLink,
        state: RuntimeState,
        state_dir: Optional[str],
        description: Mapping[str, Any],
        working: Cancellation,
        on_event: EventListener,
    ) -> None:
        self._link = link
        self._state = state
        self._state_dir = state_dir
        self._description = {key: value for key, value in description.items() if value is not None}
        self._working = working
        self._on_event = on_event
        #: The advice that people have been given already.
        self._upgrade: Optional[str] = None

    def register(self) -> None:
        """Calls until the service has answered.

        Raises:
            ForeignStateError: the state belongs to another agent.
            Cancelled: the work is over.
        """
        body = {**machine(), **self._description, "runtime": OWN_SOFTWARE}
        runs = self.runs()
        if runs is not None:
            body["runs"] = runs
        told = {key: assignment.generation for key, assignment in self._state.assignments()}
        reply = self._link.retry_forever(
            lambda: post("/agents/register", body), self._working, _require_agent_id
        )
        self._claim(reply["agent_id"])
        self.on_reply(reply)
        listed = reply.get("deployments")
        if listed is not None:
            for deployment_id, correction in corrections_of(self._state, listed, told):
                self.on_correction(deployment_id, correction)
            self.on_listed(listed)
        self.on_approvals(reply.get("approvals") or [])
        interval = reply.get("heartbeat_interval_seconds")
        message = f"Registered as agent {reply['agent_id']}; a heartbeat every {interval} s"
        self._on_event(RuntimeEvent("info", "registered", message))
        self.advise(reply.get("upgrade"))

    def advise(self, upgrade: Optional[str]) -> None:
        """Reports advice once: each reply to a registration or a heartbeat repeats it."""
        if upgrade is not None and upgrade != self._upgrade:
            self._on_event(RuntimeEvent("warning", "upgrade", upgrade))
        self._upgrade = upgrade

    def _claim(self, agent_id: str) -> None:
        owner = self._state.agent_id
        if owner == agent_id:
            return
        if owner is not None:
            raise ForeignStateError(self._state_dir or "memory", owner, agent_id)
        self._state.agent_id = agent_id
        self._state.save()


def _require_agent_id(reply: Reply) -> None:
    if not isinstance(reply.get("agent_id"), str):
        raise UnexpectedReplyError("The reply to the registration holds no agent_id")
