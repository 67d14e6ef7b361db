"""Errors that callers may catch."""

from __future__ import annotations

import errno
from typing import Any, Mapping, Optional, Sequence


class AgentRuntimeError(Exception):
    """The base of all errors of this package."""


class KeyRefusedError(AgentRuntimeError):
    """The service refuses the agent's key for good: it was revoked, has expired, or its agent was deleted."""

    def __init__(self, detail: str) -> None:
        super().__init__(f"The agent's key is refused for good: {detail}")


class ForeignStateError(AgentRuntimeError):
    """The state directory belongs to another agent than the key."""

    def __init__(self, directory: str, owner: str, agent_id: str) -> None:
        super().__init__(
            f"{directory} holds the state of agent {owner}, but the key is that of agent {agent_id}: "
            "choose another state_dir"
        )


class StateDirectoryError(AgentRuntimeError):
    """Nothing can be kept in the state directory."""

    def __init__(self, directory: str, cause: OSError) -> None:
        is_full = cause.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "its disk is full, free some space" if is_full else "give this user write access to it"
        super().__init__(
            f"The state directory {directory} can't be written ({cause.strerror or cause}): "
            f"{remedy}, or choose another one"
        )


_INTERRUPTIONS = {
    "cancelled": "The run was cancelled",
    "timed_out": "The time of the run is over",
    "stopped": "The agent stopped before the run had ended",
}


class RunInterruptedError(AgentRuntimeError):
    """A run is to end early."""

    def __init__(self, interruption: str) -> None:
        super().__init__(_INTERRUPTIONS[interruption])
        self.interruption = interruption


class NotApprovedError(AgentRuntimeError):
    """An action was not approved, so there are no arguments to run it with."""

    def __init__(self, state: str, message: str) -> None:
        super().__init__(message)
        #: As that of an `ApprovalDecision`.
        self.state = state


class ArgumentsChangedError(AgentRuntimeError):
    """Arguments are others than those that people have seen and approved."""

    def __init__(self, action: str) -> None:
        super().__init__(f"The arguments of {action} are others than those that were approved: ask again with them")


class QuestionInterruptedError(AgentRuntimeError):
    """Nobody waits for the answer to a question any more: the agent stops, or the task was cancelled."""

    def __init__(self) -> None:
        super().__init__("The agent stopped before its question was decided")


class ServiceError(AgentRuntimeError):
    """The service, or a proxy before it, answered with something else than a success."""

    def __init__(
        self,
        status: int,
        detail: str,
        problems: Sequence[str],
        request_id: Optional[str],
        retry_after: float,
        code: Optional[str] = None,
        errors: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        #: One sentence for each rule that was broken; the detail alone for everything but a 422.
        self.problems = list(problems)
        #: Names the request in the service's log. A proxy's own answer has none.
        self.request_id = request_id
        #: Seconds to wait before the next attempt; 0 where the reply does not say.
        self.retry_after = retry_after
        #: The service's word for what went wrong, as ErrorCode of the OpenAPI document lists them. A proxy's own answer has none.
        self.code = code
        #: The rules that a refused request breaks, each with its `field`, `message` and `code`; empty but for a 422.
        self.errors = list(errors)


class UnreachableError(AgentRuntimeError):
    """No answer came: the address is wrong, the service is away, or the network is."""

    def __init__(self, base_url: str, reason: str, timed_out: bool = False) -> None:
        super().__init__(f"The service can't be reached at {base_url} ({reason})")
        #: The connection was made and no answer came in time.
        self.timed_out = timed_out


class MalformedKeyError(AgentRuntimeError):
    """The function that returns the key gave one that no header can hold, such as a file of two lines.

    The message does not contain it, unlike the standard library's.
    """

    def __init__(self) -> None:
        super().__init__(
            "The key has a space, a line break or another character that no key has: "
            "give it alone, such as the first line of its file"
        )


class UnexpectedReplyError(AgentRuntimeError):
    """A reply with status 200 that is none of the service's: a proxy's page, say."""


#: Characters; the service keeps no more of a message.
LONGEST_MESSAGE = 8192


def message_of(error: BaseException) -> str:
    """What people read of an error, never empty.

    The text of some says nothing by itself: that of `KeyError` is the key, that of `SystemExit` its code.
    """
    name = type(error).__name__
    try:
        text = "" if isinstance(error, SystemExit) and error.code is None else str(error)
    except Exception:
        # an error's own code can fail, too; it has happened all the same
        text = ""
    if text and isinstance(error, (KeyError, SystemExit)):
        text = f"{name}: {text}"
    return (text or name)[:LONGEST_MESSAGE]
