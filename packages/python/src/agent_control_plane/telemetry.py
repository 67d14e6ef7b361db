"""Logs and metrics of an agent."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .bounded_buffer import BufferLimits, Entry
from .cancellation import Cancellation
from .runtime_event import EventListener, RuntimeEvent
from .runtime_state import now_text
from .service_link import ServiceLink
from .telemetry_outbox import Refused, TelemetryOutbox

LOG_LIMITS = BufferLimits(entries=50_000, bytes=16 * 1024 * 1024)
METRIC_LIMITS = BufferLimits(entries=10_000, bytes=4 * 1024 * 1024)
#: Characters. The service cuts a message at 64 KiB; more is not worth keeping.
LONGEST_MESSAGE = 64 * 1024


class Telemetry:
    def __init__(self, link: ServiceLink, log_limits: BufferLimits, on_event: EventListener) -> None:
        self._on_event = on_event
        self.logs = TelemetryOutbox(link, "logs", log_limits, dropped_notices, self._refused("logs"))
        self.metrics = TelemetryOutbox(
            link, "metrics", METRIC_LIMITS, lambda last, counts: [], self._refused("metrics")
        )

    def log(
        self,
        message: str,
        level: str,
        deployment_id: Optional[str],
        metadata: Optional[Mapping[str, Any]],
        timestamp: Optional[str],
    ) -> None:
        fields: Dict[str, Any] = {
            "level": level,
            "message": str(message)[:LONGEST_MESSAGE],
            "timestamp": timestamp or now_text(),
        }
        if deployment_id:
            fields["deployment_id"] = deployment_id
        if metadata:
            try:
                self.logs.push(_entry({**fields, "metadata": dict(metadata)}))
                return
            except (TypeError, ValueError, RecursionError):
                # what is no JSON is left out; the message is what matters
                pass
        self.logs.push(_entry(fields))

    def metric(self, fields: Mapping[str, Any]) -> None:
        given = {key: value for key, value in fields.items() if value is not None}
        try:
            self.metrics.push(_entry({"timestamp": now_text(), **given}))
        except (TypeError, ValueError, RecursionError) as error:
            self._refused("metrics")(1, str(error))

    def flush(self, cancellation: Cancellation) -> None:
        """Returns when nothing is left to be sent, or the cancellation is set."""
        self.logs.flush(cancellation)
        self.metrics.flush(cancellation)

    def _refused(self, name: str) -> Refused:
        def tell(count: int, reason: str) -> None:
            entries = "one entry" if count == 1 else f"{count} entries"
            message = f"{name}: {entries} given up, because they are refused: {reason}"
            self._on_event(RuntimeEvent("warning", "entry_refused", message))

        return tell


def dropped_notices(last: Sequence[Entry], counts: Mapping[str, int]) -> List[Entry]:
    """Entries in the place of the lines that are missing, each with the time of the last of them."""
    notices = []
    for entry in last:
        count = counts[entry.owner]
        fields = {
            "level": "warning",
            "message": f"{count} log {'line' if count == 1 else 'lines'} dropped: more waited than can be kept",
            "metadata": {"source": "runtime", "dropped": count},
            "timestamp": entry.timestamp,
        }
        notices.append(_entry({**fields, "deployment_id": entry.owner} if entry.owner else fields))
    return notices


def _entry(fields: Mapping[str, Any]) -> Entry:
    text = json.dumps(fields, ensure_ascii=False, allow_nan=False, default=str)
    # half of a surrogate pair is no UTF-8
    return Entry(
        text.encode("utf-8", "replace"), str(fields.get("deployment_id") or ""), str(fields["timestamp"])
    )
