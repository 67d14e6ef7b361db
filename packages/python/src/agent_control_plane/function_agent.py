"""A function, turned into an agent."""

from __future__ import annotations

import logging
import os
import signal
import threading
from typing import Any, Callable, Optional, Tuple

from .agent_run import AgentRun
from .agent_runtime import AgentRuntime
from .log_handler import AgentLogHandler
from .replica_threads import Replica, ReplicaThreads
from .service_client import Key


def run_function(
    function: Callable[[Replica], object],
    *,
    every_seconds: float = 0.0,
    base_url: Optional[str] = None,
    key: Optional[Key] = None,
    state_dir: Optional[str] = None,
    **options: Any,
) -> None:
    """Runs the function as an agent, until SIGTERM or SIGINT: once for each replica, each in a thread, again and again.

    What the program logs with `logging`, from `INFO` on, becomes the agent's logs.

    Args:
        function: see `ReplicaThreads`.
        every_seconds: the pause after each call.
        base_url: default: the environment's `SERVICE_API_URL`, or http://127.0.0.1:8000.
        key: default: the environment's `SERVICE_AGENT_KEY`.
        state_dir, options: as for `AgentRuntime`.

    Raises:
        KeyRefusedError: the key is refused for good.
        ValueError: no key is named.
    """
    replicas = ReplicaThreads(function, every_seconds)
    runtime = AgentRuntime(
        *_service(base_url, key), replicas.apply, end=replicas.end, state_dir=state_dir, **options
    )
    replicas.attach(runtime)
    _run_until_told(runtime)


def answer_runs(
    function: Callable[[AgentRun], object],
    *,
    concurrency: int = 1,
    base_url: Optional[str] = None,
    key: Optional[Key] = None,
    state_dir: Optional[str] = None,
    **options: Any,
) -> None:
    """Takes runs as an agent, until SIGTERM or SIGINT, and has the function do the work of each.

    What the program logs with `logging`, from `INFO` on, becomes the log of the run.

    Args:
        function: gets the run, and returns its output.
        concurrency: how many runs the agent has at once, at most.
        base_url, key, state_dir, options: as for `run_function`.

    Raises:
        KeyRefusedError: the key is refused for good.
        ValueError: no key is named.
    """
    service = _service(base_url, key)
    _run_until_told(
        AgentRuntime(*service, on_run=function, concurrency=concurrency, state_dir=state_dir, **options)
    )


def _service(base_url: Optional[str], key: Optional[Key]) -> Tuple[str, Key]:
    agent_key = key or os.environ.get("SERVICE_AGENT_KEY")
    if not agent_key:
        raise ValueError("No key: set SERVICE_AGENT_KEY to the agent's key")
    return base_url or os.environ.get("SERVICE_API_URL") or "http://127.0.0.1:8000", agent_key


def _run_until_told(runtime: AgentRuntime) -> None:
    handler = AgentLogHandler(runtime, logging.INFO)
    logging.getLogger().addHandler(handler)
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: runtime.stop())
    try:
        runtime.run()
    finally:
        logging.getLogger().removeHandler(handler)
