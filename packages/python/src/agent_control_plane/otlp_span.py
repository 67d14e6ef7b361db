"""Spans, as OTLP has them in JSON."""

from __future__ import annotations

import json
import math
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

Value = Union[str, int, float]

#: `trace_flags` sampled, and it is known whether the parent is remote.
_FLAGS = 0x101
_REMOTE_PARENT = 0x200
#: `SPAN_KIND_INTERNAL` and `STATUS_CODE_ERROR`.
_INTERNAL = 1
_ERROR = 2


def otlp_span(
    trace_id: str,
    span_id: str,
    parent: Optional[str],
    is_parent_remote: bool,
    name: str,
    times: Tuple[int, int],
    attributes: Mapping[str, Optional[Value]],
    failure: Optional[str],
) -> Dict[str, Any]:
    """Makes a span that has ended.

    Args:
        times: its begin and its end, in nanoseconds since 1970.
        failure: None: it has not failed.
    """
    return {
        "traceId": trace_id,
        "spanId": span_id,
        **({} if parent is None else {"parentSpanId": parent}),
        "flags": _FLAGS | _REMOTE_PARENT if is_parent_remote else _FLAGS,
        "name": name,
        "kind": _INTERNAL,
        # 64-bit numbers are texts in JSON
        "startTimeUnixNano": str(times[0]),
        "endTimeUnixNano": str(times[1]),
        "attributes": attribute_list(attributes),
        **({} if failure is None else {"status": {"code": _ERROR, "message": failure}}),
    }


def attribute_list(attributes: Mapping[str, Optional[Value]]) -> List[Dict[str, Any]]:
    return [
        {"key": key, "value": _value_of(value)}
        for key, value in attributes.items()
        if value is not None and not (isinstance(value, float) and not math.isfinite(value))
    ]


def named(span: Mapping[str, Any], run_id: str) -> Dict[str, Any]:
    """The span with the run that it belongs to."""
    return {**span, "attributes": span["attributes"] + attribute_list({"agent_control_plane.run_id": run_id})}


def trace_request(spans: Sequence[bytes]) -> bytes:
    """The body of an export of spans that are JSON already."""
    begin = b'{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"agent-control-plane"},"spans":['
    return begin + b",".join(spans) + b"]}]}]}"


def json_text(value: Any) -> Optional[str]:
    """None for what is no JSON."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None


def _value_of(value: Value) -> Dict[str, Any]:
    if isinstance(value, str):
        return {"stringValue": value}
    return {"intValue": str(value)} if isinstance(value, int) else {"doubleValue": value}
