"""The runtime's side of the protocol, for a program with an event loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from functools import partial
from typing import Any, Awaitable, Callable, List, Mapping, Optional

from .agent_run import AgentRun, current_run
from .agent_runtime import AgentRuntime
from .approval_decision import ApprovalDecision
from .approval_question import ApprovalQuestion
from .blocking_work import in_thread
from .desired_state import DesiredState
from .runtime_event import EventListener, RuntimeEvent, log_event
from .service_client import Key


class AsyncAgentRuntime:
    """`AgentRuntime` for asyncio: `apply` and `end` are coroutine functions, and run in the loop that `run` runs in.

    So does `on_run`, a coroutine function, too: its task is cancelled when the run is to end early. The protocol itself is spoken in threads, so a loop that is busy for a while does not make the agent count as lost.
    The arguments are those of `AgentRuntime`; `on_event` is called in the loop.
    """

    def __init__(
        self,
        base_url: str,
        key: Key,
        apply: Optional[Callable[[DesiredState], Awaitable[Any]]] = None,
        *,
        on_run: Optional[Callable[[AgentRun], Awaitable[Any]]] = None,
        end: Optional[Callable[[], Awaitable[object]]] = None,
        on_event: EventListener = log_event,
        **options: Any,
    ) -> None:
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._on_event = on_event
        self._runtime = AgentRuntime(
            base_url,
            key,
            (lambda desired: self._wait_for(apply(desired))) if apply else None,
            on_run=(lambda run: self._work_on(run, on_run)) if on_run else None,
            end=(lambda: self._wait_for(end())) if end else None,
            on_event=self._tell,
            **options,
        )

    @property
    def agent_id(self) -> Optional[str]:
        return self._runtime.agent_id

    @property
    def running_deployments(self) -> List[str]:
        return self._runtime.running_deployments

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
        """As `AgentRuntime.log`."""
        self._runtime.log(
            message,
            level,
            deployment_id=deployment_id,
            metadata=metadata,
            timestamp=timestamp,
            run_id=run_id,
        )

    def metric(self, **fields: Any) -> None:
        """As `AgentRuntime.metric`."""
        self._runtime.metric(**fields)

    def report(
        self,
        deployment_id: str,
        ready_replicas: int,
        error_message: Optional[str] = None,
        restart_count: Optional[int] = None,
        last_exit: Optional[Mapping[str, Any]] = None,
    ) -> None:
        """As `AgentRuntime.report`."""
        self._runtime.report(deployment_id, ready_replicas, error_message, restart_count, last_exit)

    async def fail(self, deployment_id: str, reason: str) -> None:
        """As `AgentRuntime.fail`."""
        await asyncio.get_running_loop().run_in_executor(None, self._runtime.fail, deployment_id, reason)

    async def complete(self, deployment_id: str, generation: int) -> None:
        """As `AgentRuntime.complete`."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self._runtime.complete, deployment_id, generation)

    async def do_run(self, name: str, work: Callable[[AgentRun], Awaitable[Any]], **about: Any) -> Any:
        """As `AgentRuntime.do_run`. The task of the work is cancelled when the run is to end early."""
        self._loop = asyncio.get_running_loop()
        do = partial(self._runtime.do_run, name, lambda run: self._work_on(run, work), **about)
        return await self._loop.run_in_executor(None, do)

    async def approve(self, question: ApprovalQuestion) -> ApprovalDecision:
        """As `AgentRuntime.approve`. A task that is cancelled takes its question back."""
        return await in_thread(lambda cancellation: self._runtime.approve_until(question, cancellation))

    def stop(self, flush_seconds: float = 5.0) -> None:
        """As `AgentRuntime.stop`."""
        self._runtime.stop(flush_seconds)

    async def run(self) -> None:
        """Works until `stop` is called, or the task is cancelled: it is a clean stop then, too.

        Raises:
            KeyRefusedError, ForeignStateError, StateDirectoryError: as `AgentRuntime.run`.
        """
        self._loop = asyncio.get_running_loop()
        over: "asyncio.Future[None]" = self._loop.create_future()
        threading.Thread(target=self._work, args=(self._loop, over), name="agent-runtime", daemon=True).start()
        try:
            await asyncio.shield(over)
        except asyncio.CancelledError:
            if over.done():
                raise
            self.stop()
            await over
            raise

    def _work(self, loop: asyncio.AbstractEventLoop, over: "asyncio.Future[None]") -> None:
        error: Optional[BaseException] = None
        try:
            self._runtime.run()
        except BaseException as raised:
            error = raised
        loop.call_soon_threadsafe(_settle, over, error)

    def _wait_for(self, work: Awaitable[Any]) -> Any:
        """Runs it in the loop, and waits in the thread that calls."""

        async def awaited() -> Any:
            return await work

        assert self._loop is not None, "apply is called within run only"
        return asyncio.run_coroutine_threadsafe(awaited(), self._loop).result()

    def _work_on(self, run: AgentRun, work: Callable[[AgentRun], Awaitable[Any]]) -> Any:
        """Does the work of a run in the loop, and waits in the thread that calls."""

        async def worked() -> Any:
            current_run.set(run)
            return await work(run)

        assert self._loop is not None, "on_run is called within run only"
        future = asyncio.run_coroutine_threadsafe(worked(), self._loop)
        run.on_interrupted = future.cancel
        if run.interruption is not None:
            future.cancel()
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            run.check()
            raise

    def _tell(self, event: RuntimeEvent) -> None:
        if self._loop is None:
            self._on_event(event)
            return
        try:
            self._loop.call_soon_threadsafe(self._on_event, event)
        except RuntimeError:
            # the loop is closed: the program is at its end
            pass


def _settle(over: "asyncio.Future[None]", error: Optional[BaseException]) -> None:
    if over.done():
        return
    if error is None:
        over.set_result(None)
    else:
        over.set_exception(error)
