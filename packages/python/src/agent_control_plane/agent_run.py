"""One piece of work, in the hands of the function that does it."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from typing import Any, Callable, Dict, Mapping, Optional

from .errors import RunInterruptedError

#: The run that the running code works for. `AgentLogHandler` names it with each line.
current_run: "ContextVar[Optional[AgentRun]]" = ContextVar("current_run", default=None)


class AgentRun:
    """Every method may be called from any thread; none waits for the network."""

    def __init__(
        self,
        facts: Mapping[str, Any],
        tell: Callable[["AgentRun", Mapping[str, Any]], None],
        log: Callable[..., None],
        key: Optional[str] = None,
    ) -> None:
        self._tell = tell
        self._log = log
        #: The run's id; None only until the service has answered that it knows a run of the agent's own.
        self.id: Optional[str] = facts.get("run_id")
        #: The agent's own word for it; None for a run that the service has given.
        self.key = key
        self.input: Any = facts.get("input")
        self.name: Optional[str] = facts.get("name")
        self.labels: Dict[str, str] = dict(facts.get("labels") or {})
        self.conversation_id: Optional[str] = facts.get("conversation_id")
        #: Counts the attempts, from 1.
        self.attempt: int = facts.get("attempt") or 1
        #: How long this attempt may take; None: any time.
        self.timeout_seconds: Optional[int] = facts.get("timeout_seconds")
        self.deployment_id: Optional[str] = facts.get("deployment_id")
        self.config_version: Optional[int] = facts.get("config_version")
        #: W3C trace context for the spans of the run.
        self.traceparent: Optional[str] = facts.get("traceparent")
        #: Set when the work is to end early. A function that returns all the same has succeeded.
        self.stopping = threading.Event()
        #: Why: `cancelled`, `timed_out`, or its deployment or the runtime has `stopped`.
        self.interruption: Optional[str] = None
        #: Called when the work is to end early.
        self.on_interrupted: Callable[[], object] = lambda: None
        #: Called when the work has ended, for the newer attempt that waits for that.
        self.when_done: Callable[[], None] = lambda: None
        self.status = "running"
        self.is_over = False
        self._lock = threading.Lock()

    def progress(self, percent: Optional[float] = None, message: Optional[str] = None) -> None:
        """Says how far the work is."""
        given = {"percent": percent, "message": message}
        self._tell(self, {"progress": {name: value for name, value in given.items() if value is not None}})

    def wait(self, reason: str) -> None:
        """Says that the work waits for somebody, such as for an approval."""
        self.status = "waiting"
        self._tell(self, {"waiting_reason": reason})

    def resume(self) -> None:
        """Says that the work goes on."""
        self.status = "running"
        self._tell(self, {})

    def log(self, message: str, level: str = "info", metadata: Optional[Mapping[str, Any]] = None) -> None:
        """Adds a log line that names the run."""
        own = {} if self.id or not self.key else {"run_key": self.key}
        self._log(
            message, level, deployment_id=self.deployment_id, metadata={**(metadata or {}), **own}, run_id=self.id
        )

    def check(self) -> None:
        """Raises RunInterruptedError when the work is to end early."""
        if self.interruption is not None:
            raise RunInterruptedError(self.interruption)

    def interrupt(self, why: str) -> None:
        """Has the work end early. The first reason counts."""
        with self._lock:
            if self.interruption is not None:
                return
            self.interruption = why
        self.stopping.set()
        self.on_interrupted()

    @property
    def names(self) -> Dict[str, Any]:
        """How reports name it."""
        return {"run_key": self.key} if self.key is not None else {"run_id": self.id, "attempt": self.attempt}
