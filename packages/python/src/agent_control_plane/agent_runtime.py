"""The runtime's side of the protocol, for a program with threads."""

from __future__ import annotations

import queue
import ssl
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional

from .acknowledgements import Acknowledgements
from .bounded_buffer import BufferLimits
from .agent_runs import AgentRuns, OnRun
from .agent_thread import start_thread
from .agent_voice import AgentVoice
from .approvals import Approvals
from .cancellation import Cancellation
from .command_execution import Apply, CommandExecution
from .command_polling import poll_commands
from .desired_state import DesiredState
from .heartbeats import Heartbeats
from .machine import machine
from .registering import Registering
from .repeated_registration import RepeatedRegistration
from .reports import Reports
from .runtime_event import EventListener, RuntimeEvent, guarded, log_event
from .runtime_options import require_address, require_callable, require_concurrency, require_key
from .runtime_state import RuntimeState, now_text
from .service_client import Key, ServiceClient
from .service_link import ServiceLink
from .telemetry import LOG_LIMITS, Telemetry
from .winding_down import CutShort, WindingDown

#: Seconds of an outage after which the agent registers again: it may have been declared lost.
LONG_AWAY = 60.0
#: Seconds to wait for threads that are still connecting when the work is over.
JOINING = 2.0


class AgentRuntime(AgentVoice):
    """Registers, sends heartbeats, waits for commands and has each carried out once, and sends logs and metrics.

    The service may be away for as long as it likes. Every method may be called from any thread.

    Args:
        base_url: the service's address.
        key: the agent's key, or a function that returns the current one; it is called before each request, so a key that
            is rotated in a file is found.
        apply: brings a deployment into a state, whatever it was in before, and returns when that is done. What it
            returns is kept with the command, as JSON. An exception is the command's failure, and the deployment is then
            `failed`. It is called in a thread of its own, for one state of a deployment at a time. It must come to the
            same when it is called twice with the same state: that happens when the process dies in the middle, and when
            it starts anew (`cause` is then `resume`). None, where there is an `on_run`: runs are all that the agent does.
        on_run: does the work of a run, in a thread of its own, and returns the output. An exception is the run's failure.
            None: the agent takes no runs. A deployment with 0 replicas takes none.
        concurrency: how many runs the agent has at once, at most.
        run_grace: seconds that runs have to end after `stop`; they count as failed then.
        end: ends all work; called when the runtime ends for whatever reason.
        state_dir: the directory for what must outlive the process; made when it is missing. None: a restart of the
            process leaves its deployments failed. Two processes must not share one.
        log_buffer: how much log may wait while the service is away. Then the oldest lines go.
        refusal_patience: seconds for which the key must have been refused until that is final.
        on_event: is told what goes on. Default: the logger `agent_control_plane`.
        ssl_context: for an https address with a certificate authority of your own.

    Raises:
        TypeError, ValueError: an argument can't be used. The message never repeats a key.
        StateDirectoryError: nothing can be kept in `state_dir`.
    """

    def __init__(
        self,
        base_url: str,
        key: Key,
        apply: Optional[Apply] = None,
        *,
        on_run: Optional[OnRun] = None,
        concurrency: int = 1,
        run_grace: float = 5.0,
        end: Optional[Callable[[], object]] = None,
        state_dir: Optional[str] = None,
        version: Optional[str] = None,
        capabilities: Any = None,
        metadata: Optional[Mapping[str, Any]] = None,
        log_buffer: BufferLimits = LOG_LIMITS,
        refusal_patience: float = 5.0,
        on_event: EventListener = log_event,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        require_address(base_url)
        require_key(key)
        if on_run is not None:
            require_callable("on_run", on_run)
        if on_run is None or apply is not None:
            require_callable("apply", apply)
        require_concurrency(concurrency)
        require_callable("on_event", on_event)
        if end is not None:
            require_callable("end", end)
        self._on_event = guarded(on_event)
        #: Set when no new work may begin.
        self._working = Cancellation()
        #: Set when no further request may be sent.
        self._sending = Cancellation()
        #: Cause of the end of the work: None for `stop`. A simple queue, which a signal handler may use at any moment.
        self._endings: "queue.SimpleQueue[Optional[BaseException]]" = queue.SimpleQueue()
        self._registered = threading.Event()
        self._begun = threading.Lock()
        client = ServiceClient(base_url, key, "agent-control-plane-python/1", ssl_context)
        self._link = ServiceLink(client, refusal_patience, self._on_event)
        self._link.on_back = self._register_again_after
        self._state = RuntimeState(state_dir)
        self._reports = Reports(self._state)
        self._registration = RepeatedRegistration(
            self._register, lambda seconds: self._link.pause(seconds, self._working), self._start_registration
        )
        self._heartbeats = Heartbeats(self._link, self._heartbeat, self._registration.follow)
        self._telemetry = Telemetry(self._link, log_buffer, self._on_event)
        self._acknowledgements = Acknowledgements(self._link, self._state, self._on_event, self._sending)
        self._approvals = Approvals(self._link, self._working, self._sending)
        self._runs = AgentRuns(
            self._link,
            self._state,
            self._on_event,
            self.log,
            self._telemetry.span,
            on_run,
            concurrency,
            self._approvals,
        )
        self._heartbeats.on_cancel = self._runs.cancel
        self._execution = CommandExecution(
            apply or self._take_runs,
            self._state,
            self._acknowledgements,
            self._on_event,
            self._reports.forget,
            self._follow_deployments,
            self._register_in_between,
        )
        self._registering = Registering(
            self._link,
            self._state,
            state_dir,
            {
                "version": version,
                "capabilities": capabilities,
                "metadata": dict(metadata) if metadata is not None else None,
            },
            self._working,
            self._on_event,
        )
        self._registering.on_reply = self._heartbeats.follow
        self._heartbeats.on_advice = self._registering.advise
        self._registering.on_correction = self._execution.correct
        self._registering.on_listed = self._reports.compare
        self._registering.on_approvals = self._approvals.follow
        self._registering.runs = self._runs.held
        self._winding_down = WindingDown(
            end,
            self._execution,
            self._acknowledgements,
            self._telemetry,
            self._last_heartbeat,
            self._runs,
            run_grace,
        )

    @property
    def agent_id(self) -> Optional[str]:
        """The agent's id; None until the service has sent it."""
        return self._state.agent_id

    @property
    def running_deployments(self) -> List[str]:
        """Deployments that run now or, before `run`, ran in the earlier process."""
        return [key for key, it in self._state.assignments() if it.phase == "running"]

    def fail(self, deployment_id: str, reason: str) -> None:
        """Gives a deployment up: it is `failed`, with this reason, until a person restarts it.

        Raises:
            StateDirectoryError: that can't be kept.
        """
        if self._state.mark_failed(deployment_id, reason):
            self._follow_deployments()
            self._state.save()

    def complete(self, deployment_id: str, generation: int) -> None:
        """Reports that all replicas of a deployment have ended well, and that none is to start again.

        The deployment is then `stopped`, with the event `completed`.

        Args:
            generation: that of the state which is completed. If another one was asked for meanwhile, nothing is reported.

        Raises:
            StateDirectoryError: that can't be kept.
        """
        if self._state.mark_completed(deployment_id, generation):
            self._follow_deployments()
            self._state.save()

    def run(self) -> None:
        """Works until `stop` is called, once. Deployments that ran before are started again at once, also in an outage.

        Raises:
            KeyRefusedError: the key is refused for good.
            ForeignStateError, StateDirectoryError: see there.
            KeyboardInterrupt: after a clean stop.
        """
        if not self._begun.acquire(blocking=False):
            raise RuntimeError("run() can be called once; make another AgentRuntime")
        self._acknowledgements.resume()
        self._execution.resume()
        loops = [
            self._start("heartbeats", lambda: self._heartbeats.run(self._register_once, self._working)),
            self._start("commands", self._poll),
            self._start("logs", lambda: self._telemetry.logs.run(self._sending)),
            self._start("metrics", lambda: self._telemetry.metrics.run(self._sending)),
            self._start("spans", lambda: self._telemetry.spans.run(self._sending)),
            self._start("runs", lambda: self._when_registered(self._runs.take_runs, self._working)),
            self._start("run-reports", lambda: self._when_registered(self._runs.reports.run, self._sending)),
        ]
        cause: Optional[BaseException] = None
        interrupt: Optional[KeyboardInterrupt] = None
        try:
            cause = self._endings.get()
        except KeyboardInterrupt as error:
            interrupt = error
        self._working.cancel()
        self._registered.set()
        is_cut = isinstance(cause, CutShort)
        self._winding_down.run(self._endings, is_cut=is_cut, sends_last_heartbeat=cause is None)
        cause = None if is_cut else cause
        self._sending.cancel()
        for loop in loops:
            loop.join(JOINING)
        self._state.save_at_end(cause, self._on_event)
        for ending in (cause, interrupt):
            if ending is not None:
                raise ending

    def stop(self, flush_seconds: float = 5.0) -> None:
        """Asks `run` to end all work, send a last heartbeat and what is queued, and return. Does not wait.

        Safe in a signal handler.

        Args:
            flush_seconds: time limit for the last heartbeat and for sending what is queued. With 0 everything is cut
                short, also by a second call.
        """
        self._winding_down.flush_seconds = flush_seconds
        self._endings.put(None if flush_seconds > 0 else CutShort())

    def _start(self, name: str, work: Callable[[], None]) -> threading.Thread:
        return start_thread(name, work, on_error=self._endings.put, at_end=self._link.close)

    def _poll(self) -> None:
        self._registered.wait()
        poll_commands(self._link, self._execution.take, self._working)

    def _when_registered(self, work: Callable[[Cancellation], None], cancellation: Cancellation) -> None:
        self._registered.wait()
        work(cancellation)

    def _take_runs(self, desired: DesiredState) -> None:
        """Brings a deployment into its state where runs are all that the agent does."""
        if desired.phase == "running":
            self.report(desired.deployment_id, desired.replicas)

    def _follow_deployments(self) -> None:
        self._heartbeats.soon()
        self._runs.deployments_changed()

    def _heartbeat(self) -> Dict[str, Any]:
        runs = self._runs.held()
        return {
            **({} if runs is None else {"runs": runs}),
            "status": "running" if self.running_deployments else "idle",
            "timestamp": now_text(),
            **machine(),
            "deployments": self._reports.all(),
        }

    def _last_heartbeat(self, cancellation: Cancellation) -> None:
        self._reports.note_end()
        self._link.hurry()
        try:
            self._heartbeats.last({**self._heartbeat(), "status": "stopped"}, cancellation)
        finally:
            self._link.close()

    def _register_once(self) -> None:
        if self._registered.is_set():
            return
        self._register()
        self._registered.set()

    def _register_again_after(self, seconds: float) -> None:
        if seconds >= LONG_AWAY and self._registered.is_set() and not self._working.cancelled:
            self._registration.now()

    def _start_registration(self, register: Callable[[], None]) -> None:
        """Registers in parallel: heartbeats that waited for a refused registration would let the agent count as lost."""
        self._start("registration", register)

    def _register_in_between(self) -> None:
        """Registers in a thread that makes no other calls."""
        try:
            self._register()
        finally:
            self._link.close()

    def _register(self) -> None:
        self._runs.registering(self._registering.register, self._working)
