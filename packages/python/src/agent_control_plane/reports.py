"""The reports of deployments in a heartbeat."""

from __future__ import annotations

import threading
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

from .desired_state import Assignment
from .machine import host_name
from .runtime_state import RuntimeState

#: The service takes no more in one heartbeat.
MOST_REPORTS = 1_000
#: Characters: a thousand reports have to fit into one request.
LONGEST_REASON = 500
UNKNOWN_HERE = (
    "Nothing is known of it here: it ran under another runtime, or a command that the service has lost stopped it; "
    "restart it to run it here"
)


class Condition(NamedTuple):
    """The condition of a deployment, as reported by its agent."""

    ready_replicas: int
    error_message: Optional[str]
    #: Restarts since the last deploy or restart. Five within ten minutes are a crash loop.
    restart_count: Optional[int] = None
    #: The last end of a replica: `code`, `signal`, `message`, and `at`, an ISO 8601 time, which is required.
    last_exit: Optional[Mapping[str, Any]] = None


class Reports:
    """Reports of deployments for the heartbeats. They contain only what the agent noted."""

    def __init__(self, state: RuntimeState) -> None:
        self._state = state
        self._node_id = host_name()
        self._lock = threading.RLock()
        self._conditions: Dict[str, Condition] = {}
        self._orphans: Dict[str, int] = {}

    def note(self, deployment_id: str, condition: Condition) -> bool:
        """Returns whether the condition has changed."""
        with self._lock:
            before = self._conditions.get(deployment_id)
            self._conditions[deployment_id] = condition
            return before != condition

    def forget(self, deployment_id: str) -> None:
        with self._lock:
            self._conditions.pop(deployment_id, None)

    def note_end(self) -> None:
        """Reports no ready replica, because the agent is about to end."""
        with self._lock:
            for key, condition in self._conditions.items():
                self._conditions[key] = condition._replace(ready_replicas=0)

    def compare(self, known: Sequence[Mapping[str, Any]]) -> None:
        """Finds deployments that run here by the service's view, and that are unknown here."""
        orphans: Dict[str, int] = {}
        for deployment in known:
            key, status = str(deployment.get("id")), str(deployment.get("status"))
            generation = int(deployment.get("generation") or 0)
            if status in ("running", "ready") and not self._state.assignment(key):
                orphans[key] = generation
        with self._lock:
            self._orphans = orphans

    def all(self) -> List[Dict[str, Any]]:
        assigned = dict(self._state.assignments())
        with self._lock:
            # ended deployments are removed, or a process that lives for years would keep all of them
            self._conditions = {key: it for key, it in self._conditions.items() if key in assigned}
            conditions, orphans = dict(self._conditions), dict(self._orphans)
        reports = []
        for key, assignment in assigned.items():
            report = self._of(key, assignment, conditions.get(key))
            if report:
                reports.append(report)
        for key, generation in orphans.items():
            if not self._state.assignment(key):
                reports.append(_failed(key, generation, UNKNOWN_HERE))
        return reports[-MOST_REPORTS:]

    def _of(
        self, key: str, assignment: Assignment, condition: Optional[Condition]
    ) -> Optional[Dict[str, Any]]:
        if assignment.phase == "failed":
            failed = _failed(key, assignment.generation, assignment.error)
            return {**failed, "node_id": self._node_id, **_restarts(condition)}
        if assignment.phase == "completed":
            completed = {"deployment_id": key, "status": "completed", "observed_generation": assignment.generation}
            return {**completed, "node_id": self._node_id, **_restarts(condition)}
        # before it was carried out there is nothing to say, and without a word of the agent's neither
        if assignment.phase != "running" or assignment.observed_generation == 0 or not condition:
            return None
        report: Dict[str, Any] = {
            "deployment_id": key,
            "node_id": self._node_id,
            "status": "ready" if condition.ready_replicas >= assignment.replicas else "running",
            "ready_replicas": min(condition.ready_replicas, assignment.replicas),
            "observed_generation": assignment.observed_generation,
            **_restarts(condition),
        }
        if condition.error_message is not None:
            report["error_message"] = condition.error_message[:LONGEST_REASON]
        return report


def _restarts(condition: Optional[Condition]) -> Dict[str, Any]:
    told: Dict[str, Any] = {}
    if condition and condition.restart_count is not None:
        told["restart_count"] = condition.restart_count
    if condition and condition.last_exit is not None:
        told["last_exit"] = dict(condition.last_exit)
    return told


def _failed(key: str, generation: int, reason: Optional[str]) -> Dict[str, Any]:
    return {
        "deployment_id": key,
        "status": "failed",
        "observed_generation": generation,
        "error_message": (reason or "")[:LONGEST_REASON],
    }
