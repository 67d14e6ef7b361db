"""The deployment that the running code works for."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Optional

#: Set in the threads of `ReplicaThreads`; set it in yours, and `AgentLogHandler` sends each line to the right deployment.
current_deployment: "ContextVar[Optional[str]]" = ContextVar("current_deployment", default=None)
