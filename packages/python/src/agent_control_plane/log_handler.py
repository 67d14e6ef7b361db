"""Records of `logging`, as logs of the agent."""

from __future__ import annotations

import logging
from datetime import datetime, timezone
from typing import Any, Dict, Optional, Union

from .agent_runtime import AgentRuntime
from .agent_run import current_run
from .async_agent_runtime import AsyncAgentRuntime
from .deployment_context import current_deployment
from .runtime_event import LOGGER

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "deployment_id", "run_id"}


class AgentLogHandler(logging.Handler):
    """Sends records to the service, in batches. Never waits for the network.

    A record's deployment is its own (`extra={"deployment_id": ...}`), else the one that the running code works for, else
    the handler's. Its run is its own (`run_id`), else the one that the running code works for. What else is in `extra` becomes `metadata`, with the logger's name and the traceback.

    The records of this package itself are not sent: a refused batch would make another one.
    """

    def __init__(
        self,
        runtime: Union[AgentRuntime, AsyncAgentRuntime],
        level: int = logging.NOTSET,
        deployment_id: Optional[str] = None,
    ) -> None:
        super().__init__(level)
        self._runtime = runtime
        self._deployment_id = deployment_id

    def filter(self, record: logging.LogRecord) -> Any:
        is_own = record.name == LOGGER.name or record.name.startswith(f"{LOGGER.name}.")
        return False if is_own else super().filter(record)

    def emit(self, record: logging.LogRecord) -> None:
        run = current_run.get()
        try:
            self._runtime.log(
                record.getMessage(),
                _level_of(record.levelno),
                deployment_id=getattr(record, "deployment_id", None)
                or current_deployment.get()
                or (run.deployment_id if run else None)
                or self._deployment_id,
                run_id=getattr(record, "run_id", None) or (run.id if run else None),
                metadata={**(run.current_span if run else {}), **self._metadata_of(record)},
                timestamp=_time_of(record),
            )
        except Exception:
            self.handleError(record)

    def _metadata_of(self, record: logging.LogRecord) -> Dict[str, Any]:
        metadata: Dict[str, Any] = {"logger": record.name}
        metadata.update((key, value) for key, value in vars(record).items() if key not in _STANDARD)
        if record.exc_info:
            metadata["traceback"] = logging.Formatter().formatException(record.exc_info)
        return metadata


def _level_of(number: int) -> str:
    for least, name in ((50, "critical"), (40, "error"), (30, "warning"), (20, "info")):
        if number >= least:
            return name
    return "debug"


def _time_of(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
