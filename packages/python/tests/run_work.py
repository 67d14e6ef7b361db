"""The work of a run of the conformance kit: one request to the address in its input, whose answer is the output."""

import json
import socket
from typing import Any, Optional
from urllib.parse import urlsplit

from agent_control_plane import AgentRun, ApprovalQuestion


def question_of(run: AgentRun) -> Optional[ApprovalQuestion]:
    """What people are asked before the work."""
    approval = run.input.get("approval")
    if approval is None:
        return None
    return ApprovalQuestion(approval["title"], approval["action"]["name"], approval["action"]["args"])


def request_to(address: str) -> bytes:
    parts = urlsplit(address)
    return f"GET {parts.path} HTTP/1.0\r\nHost: {parts.netloc}\r\n\r\n".encode()


def connect(address: str) -> socket.socket:
    """Returns a connection on which the request was sent. The answer ends with it."""
    parts = urlsplit(address)
    connection = socket.create_connection((parts.hostname or "", parts.port or 80), timeout=5)
    connection.sendall(request_to(address))
    return connection


def output_of(answer: bytes) -> Any:
    """Raises ConnectionError if the connection has broken before the whole answer was there."""
    _, _, body = answer.partition(b"\r\n\r\n")
    if not body.endswith(b"\n"):
        raise ConnectionError("The connection has broken")
    return json.loads(body)
