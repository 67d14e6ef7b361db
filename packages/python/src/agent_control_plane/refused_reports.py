"""Reports that the service has refused."""

from __future__ import annotations

import re
from typing import Any, List, Mapping, Optional, Set, Tuple

from .runtime_event import EventListener, RuntimeEvent

_PATH = re.compile(r"deployments\.(\d+)\.?")


class RefusedReports:
    """Warns of reports that the service has refused: once for each, until it is taken again."""

    def __init__(self, on_event: EventListener) -> None:
        self._on_event = on_event
        self._known: Set[Tuple[Optional[str], str]] = set()

    def follow(self, reports: List[Mapping[str, Any]], refused: Any) -> None:
        """Follows the reply to a heartbeat.

        Args:
            reports: those that the reply refers to by their index.
            refused: `refused` of the reply; None where it has none.
        """
        present: Set[Tuple[Optional[str], str]] = set()
        for it in refused if isinstance(refused, list) else []:
            path = _PATH.match(it.get("field") or "")
            message = str(it.get("message"))
            index = int(path[1]) if path else len(reports)
            deployment_id = reports[index]["deployment_id"] if index < len(reports) else None
            rule = message[len(path[0]) :] if path and message.startswith(path[0]) else message
            present.add((deployment_id, rule))
            if (deployment_id, rule) not in self._known:
                text = f"The service has refused a report of this deployment: {rule}"
                self._on_event(RuntimeEvent("warning", "report_refused", text, deployment_id))
        self._known = present
