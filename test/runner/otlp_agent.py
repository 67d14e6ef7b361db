"""A run's program that writes OTLP as JSON with the standard library, as its environment says."""

import json
import os
import time
import urllib.request

names = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_RESOURCE_ATTRIBUTES")
told = {name: os.environ.get(name) for name in names}


def attribute(name, value):
    return {"key": name, "value": {"stringValue": value}}


def send(path, body):
    address = told["OTEL_EXPORTER_OTLP_ENDPOINT"] + path
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as reply:
        return reply.status


if told["OTEL_EXPORTER_OTLP_ENDPOINT"]:
    pairs = [pair.split("=", 1) for pair in told["OTEL_RESOURCE_ATTRIBUTES"].split(",")]
    resource = {"attributes": [attribute(*pair) for pair in pairs]}
    now = time.time_ns()
    record = {"timeUnixNano": str(now), "severityNumber": 13, "body": {"stringValue": "from Python"}}
    _, trace_id, parent_id, _ = os.environ["TRACEPARENT"].split("-")
    span = {
        "traceId": trace_id,
        "spanId": os.urandom(8).hex(),
        "parentSpanId": parent_id,
        "name": "execute_tool look",
        "startTimeUnixNano": str(now - 5_000_000),
        "endTimeUnixNano": str(now),
        "attributes": [attribute("gen_ai.operation.name", "execute_tool"), attribute("gen_ai.tool.name", "look")],
    }
    told["statuses"] = [
        send("/v1/logs", {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": [record]}]}]}),
        send("/v1/traces", {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}),
    ]
print(json.dumps(told))
