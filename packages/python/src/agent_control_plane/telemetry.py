"""Logs, metrics and spans of an agent."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .bounded_buffer import BufferLimits, Entry
from .cancellation import Cancellation
from .finite import finite_of
from .otlp_span import trace_request
from .runtime_event import EventListener, RuntimeEvent
from .runtime_state import now_text
from .service_client import Reply, Request
from .service_link import ServiceLink
from .telemetry_outbox import TelemetryOutbox

LOG_LIMITS = BufferLimits(entries=50_000, bytes=16 * 1024 * 1024)
METRIC_LIMITS = BufferLimits(entries=10_000, bytes=4 * 1024 * 1024)
SPAN_LIMITS = BufferLimits(entries=10_000, bytes=8 * 1024 * 1024)
#: Characters. The service cuts a message at 64 KiB; more is not worth keeping.
LONGEST_MESSAGE = 64 * 1024


class Telemetry:
    def __init__(self, link: ServiceLink, log_limits: BufferLimits, on_event: EventListener) -> None:
        self._on_event = on_event
        self._has_told_of_numbers = False
        self.logs = TelemetryOutbox(link, "logs", log_limits, dropped_notices, self._give_up_logs)
        self.metrics = TelemetryOutbox(
            link, "metrics", METRIC_LIMITS, lambda last, counts: [], self._give_up_metrics
        )
        self.spans = TelemetryOutbox(
            link,
            "spans",
            SPAN_LIMITS,
            lambda last, counts: self._tell_of_dropped(sum(counts.values())),
            lambda spans, reason: self._tell_of_refusal("spans", len(spans), reason),
            # the service stores a span once, however often it comes
            lambda spans: Request("POST", "/otlp/v1/traces", trace_request([span.text for span in spans])),
            self._note_rejected,
        )

    def log(
        self,
        message: str,
        level: str,
        deployment_id: Optional[str],
        metadata: Optional[Mapping[str, Any]],
        timestamp: Optional[str],
        run_id: Optional[str] = None,
    ) -> None:
        fields: Dict[str, Any] = {
            "level": level,
            "message": str(message)[:LONGEST_MESSAGE],
            "timestamp": timestamp or now_text(),
        }
        if deployment_id:
            fields["deployment_id"] = deployment_id
        if run_id:
            fields["run_id"] = run_id
        if metadata:
            try:
                self.logs.push(_entry({**fields, "metadata": finite_of(dict(metadata))[0]}))
                return
            except (TypeError, ValueError, RecursionError):
                # what is no JSON is left out; the message is what matters
                pass
        self.logs.push(_entry(fields))

    def metric(self, fields: Mapping[str, Any]) -> None:
        try:
            given, left = finite_of({key: value for key, value in fields.items() if value is not None})
            if left:
                self._tell_of_numbers(left)
            if given or not left:
                self.metrics.push(_entry({"timestamp": now_text(), **given}))
        except (TypeError, ValueError, RecursionError) as error:
            self._tell_of_refusal("metrics", 1, str(error))

    def span(self, span: Mapping[str, Any]) -> None:
        self.spans.push(_entry({**span}, now_text()))

    def flush(self, cancellation: Cancellation) -> None:
        """Returns when everything has been sent, or the cancellation is set."""
        self.spans.flush(cancellation)
        self.metrics.flush(cancellation)
        # last, because a line may tell of spans that could not be sent
        self.logs.flush(cancellation)

    def _give_up_logs(self, logs: Sequence[Entry], reason: str) -> None:
        """A line in the log stands for those that the service refuses, but for no line of that kind."""
        self._tell_of_refusal("logs", len(logs), reason)
        lines = [entry for entry in logs if not entry.is_notice]
        if lines:
            what = "One log line is" if len(logs) == 1 else f"{len(logs)} log lines are"
            self.logs.push(_notice(lines[-1], f"{what} missing: the service does not take it ({reason})", len(logs)))

    def _give_up_metrics(self, metrics: Sequence[Entry], reason: str) -> None:
        self._tell_of_refusal("metrics", len(metrics), reason)

    def _note_rejected(self, reply: Reply) -> None:
        partial = reply.get("partialSuccess") or {}
        count = int(partial.get("rejectedSpans") or 0)
        if count:
            self._tell_of_refusal("spans", count, str(partial.get("errorMessage")))

    def _tell_of_dropped(self, count: int) -> List[Entry]:
        spans = "span" if count == 1 else "spans"
        message = f"{count} {spans} dropped: more waited than can be kept"
        self.log(message, "warning", None, {"source": "runtime", "dropped": count}, None)
        return []

    def _tell_of_refusal(self, name: str, count: int, reason: str) -> None:
        entries = "one entry" if count == 1 else f"{count} entries"
        message = f"{name}: {entries} given up, because they are refused: {reason}"
        self._on_event(RuntimeEvent("warning", "entry_refused", message))

    def _tell_of_numbers(self, names: Sequence[str]) -> None:
        """Reports such numbers once, because the measurement repeats."""
        if self._has_told_of_numbers:
            return
        self._has_told_of_numbers = True
        message = f"metrics: {', '.join(names)} left out, because JSON has no NaN and no infinity"
        self._on_event(RuntimeEvent("warning", "value_left_out", message))


def dropped_notices(last: Sequence[Entry], counts: Mapping[str, int]) -> List[Entry]:
    """Entries in the place of the lines that are missing, each with the time of the last of them."""
    notices = []
    for entry in last:
        count = counts[entry.owner]
        lines = "line" if count == 1 else "lines"
        notices.append(_notice(entry, f"{count} log {lines} dropped: more waited than can be kept", count))
    return notices


def _notice(last: Entry, message: str, count: int) -> Entry:
    fields = {
        "level": "warning",
        "message": message,
        "metadata": {"source": "runtime", "dropped": count},
        "timestamp": last.timestamp,
    }
    entry = _entry({**fields, "deployment_id": last.owner} if last.owner else fields)
    return entry._replace(is_notice=True)


def _entry(fields: Mapping[str, Any], timestamp: Optional[str] = None) -> Entry:
    text = json.dumps(fields, ensure_ascii=False, allow_nan=False, default=str)
    owner = str(fields.get("deployment_id") or "")
    # half of a surrogate pair is no UTF-8
    return Entry(text.encode("utf-8", "replace"), owner, timestamp or str(fields["timestamp"]))
