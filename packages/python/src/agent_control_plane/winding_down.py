"""The end of a runtime."""

from __future__ import annotations

import queue
import threading
import time
from typing import Callable, Optional

from .agent_runs import AgentRuns
from .acknowledgements import Acknowledgements
from .cancellation import Cancellation, Cancelled
from .command_execution import CommandExecution
from .errors import AgentRuntimeError
from .runtime_event import LOGGER
from .telemetry import Telemetry

_LOOK_EVERY = 0.5


class CutShort(Exception):
    """Raised when the end must not wait any longer."""


class WindingDown:
    """Ends all work; then, where asked for, sends a last heartbeat and what is queued."""

    def __init__(
        self,
        end: Optional[Callable[[], object]],
        execution: CommandExecution,
        acknowledgements: Acknowledgements,
        telemetry: Telemetry,
        last_heartbeat: Callable[[Cancellation], None],
        runs: AgentRuns,
        run_grace: float,
    ) -> None:
        self._end = end
        self._execution = execution
        self._acknowledgements = acknowledgements
        self._telemetry = telemetry
        self._last_heartbeat = last_heartbeat
        self._runs = runs
        self._run_grace = run_grace
        #: Time limit for the last heartbeat and for sending what is queued.
        self.flush_seconds = 5.0

    def run(
        self,
        endings: "queue.SimpleQueue[Optional[BaseException]]",
        is_cut: bool,
        sends_last_heartbeat: bool,
    ) -> None:
        """Returns when it is over. `CutShort` in the queue, or Ctrl-C, cuts it short."""
        # a signal handler may run in the thread that waits, so the work is done in others
        late = Cancellation()
        self._execution.close()
        work = _in_thread("agent-end", lambda: self._end_work(late))
        runs = _in_thread("agent-end-runs", lambda: self._runs.end(0.0 if is_cut else self._run_grace, late))
        is_cut = is_cut or self._wait(runs, endings, None) or self._wait(work, endings, None)
        if sends_last_heartbeat and not is_cut:
            sending = [
                _in_thread("agent-last-heartbeat", lambda: self._last_heartbeat(late)),
                _in_thread("agent-settle-runs", lambda: self._settle_runs(late)),
                _in_thread("agent-settle", lambda: self._acknowledgements.wait_settled(late)),
            ]
            deadline = time.monotonic() + self.flush_seconds
            for thread in sending:
                if self._wait(thread, endings, deadline):
                    break
        late.cancel()
        # what has ended must be on the disk before the process is over
        runs.join(_LOOK_EVERY)

    def _settle_runs(self, late: Cancellation) -> None:
        """Spans of runs wait for the ids of these, so what is queued is sent after them."""
        try:
            self._runs.wait_settled(late)
        finally:
            self._telemetry.flush(late)

    def _end_work(self, late: Cancellation) -> None:
        if self._end:
            self._end()
        self._execution.wait_settled(late)

    def _wait(
        self,
        thread: threading.Thread,
        endings: "queue.SimpleQueue[Optional[BaseException]]",
        deadline: Optional[float],
    ) -> bool:
        """Returns whether it was cut short."""
        while thread.is_alive():
            left = _LOOK_EVERY if deadline is None else min(_LOOK_EVERY, deadline - time.monotonic())
            if left <= 0:
                return True
            try:
                thread.join(left)
                if isinstance(endings.get_nowait(), CutShort):
                    return True
            except queue.Empty:
                continue
            except KeyboardInterrupt:
                return True
        return False


def _in_thread(name: str, work: Callable[[], None]) -> threading.Thread:
    def guarded() -> None:
        try:
            work()
        except (Cancelled, AgentRuntimeError):
            pass
        except Exception:
            LOGGER.exception("The end of the work failed")

    thread = threading.Thread(target=guarded, name=name, daemon=True)
    thread.start()
    return thread
