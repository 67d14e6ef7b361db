"""The runtime's side of the protocol: turns a Python program into an agent."""

from .agent_run import AgentRun
from .agent_runtime import AgentRuntime
from .approval_decision import ApprovalDecision
from .approval_question import ApprovalQuestion
from .async_agent_runtime import AsyncAgentRuntime
from .bounded_buffer import BufferLimits
from .desired_state import DesiredState
from .enrolment import enrolled_key
from .errors import (
    AgentRuntimeError,
    ArgumentsChangedError,
    ForeignStateError,
    KeyRefusedError,
    NotApprovedError,
    QuestionInterruptedError,
    RunInterruptedError,
    ServiceError,
    StateDirectoryError,
    UnreachableError,
)
from .function_agent import answer_runs, run_function
from .log_handler import AgentLogHandler
from .replica_threads import Replica, ReplicaThreads
from .run_spans import LlmUsage
from .runtime_event import EventListener, RuntimeEvent

__all__ = [
    "AgentLogHandler",
    "AgentRun",
    "AgentRuntime",
    "AgentRuntimeError",
    "ApprovalDecision",
    "ApprovalQuestion",
    "ArgumentsChangedError",
    "AsyncAgentRuntime",
    "BufferLimits",
    "DesiredState",
    "EventListener",
    "ForeignStateError",
    "KeyRefusedError",
    "LlmUsage",
    "NotApprovedError",
    "QuestionInterruptedError",
    "Replica",
    "ReplicaThreads",
    "RunInterruptedError",
    "RuntimeEvent",
    "ServiceError",
    "StateDirectoryError",
    "UnreachableError",
    "answer_runs",
    "enrolled_key",
    "run_function",
]
