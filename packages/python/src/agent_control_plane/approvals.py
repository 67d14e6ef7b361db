"""Questions to people."""

from __future__ import annotations

import threading
import time
import uuid
from contextlib import ExitStack
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from .agent_thread import start_thread
from .approval_decision import ApprovalDecision
from .approval_question import ApprovalQuestion
from .backoff import Backoff
from .canonical_json import plain_json, sha256_of_json
from .cancellation import Cancellation
from .errors import ArgumentsChangedError, UnexpectedReplyError
from .poll_wait import PollWait
from .service_client import Reply, Request, post
from .service_link import ServiceLink

#: Seconds. The service waits as long as it is asked to; with no answer for so much longer the connection is dead.
PATIENCE = 15.0
#: Seconds. An answer that comes sooner was not waited for.
EARLY = 1.0


class Asked:
    """A question with its arguments as they were when it was asked: the program may change its own while it waits.

    Raises:
        TypeError, ValueError: the arguments are no JSON.
    """

    def __init__(self, question: ApprovalQuestion) -> None:
        self.question = question
        self.args = plain_json(question.args)
        self.sha256 = sha256_of_json(self.args)

    def body(self, approval_key: str, run_id: Optional[str]) -> Dict[str, Any]:
        asked = self.question
        given = {
            "approval_key": approval_key,
            "run_id": run_id,
            "title": asked.title,
            "description": asked.description,
            "risk": asked.risk,
            "allowed_decisions": None if asked.allowed_decisions is None else list(asked.allowed_decisions),
            "expires_in_seconds": asked.expires_in_seconds,
        }
        action = {"name": asked.action, "args": self.args}
        return {**{name: value for name, value in given.items() if value is not None}, "action": action}


class Approvals:
    """Asks people for the program, and waits for their decisions through outages of the service.

    Args:
        working: set when the runtime stops: open questions stay open then, for the next process.
        sending: set when no further request may be sent.
    """

    def __init__(self, link: ServiceLink, working: Cancellation, sending: Cancellation) -> None:
        self._link = link
        self._working = working
        self._sending = sending
        self._changed = threading.Condition()
        #: Open questions of an earlier process that nobody has asked again. None until the first registration.
        self._earlier: Optional[List[Mapping[str, Any]]] = None

    def follow(self, listed: Sequence[Mapping[str, Any]]) -> None:
        """Follows the reply to a registration. Later ones list the questions of this process."""
        with self._changed:
            if self._earlier is None:
                self._earlier = list(listed)
            self._changed.notify_all()

    def ask(
        self,
        question: ApprovalQuestion,
        ends: Sequence[Cancellation],
        run_id: Callable[[Cancellation], Optional[str]] = lambda cancellation: None,
    ) -> ApprovalDecision:
        """Asks, and waits for the decision in the calling thread.

        Args:
            ends: end the wait and, unless the runtime stops, take the question back.
            run_id: waits until the service has named the run; returns None for no run.

        Raises:
            TypeError, ValueError: the arguments are no JSON.
            ServiceError: the service refuses the question.
            ArgumentsChangedError: the program has changed the arguments while it waited.
            KeyRefusedError, Cancelled: nobody waits any more.
        """
        asked = Asked(question)
        over = Cancellation()
        with ExitStack() as stack:
            for each in ends:
                stack.enter_context(each.calling(over.cancel))
            try:
                return self._ask(asked, run_id(over), over)
            finally:
                self._link.close()

    def _ask(self, asked: Asked, run_id: Optional[str], over: Cancellation) -> ApprovalDecision:
        with over.calling(self._notify), self._changed:
            self._changed.wait_for(lambda: self._earlier is not None or over.cancelled)
        over.raise_if_cancelled()
        request = post("/agents/approvals", asked.body(self._key_of(asked, run_id), run_id))
        try:
            approval = self._link.retry_transient(request, over, _require_approval)
            decided = self._decided(approval, over)
        except BaseException:
            if over.cancelled and not self._working.cancelled:
                self._withdraw(request)
            raise
        seen = {approval["args_sha256"], decided["args_sha256"], sha256_of_json(asked.question.args)}
        if seen != {asked.sha256}:
            raise ArgumentsChangedError(asked.question.action)
        is_edited = decided["state"] == "edited"
        return ApprovalDecision(decided, decided["edited_args"] if is_edited else asked.args)

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _key_of(self, asked: Asked, run_id: Optional[str]) -> str:
        """An open question of an earlier process is asked again under its key."""
        key = asked.question.key
        wanted = (run_id, asked.question.action, asked.sha256)
        with self._changed:
            earlier = self._earlier or []
            same = next((it for it in earlier if key in (None, it["approval_key"]) and _asked(it) == wanted), None)
            self._earlier = [it for it in earlier if it is not same]
        return key or (str(same["approval_key"]) if same else str(uuid.uuid4()))

    def _decided(self, approval: Reply, over: Cancellation) -> Reply:
        early = Backoff(0.5, 5.0)
        wait = PollWait()
        while True:
            asked = time.monotonic()
            seconds = wait.begin()
            path = f"/agents/approvals/{approval['id']}?wait={seconds}"
            request = Request("GET", path, timeout=seconds + PATIENCE)
            reply = self._link.retry_transient(request, over, _require_approval, wait.failed)
            if reply["state"] != "pending":
                return reply
            # a service that is ending answers early: it is not to be hammered
            if time.monotonic() - asked < EARLY:
                self._link.pause(early.next(), over)
            else:
                early.reset()

    def _withdraw(self, question: Request) -> None:
        """Takes a question back that nobody waits for any more, also one whose reply had not come.

        The end of a run does so as well.
        """

        def withdraw() -> None:
            # the same key gets the same approval
            approval = self._link.retry_transient(question, self._sending, _require_approval)
            self._link.retry_transient(post(f"/agents/approvals/{approval['id']}/withdraw", {}), self._sending)

        start_thread("withdrawal", withdraw, on_error=lambda error: None, at_end=self._link.close)


def _require_approval(reply: Reply) -> None:
    if not isinstance(reply.get("state"), str):
        raise UnexpectedReplyError("The reply holds no approval")


def _asked(approval: Mapping[str, Any]) -> "tuple[Optional[str], str, str]":
    return approval["run_id"], approval["action"]["name"], approval["args_sha256"]
