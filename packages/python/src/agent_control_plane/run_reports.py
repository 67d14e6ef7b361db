"""What there is to say of runs, on its way to the service."""

from __future__ import annotations

import json
import re
import threading
import uuid
from dataclasses import replace
from typing import Any, Callable, Dict, List, Mapping

from .call_gate import CallGate
from .cancellation import Cancellation
from .errors import ServiceError, StateDirectoryError, UnexpectedReplyError, message_of
from .runtime_event import EventListener, RuntimeEvent
from .runtime_state import RuntimeState
from .service_client import Reply, post
from .service_link import ServiceLink

#: The service takes 500 entries, and a body of a MiB.
MOST_ENTRIES = 500
MOST_BYTES = 512 * 1024
#: Seconds in which reports are collected for one request.
GATHERING = 0.05
ENDS = ("succeeded", "failed", "cancelled")
REFUSAL = "The service refuses the report of its end"

Report = Dict[str, Any]


def name_of(report: Mapping[str, Any]) -> str:
    """The name of an attempt here: by the run's id, or the agent's own word."""
    run_id = report.get("run_id")
    return f"{run_id}.{report.get('attempt')}" if run_id else f"key:{report.get('run_key')}"


class RunReports:
    """Sends reports in batches, each until the service has answered it.

    What an attempt has said last is all that waits of it; its end is on the disk before it is sent.
    """

    def __init__(
        self,
        link: ServiceLink,
        state: RuntimeState,
        gate: CallGate,
        on_event: EventListener,
        on_reply: Callable[[Mapping[str, Any]], None],
    ) -> None:
        self._link = link
        self._state = state
        self._gate = gate
        self._on_event = on_event
        self._on_reply = on_reply
        self._changed = threading.Condition()
        self._waiting: Dict[str, Report] = dict(state.run_ends())
        self._is_sending = False

    def tell(self, report: Report) -> None:
        """Says how a run goes, in place of what it has said before and what was not sent yet."""
        with self._changed:
            name = name_of(report)
            self._waiting[name] = {**self._waiting.get(name, {}), **report}
            self._changed.notify_all()

    def end(self, report: Report) -> None:
        """Says how a run has ended, or gives it back. Returns when that is on the disk, as far as the disk allows."""
        dropped = self._state.keep_run_end(name_of(report), report)
        if dropped:
            self._warn(f"The end of a run is given up, because too many wait: {dropped}")
        self._save()
        self.tell(report)

    def unreported(self) -> List[str]:
        """Ids of the runs whose end the service does not know yet."""
        return [it["run_id"] for it in self._state.run_ends().values() if it.get("run_id")]

    def wait_flushed(self, cancellation: Cancellation) -> None:
        """Returns when nothing waits, or the cancellation is set."""
        with cancellation.calling(self._notify), self._changed:
            self._changed.wait_for(
                lambda: cancellation.cancelled or not (self._is_sending or self._waiting)
            )

    def run(self, cancellation: Cancellation) -> None:
        """Sends until it is told to end.

        Raises:
            KeyRefusedError, Cancelled: it was told to end.
        """
        with cancellation.calling(self._notify):
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._waiting or cancellation.cancelled)
                cancellation.raise_if_cancelled()
                self._link.pause(GATHERING, cancellation)
                with self._gate.beside():
                    if self._link.refusal:
                        raise self._link.refusal
                    self._send(self._next_batch(), cancellation)
                with self._changed:
                    self._is_sending = False
                    self._changed.notify_all()

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _next_batch(self) -> List[Report]:
        batch: List[Report] = []
        size = 0
        with self._changed:
            for name, report in list(self._waiting.items()):
                size += len(json.dumps(report))
                if batch and (size > MOST_BYTES or len(batch) >= MOST_ENTRIES):
                    break
                batch.append(report)
                del self._waiting[name]
            self._is_sending = True
        return batch

    def _send(self, batch: List[Report], cancellation: Cancellation) -> None:
        try:
            self._send_all(batch, cancellation)
        except ServiceError as error:
            if error.status in (404, 405):
                # the service is older than runs, or the agent is gone
                self._warn(f"The service takes no reports of runs: {error.detail}")
                for report in batch:
                    self._state.drop_run_end(name_of(report), report)
            elif len(batch) > 1:
                for report in batch:
                    self._send([report], cancellation)
            else:
                self._give_up(batch[0], error.detail, cancellation)

    def _send_all(self, batch: List[Report], cancellation: Cancellation) -> None:
        # one text and one key for all attempts: the service takes the batch once
        request = replace(post("/agents/runs", {"runs": batch}), headers={"Idempotency-Key": str(uuid.uuid4())})
        reply = self._link.retry_transient(request, cancellation, require_runs)
        reasons = _reasons_of(reply)
        for index, report in enumerate(batch):
            if index not in reasons:
                self._state.drop_run_end(name_of(report), report)
        for each in reply["runs"]:
            self._on_reply(each)
        for index, reason in reasons.items():
            self._give_up(batch[index], reason, cancellation)
        self._save()

    def _give_up(self, report: Report, reason: str, cancellation: Cancellation) -> None:
        """An end without its output counts more than none: the run would be abandoned, and nobody would know why."""
        self._warn(f"The service refuses the report of a run ({name_of(report)}): {reason}")
        self._state.drop_run_end(name_of(report), report)
        if report["status"] not in ENDS or str(report.get("error", "")).startswith(REFUSAL):
            return
        end: Report = {name: report[name] for name in ("run_id", "run_key", "attempt") if name in report}
        end.update(status="failed", error=f"{REFUSAL}: {reason}")
        self._state.keep_run_end(name_of(end), end)
        self._send([end], cancellation)

    def _save(self) -> None:
        try:
            self._state.save()
        except StateDirectoryError as error:
            self._on_event(RuntimeEvent("warning", "not_kept", message_of(error)))

    def _warn(self, message: str) -> None:
        self._on_event(RuntimeEvent("warning", "report_refused", message))


def require_runs(reply: Reply) -> None:
    """A proxy's page may have the status 200 and be JSON."""
    if not isinstance(reply.get("runs"), list):
        raise UnexpectedReplyError("The reply holds no runs")


def _reasons_of(reply: Reply) -> Dict[int, str]:
    """The broken rules of a batch, by the index of the report."""
    reasons: Dict[int, str] = {}
    for rule in reply.get("refused") or []:
        found = re.match(r"runs\.(\d+)", str(rule.get("field") or ""))
        if found:
            reasons[int(found.group(1))] = str(rule.get("message"))
    return reasons
