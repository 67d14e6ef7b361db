"""The runs of an agent: those that it takes from the service, and its own."""

from __future__ import annotations

import json
import threading
import time
import uuid
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from .agent_run import AgentRun, current_run
from .approval_decision import ApprovalDecision
from .approval_question import ApprovalQuestion
from .approvals import Approvals
from .call_gate import CallGate
from .cancellation import Cancellation, Cancelled
from .errors import QuestionInterruptedError, RunInterruptedError, message_of
from .otlp_span import named
from .run_claims import RunClaims
from .run_reports import RunReports
from .runtime_event import EventListener, RuntimeEvent
from .runtime_state import RuntimeState, now_text
from .service_link import ServiceLink
from .unnamed_spans import UnnamedSpans

#: Does the work of a run, and returns its output: any JSON value, of at most 256 KiB.
OnRun = Callable[[AgentRun], Any]
#: Seconds for which a run whose time is over is still named: the service ends it by itself in that time.
OVERDUE = 60.0
#: Spans that wait for the ids of their runs, at most.
UNNAMED_SPANS = 10_000
#: Seconds; `threading.Timer` takes no more.
LONGEST_TIMER = threading.TIMEOUT_MAX


class AgentRuns:
    def __init__(
        self,
        link: ServiceLink,
        state: RuntimeState,
        on_event: EventListener,
        log: Callable[..., None],
        send_span: Callable[[Mapping[str, Any]], None],
        on_run: Optional[OnRun],
        concurrency: int,
        approvals: Approvals,
    ) -> None:
        self._link = link
        self._approvals = approvals
        self._state = state
        self._on_event = on_event
        self._log = log
        self._send_span = send_span
        self._on_run = on_run
        self._concurrency = concurrency
        self._changed = threading.Condition()
        self._under_way: List[AgentRun] = []
        self._overdue: Dict[str, float] = {}
        self._unnamed = UnnamedSpans(UNNAMED_SPANS, self._tell_of_dropped)
        self._is_closing = False
        gate = CallGate()
        self._gate = gate
        self.reports = RunReports(link, state, gate, on_event, self._follow)
        self.claims = RunClaims(link, gate, on_event, self._room, self._take, self.cancel)
        self._is_used = on_run is not None or bool(self.reports.unreported())

    def held(self) -> Optional[List[str]]:
        """Ids of the runs that this process has. None: it never had any, or can't say because an answer was lost."""
        if not self._is_used or self.claims.in_doubt:
            return None
        with self._changed:
            self._overdue = {key: until for key, until in self._overdue.items() if until > time.monotonic()}
            ids = [run.id for run in self._under_way if run.id] + list(self._overdue)
        return list(dict.fromkeys(ids + self.reports.unreported()))

    def own(self, work: OnRun, key: Optional[str], facts: Mapping[str, Any]) -> Any:
        """Does work of the agent's own as a run, in the calling thread. Raises what the work raises."""
        self._is_used = True
        about = {**facts, "deployment_id": self._deployment_id()}
        run = AgentRun(about, self._tell, self._log, self._take_span, self._ask, key or str(uuid.uuid4()))
        about = {name: value for name, value in facts.items() if value is not None}
        origin = {"run_key": run.key, "started_at": now_text(), **about}
        self.reports.tell({**origin, "status": "running"})
        return self._carry_out(run, work, origin)

    def cancel(self, run_ids: List[str]) -> None:
        """Has runs end early: they were cancelled, or their time is over."""
        with self._changed:
            for run_id in run_ids:
                self._overdue.pop(run_id, None)
            named = [run for run in self._under_way if run.id in run_ids]
        for run in named:
            run.interrupt("cancelled")

    def deployments_changed(self) -> None:
        """Follows a change of deployments: runs of those that were stopped end."""
        running = {key for key, it in self._state.assignments() if it.phase == "running"}
        with self._changed:
            stopped = [it for it in self._under_way if it.deployment_id and it.deployment_id not in running]
        for run in stopped:
            run.interrupt("stopped")
        self.claims.changed()

    def registering(self, register: Callable[[], None], cancellation: Cancellation) -> None:
        """Registers while no run can begin, so that the registration names all of them."""
        with self._gate.alone(cancellation):
            self.claims.settle(cancellation)
            register()

    def take_runs(self, cancellation: Cancellation) -> None:
        if self._on_run is not None:
            self.claims.run(cancellation)

    def end(self, grace: float, late: Cancellation) -> None:
        """Ends all work. Returns when it has ended, or the time is over; what goes on counts as failed then."""
        self._is_closing = True
        with self._changed:
            runs = list(self._under_way)
        for run in runs:
            run.interrupt("stopped")
        with late.calling(self._notify), self._changed:
            self._changed.wait_for(lambda: not self._under_way or late.cancelled, grace)
            runs = list(self._under_way)
        for run in runs:
            self._finish(run, {}, _end_by(RunInterruptedError("stopped"), run))

    def wait_settled(self, late: Cancellation) -> None:
        """Gives back what came too late, and returns when everything is reported."""
        try:
            self.claims.settle(late)
        finally:
            self._link.close()
        self.reports.wait_flushed(late)

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _deployment_id(self) -> Optional[str]:
        """The newest deployment whose state is in effect, with a replica at least."""
        working = [
            key
            for key, it in self._state.assignments()
            if it.phase == "running" and it.replicas > 0 and it.observed_generation > 0
        ]
        return working[-1] if working else None

    def _room(self) -> Tuple[Optional[str], int, bool]:
        with self._changed:
            claimed = sum(1 for run in self._under_way if run.key is None)
            has_runs = any(run.id for run in self._under_way)
        return self._deployment_id(), max(0, self._concurrency - claimed), has_runs

    def _take(self, given: List[Dict[str, Any]]) -> bool:
        """Begins runs. False: one of them could not begin, and is given back."""
        return all([self._take_one(facts) for facts in given])

    def _take_one(self, facts: Dict[str, Any]) -> bool:
        """An attempt that is under way goes on; an older one, which the service has given up, is ended first."""
        run = AgentRun(facts, self._tell, self._log, self._take_span, self._ask)
        if self._is_closing:
            self.reports.end({**run.names, "status": "queued"})
            return True
        with self._changed:
            present = next((it for it in self._under_way if it.id == run.id), None)
            if present is None:
                self._overdue.pop(str(run.id), None)
                self._under_way.append(run)
            elif present.attempt < run.attempt:
                present.when_done = lambda: self._take_one(facts)
        if present is None:
            return self._begin(run)
        if present.attempt < run.attempt:
            present.interrupt("cancelled")
        return True

    def _begin(self, run: AgentRun) -> bool:
        """False: the system has no further thread, so the run is given back."""
        try:
            threading.Thread(target=self._do, args=(run,), name=f"agent-run-{run.id}", daemon=True).start()
            return True
        except (RuntimeError, MemoryError) as error:
            with self._changed:
                self._under_way.remove(run)
                self._changed.notify_all()
            self.reports.end({**run.names, "status": "queued"})
            message = f"The run {run.id} is given back: {message_of(error)}"
            self._on_event(RuntimeEvent("warning", "not_begun", message))
            return False

    def _do(self, run: AgentRun) -> None:
        assert self._on_run is not None
        try:
            self._carry_out(run, self._on_run, {})
        except BaseException:
            # it is reported, and of no concern here
            pass

    def _carry_out(self, run: AgentRun, work: OnRun, origin: Mapping[str, Any]) -> Any:
        with self._changed:
            if run not in self._under_way:
                self._under_way.append(run)
        timer = None
        token = current_run.set(run)
        try:
            if run.timeout_seconds is not None:
                timer = threading.Timer(min(LONGEST_TIMER, run.timeout_seconds), run.interrupt, ("timed_out",))
                timer.daemon = True
                timer.start()
            if self._is_closing:
                run.interrupt("stopped")
            output = work(run)
            # copied, because the work may change it later
            kept = json.loads(json.dumps(output, allow_nan=False))
            self._finish(run, origin, {"status": "succeeded", **({} if kept is None else {"output": kept})})
            return output
        except BaseException as error:
            self._finish(run, origin, _end_by(error, run))
            raise
        finally:
            current_run.reset(token)
            if timer is not None:
                timer.cancel()
            with self._changed:
                self._under_way.remove(run)
                self._changed.notify_all()
                run.when_done()
            self.claims.changed()

    def _finish(self, run: AgentRun, origin: Mapping[str, Any], end: Optional[Dict[str, Any]]) -> None:
        with self._changed:
            if run.is_over:
                return
            run.is_over = True
            if end is None:
                self._overdue[str(run.id)] = time.monotonic() + OVERDUE
                return
        self.reports.end({**run.names, **origin, **end, "ended_at": now_text()})

    def _tell(self, run: AgentRun, change: Mapping[str, Any]) -> None:
        if not run.is_over:
            self.reports.tell({**run.names, **change, "status": run.status})

    def _follow(self, reply: Mapping[str, Any]) -> None:
        """Follows the service's reply to a report."""
        run_id, key, attempt = reply.get("run_id"), reply.get("run_key"), reply.get("attempt") or 0
        with self._changed:
            found = [
                it for it in self._under_way if (it.id and it.id == run_id) or (it.key and it.key == key)
            ]
            for run in found:
                run.id = run_id
            self._changed.notify_all()
        for run in found:
            # the service has given up an older attempt
            if reply.get("cancel_requested") is True or attempt > run.attempt:
                run.interrupt("cancelled")
        if run_id and key:
            with self._changed:
                spans = self._unnamed.take(key)
            for span in spans:
                self._send_span(named(span, run_id))

    def _ask(self, run: AgentRun, question: ApprovalQuestion, cancellation: Cancellation) -> ApprovalDecision:
        try:
            ends = (run.interrupted, cancellation)
            return self._approvals.ask(question, ends, lambda over: self._name_of(run, over))
        except Cancelled:
            run.check()
            raise QuestionInterruptedError() from None

    def _name_of(self, run: AgentRun, cancellation: Cancellation) -> Optional[str]:
        """The id of the run, when the service has named it."""
        with cancellation.calling(self._notify), self._changed:
            self._changed.wait_for(lambda: run.id is not None or cancellation.cancelled)
        return run.id

    def _take_span(self, run: AgentRun, span: Dict[str, Any]) -> None:
        with self._changed:
            if run.id is None:
                self._unnamed.add(str(run.key), span)
                return
        self._send_span(named(span, run.id))

    def _tell_of_dropped(self, count: int) -> None:
        message = f"{count} spans dropped: more waited for the ids of their runs than can be kept"
        self._log(message, "warning", metadata={"source": "runtime", "dropped": count})


def _end_by(error: BaseException, run: AgentRun) -> Optional[Dict[str, Any]]:
    """The end to report. None: the time of the run is over, so the service ends it by itself."""
    if run.interruption == "timed_out":
        return None
    status = "cancelled" if run.interruption == "cancelled" else "failed"
    return {"status": status, "error": message_of(error) or "It failed without a message"}
