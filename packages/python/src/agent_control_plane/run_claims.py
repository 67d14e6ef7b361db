"""Claims of runs."""

from __future__ import annotations

import threading
import time
import uuid
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Optional

from .backoff import Backoff
from .call_gate import CallGate
from .cancellation import Cancellation, Cancelled
from .errors import ServiceError
from .poll_wait import PollWait
from .run_reports import require_runs
from .runtime_event import EventListener, RuntimeEvent
from .service_client import Reply, post
from .service_link import ServiceLink

#: Seconds. With no answer for so much longer than it was to wait, the connection is dead.
PATIENCE = 15.0
#: Seconds. An empty answer that comes sooner was not waited for.
EARLY = 1.0
#: Seconds before a service that knows no runs is asked again: it may be newer by then.
UNKNOWN_PAUSE = 60.0
FOR_EVER = 3_600.0


@dataclass(frozen=True)
class Claim:
    limit: int
    deployment_id: Optional[str]
    #: Sent with each attempt: the service then gives the same runs, also if its first answer was lost.
    key: str


class RunClaims:
    """Asks for as many runs as there is room for, and hears which are to be ended early.

    Args:
        room: returns the deployment that does the work, None for none; the free slots; and whether runs are under way.
        take: is given the runs, and returns whether all of them could begin.
        cancel: is given the ids of those to end early.
    """

    def __init__(
        self,
        link: ServiceLink,
        gate: CallGate,
        on_event: EventListener,
        room: Callable[[], "tuple[Optional[str], int, bool]"],
        take: Callable[[List[Dict[str, Any]]], bool],
        cancel: Callable[[List[str]], None],
    ) -> None:
        self._link = link
        self._gate = gate
        self._on_event = on_event
        self._room = room
        self._take = take
        self._cancel = cancel
        self._wait = PollWait()
        self._early = Backoff(0.5, 5.0)
        self._refusals = Backoff(1.0, 60.0)
        self._woken = threading.Event()
        self._interruption = Cancellation()
        #: A claim without an answer: runs may have been given to it.
        self._unsettled: Optional[Claim] = None
        self._is_lost = False
        self._is_idle = True
        self._is_unknown = False
        gate.hurry = self._interrupt

    @property
    def in_doubt(self) -> bool:
        """Whether this process may have runs that it does not know of, because an answer was lost."""
        return self._unsettled is not None and self._is_lost

    def changed(self) -> None:
        """Follows a change of the room or of the deployments."""
        if not self._is_unknown:
            self._woken.set()
        claim = self._compose()
        if self._is_idle and claim and claim.limit > 0:
            self._interrupt()

    def run(self, cancellation: Cancellation) -> None:
        """Asks until it is told to end.

        Raises:
            KeyRefusedError, Cancelled: it was told to end.
        """
        while True:
            cancellation.raise_if_cancelled()
            if self._link.refusal:
                raise self._link.refusal
            self._woken.clear()
            pause = FOR_EVER
            if self._unsettled or self._compose():
                with self._gate.beside():
                    pause = self._ask(cancellation)
            if pause > 0:
                with cancellation.calling(self._woken.set):
                    self._woken.wait(pause)

    def settle(self, cancellation: Cancellation) -> None:
        """Learns what became of a claim that was interrupted.

        Raises:
            KeyRefusedError, Cancelled: it was told to end.
        """
        if self._unsettled:
            self._claim(self._unsettled, 0, cancellation)

    def _interrupt(self) -> None:
        self._interruption.cancel()

    def _compose(self) -> Optional[Claim]:
        deployment_id, free, has_runs = self._room()
        limit = free if deployment_id is not None else 0
        if limit == 0 and not has_runs:
            return None
        return Claim(limit, deployment_id if limit > 0 else None, str(uuid.uuid4()))

    def _ask(self, cancellation: Cancellation) -> float:
        """Returns the seconds to pause afterwards."""
        self._interruption = Cancellation()
        # in this order, so that no change is missed between
        self._is_idle = True
        claim = self._unsettled or self._compose()
        if claim is None or self._gate.is_wanted:
            return 0.0
        self._is_idle = claim.limit == 0
        if not self._is_idle:
            self._unsettled = claim
        with cancellation.calling(self._interruption.cancel):
            try:
                return self._claim(claim, self._wait.begin(), self._interruption)
            except Cancelled:
                cancellation.raise_if_cancelled()
                self._is_lost = claim.limit > 0
                return 0.0

    def _claim(self, claim: Claim, wait: int, cancellation: Cancellation) -> float:
        asked = time.monotonic()
        body: Dict[str, Any] = {"limit": claim.limit, "wait": wait}
        if claim.deployment_id is not None:
            body["deployment_id"] = claim.deployment_id
        request = replace(
            post("/agents/runs/claim", body), headers={"Idempotency-Key": claim.key}, timeout=wait + PATIENCE
        )
        try:
            reply = self._repeat(claim, request, cancellation)
        except ServiceError as error:
            self._unsettled, self._is_lost = None, False
            return self._after_refusal(error)
        self._unsettled, self._is_lost = None, False
        self._is_unknown = False
        self._refusals.reset()
        to_cancel = reply.get("cancel_runs") or []
        self._cancel(to_cancel)
        have_begun = self._take(reply["runs"])
        is_early = not reply["runs"] and not to_cancel and time.monotonic() - asked < EARLY
        # a service that is ending answers early, and so does one that does not wait: neither is to be hammered. A run that
        # could not begin would be given again at once
        if is_early or not have_begun:
            return self._early.next()
        self._early.reset()
        return 0.0

    def _repeat(self, claim: Claim, request: Any, cancellation: Cancellation) -> Reply:
        def on_failure(error: Exception) -> None:
            self._is_lost = claim.limit > 0
            self._wait.failed(error)

        return self._link.retry_transient(request, cancellation, require_runs, on_failure)

    def _after_refusal(self, error: ServiceError) -> float:
        """The deployment may have ended meanwhile, or the service knows no runs."""
        was_unknown = self._is_unknown
        self._is_unknown = error.status == 405 or (error.status == 404 and error.code != "not_found")
        if not self._is_unknown:
            return self._refusals.next()
        if not was_unknown:
            message = f"The service gives no runs, it is an older one: {error.detail}"
            self._on_event(RuntimeEvent("warning", "runs_unknown", message))
        return UNKNOWN_PAUSE
