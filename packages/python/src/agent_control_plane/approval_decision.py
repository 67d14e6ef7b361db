"""What people decided about an action."""

from __future__ import annotations

import copy
from typing import Any, Mapping, Optional

from .canonical_json import sha256_of_json
from .errors import ArgumentsChangedError, NotApprovedError


class ApprovalDecision:
    """The end of a question, with the arguments that may be run."""

    def __init__(self, approval: Mapping[str, Any], approved: Any) -> None:
        self.approval_id: str = approval["approval_id"]
        #: `approved`, `edited` (approved with other arguments), `rejected`, `responded` (answered in words), `expired`
        #: (nobody decided in time), or `withdrawn`.
        self.state: str = approval["state"]
        #: `user:<id>` or `key:<id>`; None: nobody has decided.
        self.decided_by: Optional[str] = approval.get("decided_by")
        self.reason: Optional[str] = approval.get("reason")
        #: The answer in words.
        self.response: Optional[str] = approval.get("response")
        self._action: str = approval["action"]["name"]
        self._approved = approved

    @property
    def is_approved(self) -> bool:
        """Whether the action may be run, with `args`."""
        return self.state in ("approved", "edited")

    @property
    def args(self) -> Any:
        """The arguments that may be run: those that were asked or, if a person has edited them, the edited ones.

        Raises:
            NotApprovedError: the action may not be run.
        """
        self._require_approval()
        # a copy each time: what the program does with one is no matter of the next
        return copy.deepcopy(self._approved)

    def check(self, args: Any) -> None:
        """Compares what is about to be run with what was approved.

        Raises:
            NotApprovedError: the action may not be run.
            ArgumentsChangedError: people have approved other arguments.
        """
        self._require_approval()
        if sha256_of_json(args) != sha256_of_json(self._approved):
            raise ArgumentsChangedError(self._action)

    def _require_approval(self) -> None:
        if self.is_approved:
            return
        what = f"{self._action} is {self.state}" + (f" by {self.decided_by}" if self.decided_by else "")
        why = "nobody has decided in time" if self.state == "expired" else self.response or self.reason
        raise NotApprovedError(self.state, f"{what}: {why}" if why else what)
