"""What a runtime says of its work."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from .agent_runs import AgentRuns, OnRun
from .approval_decision import ApprovalDecision
from .approval_question import ApprovalQuestion
from .approvals import Approvals
from .blocking_work import require_no_loop
from .cancellation import Cancellation, Cancelled
from .errors import QuestionInterruptedError
from .heartbeats import Heartbeats
from .reports import Condition, Reports
from .telemetry import Telemetry


class AgentVoice:
    """Logs, measurements, reports, runs and questions of an agent."""

    _telemetry: Telemetry
    _reports: Reports
    _heartbeats: Heartbeats
    _runs: AgentRuns
    _approvals: Approvals
    _working: Cancellation

    def log(
        self,
        message: str,
        level: str = "info",
        *,
        deployment_id: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        timestamp: Optional[str] = None,
        run_id: Optional[str] = None,
    ) -> None:
        """Adds a log line, which is sent soon, in a batch. Never waits for the network, never fails.

        Args:
            level: `debug`, `info`, `warning`, `error` or `critical`.
            deployment_id: one of the agent's own; None for its only active one.
            run_id: the run that it belongs to.
        """
        self._telemetry.log(message, level, deployment_id, metadata, timestamp, run_id)

    def metric(
        self,
        *,
        cpu_usage: Optional[float] = None,
        memory_usage: Optional[float] = None,
        uptime_seconds: Optional[float] = None,
        requests_processed: Optional[int] = None,
        errors_count: Optional[int] = None,
        custom: Optional[Mapping[str, Any]] = None,
        deployment_id: Optional[str] = None,
    ) -> None:
        """Adds a measurement, which is sent soon, in a batch. Never waits for the network, never fails."""
        self._telemetry.metric({key: value for key, value in locals().items() if key != "self"})

    def report(
        self,
        deployment_id: str,
        ready_replicas: int,
        error_message: Optional[str] = None,
        restart_count: Optional[int] = None,
        last_exit: Optional[Mapping[str, Any]] = None,
    ) -> None:
        """Reports the number of working replicas. Each heartbeat contains it from now on; a change is sent at once.

        Args:
            restart_count: restarts since the last deploy or restart. Five within ten minutes are a crash loop.
            last_exit: the last end of a replica: `code`, `signal`, `message`, and `at`, an ISO 8601 time (required).
        """
        condition = Condition(ready_replicas, error_message, restart_count, last_exit)
        if self._reports.note(deployment_id, condition):
            self._heartbeats.soon()

    def do_run(
        self,
        name: str,
        work: OnRun,
        *,
        key: Optional[str] = None,
        input: Any = None,
        labels: Optional[Mapping[str, str]] = None,
        conversation_id: Optional[str] = None,
    ) -> Any:
        """Does work of the agent's own as a run, in the calling thread, and returns what the work returns.

        Args:
            key: the agent's own word for it, which it never uses again. None: a random one.
        """
        facts = {"name": name, "input": input, "labels": labels, "conversation_id": conversation_id}
        return self._runs.own(work, key, facts)

    def approve(self, question: ApprovalQuestion) -> ApprovalDecision:
        """Asks people before an action that belongs to no run, and waits for their decision in the calling thread.

        A question that was open when the process ended is found again.

        Raises:
            ServiceError: the service refuses the question.
            ArgumentsChangedError: the arguments were changed while it waited.
            KeyRefusedError: the key is refused for good.
            QuestionInterruptedError: the runtime stops; the question stays open.
        """
        require_no_loop("AsyncAgentRuntime.approve")
        return self.approve_until(question, Cancellation())

    def approve_until(self, question: ApprovalQuestion, cancellation: Cancellation) -> ApprovalDecision:
        """As `approve`. The cancellation takes the question back."""
        try:
            return self._approvals.ask(question, (cancellation, self._working))
        except Cancelled:
            raise QuestionInterruptedError() from None
