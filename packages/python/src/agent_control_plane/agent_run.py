"""One piece of work, in the hands of the function that does it."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from typing import Any, Callable, Dict, Mapping, Optional

from .approval_decision import ApprovalDecision
from .approval_question import ApprovalQuestion
from .blocking_work import in_thread, require_no_loop
from .cancellation import Cancellation
from .errors import RunInterruptedError
from .run_spans import LlmUsage, RunSpans, llm_attributes

#: The run that the running code works for. `AgentLogHandler` names it with each line.
current_run: "ContextVar[Optional[AgentRun]]" = ContextVar("current_run", default=None)


class AgentRun:
    """Every method may be called from any thread; none but `approve` waits for the network."""

    def __init__(
        self,
        facts: Mapping[str, Any],
        tell: Callable[["AgentRun", Mapping[str, Any]], None],
        log: Callable[..., None],
        on_span: Callable[["AgentRun", Dict[str, Any]], None],
        ask: Callable[["AgentRun", ApprovalQuestion, Cancellation], ApprovalDecision],
        key: Optional[str] = None,
    ) -> None:
        self._tell = tell
        self._log = log
        self._ask = ask
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
        self._spans = RunSpans(
            self.traceparent,
            {"gen_ai.conversation.id": self.conversation_id},
            lambda span: on_span(self, span),
        )
        #: Set when the work is to end early. A function that returns all the same has succeeded.
        self.stopping = threading.Event()
        #: Set with it; ends requests that are under way.
        self.interrupted = Cancellation()
        #: Why: `cancelled`, `timed_out`, or its deployment or the runtime has `stopped`.
        self.interruption: Optional[str] = None
        #: Called when the work is to end early.
        self.on_interrupted: Callable[[], object] = lambda: None
        #: Called when the work has ended, for the newer attempt that waits for that.
        self.when_done: Callable[[], object] = lambda: None
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

    def approve(self, question: ApprovalQuestion) -> ApprovalDecision:
        """Asks people before an action, and waits for their decision, through outages and restarts of the service.

        The run counts as waiting meanwhile. Unlike the other methods it waits: with asyncio, await `approve_async`.

        Raises:
            ServiceError: the service refuses the question.
            ArgumentsChangedError: the arguments were changed while it waited.
            RunInterruptedError: the run is to end early; nobody is asked any more then.
        """
        require_no_loop("approve_async")
        return self._ask(self, question, Cancellation())

    async def approve_async(self, question: ApprovalQuestion) -> ApprovalDecision:
        """As `approve`. A task that is cancelled takes its question back."""
        return await in_thread(lambda cancellation: self._ask(self, question, cancellation))

    def log(self, message: str, level: str = "info", metadata: Optional[Mapping[str, Any]] = None) -> None:
        """Adds a log line that names the run and, within a span of it, the span."""
        own = {} if self.id or not self.key else {"run_key": self.key}
        about = {**self.current_span, **(metadata or {}), **own}
        self._log(message, level, deployment_id=self.deployment_id, metadata=about, run_id=self.id)

    def span(self, name: str, kind: str, work: Callable[[], Any]) -> Any:
        """Calls the function in a span of the run's trace, and returns what it returns.

        Spans that begin within the call are its children. A coroutine function makes this a coroutine, to be awaited. An
        exception comes through, and the span has failed then.

        Args:
            kind: `agent`, `llm`, `tool`, `retrieval`, `embedding` or `other`.

        Raises:
            ValueError: there is no such kind.
        """
        return self._spans.within(name, kind, {}, work)

    def tool(self, name: str, args: Any, work: Callable[[Any], Any]) -> Any:
        """Calls a tool, which is the function, with these arguments, in a span of its own. As `span` otherwise.

        Arguments and result are sent, because the service recognises loops by them; by default it keeps no more than a
        digest.
        """
        return self._spans.tool(name, args, work)

    def llm(
        self,
        *,
        model: str,
        provider: Optional[str] = None,
        usage: Optional[LlmUsage] = None,
        cost_usd: Optional[float] = None,
        input: Any = None,
        output: Any = None,
    ) -> None:
        """Says that a model was called, and what that used.

        Within a span of the kind `llm` or `embedding` it is that span's call; else it is a span of its own.

        Args:
            provider: as OpenTelemetry names it: `openai`, `anthropic`, `aws.bedrock`.
            cost_usd: what it cost, if that is known. None: the service takes the price of the model.
            input: the messages to the model. The service keeps them only if `capture` of the agent is `all`.
            output: its answer, likewise.
        """
        self._spans.llm(llm_attributes(model, provider, usage, cost_usd, input, output))

    @property
    def current_span(self) -> Dict[str, str]:
        """`trace_id` and `span_id` of the span that the calling code runs in; empty outside of those of this run."""
        return self._spans.current or {}

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
        self.interrupted.cancel()
        self.on_interrupted()

    @property
    def names(self) -> Dict[str, Any]:
        """How reports name it."""
        return {"run_key": self.key} if self.key is not None else {"run_id": self.id, "attempt": self.attempt}
