"""What this package says of itself to the service."""

from typing import Any, Mapping

#: The number of the protocol that `AgentRuntime` speaks.
PROTOCOL = 1

#: A registration's `runtime`. The version is that of pyproject.toml, which an installed package does not have.
OWN_SOFTWARE: Mapping[str, Any] = {
    "name": "agent-control-plane-python",
    "version": "1.0.0",
    "protocol": PROTOCOL,
}
