"""A run's program that writes OTLP as JSON with the standard library, as its environment says."""

import json
import os
import time
import urllib.request

names = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_RESOURCE_ATTRIBUTES")
told = {name: os.environ.get(name) for name in names}
if told["OTEL_EXPORTER_OTLP_ENDPOINT"]:
    pairs = [pair.split("=", 1) for pair in told["OTEL_RESOURCE_ATTRIBUTES"].split(",")]
    resource = {"attributes": [{"key": key, "value": {"stringValue": value}} for key, value in pairs]}
    record = {"timeUnixNano": str(time.time_ns()), "severityNumber": 13, "body": {"stringValue": "from Python"}}
    body = {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": [record]}]}]}
    request = urllib.request.Request(
        told["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/logs",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as reply:
        told["status"] = reply.status
print(json.dumps(told))
