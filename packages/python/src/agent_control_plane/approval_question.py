"""The question that an agent asks people before it acts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence


@dataclass(frozen=True)
class ApprovalQuestion:
    #: One line for people, of up to 200 characters.
    title: str
    #: The name of the action.
    action: str
    #: Any JSON of up to 32 KiB, which is shown as it is.
    args: Any = None
    description: Optional[str] = None
    #: `low`, `medium` or `high`. None: `medium`.
    risk: Optional[str] = None
    #: Of `approve`, `edit`, `reject` and `respond`. None: `approve` and `reject`. With `edit` the `args` of the decision may be
    #: others than those that were asked.
    allowed_decisions: Optional[Sequence[str]] = None
    #: How long people have to decide. None: a day.
    expires_in_seconds: Optional[int] = None
    #: The agent's own word for the question, such as the id of a tool call: the same one gets the same decision, whenever it is
    #: asked. None: a new one for each question, and after a restart that of the open question of the same run, action and arguments.
    key: Optional[str] = None
