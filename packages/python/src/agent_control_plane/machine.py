"""The machine that the agent runs on."""

from __future__ import annotations

import platform
import socket
from typing import Dict


def host_name() -> str:
    return socket.gethostname()[:255]


def machine() -> Dict[str, str]:
    """The machine's fields in registrations and heartbeats."""
    system = f"{platform.system()}/{platform.machine()}".lower()
    return {"hostname": host_name(), "platform": system[:200]}
