"""Programs that make their own agent."""

from __future__ import annotations

import os
import ssl
import uuid
from dataclasses import replace
from typing import Any, Optional

from .atomic_file import make_private_directory, replace_file
from .cancellation import Cancellation
from .errors import StateDirectoryError, UnexpectedReplyError
from .runtime_event import EventListener, guarded, log_event
from .runtime_options import require_address, require_key
from .service_client import Key, Reply, ServiceClient, post
from .service_link import ServiceLink

KEY_FILE = "agent-key"
REQUEST_FILE = "enrolment-request"


def enrolled_key(
    base_url: str,
    credential: Key,
    state_dir: str,
    *,
    name: str,
    on_event: EventListener = log_event,
    ssl_context: Optional[ssl.SSLContext] = None,
    **description: Any,
) -> str:
    """The key of this program's agent. The first call makes the agent; the key is then kept in `state_dir`.

    The request has an `Idempotency-Key` that is on the disk before it is sent: a program that is killed in between gets
    the agent that it made, and no second one, if it asks again within 24 hours.

    Args:
        credential: of the agent's owner: an access token or a user API key. It is needed for the first call only.
        description: `description`, `version`, `hostname`, `platform`, `capabilities`, `metadata`.

    Raises:
        ServiceError: the service refuses to make the agent.
        KeyRefusedError: the credential is refused for good.
        UnexpectedReplyError: the credential is an agent's key.
        StateDirectoryError: nothing can be kept in `state_dir`.
    """
    require_address(base_url)
    key_file = os.path.join(state_dir, KEY_FILE)
    request_file = os.path.join(state_dir, REQUEST_FILE)
    try:
        kept = _read(key_file)
        if kept:
            return kept
        require_key(credential)
        make_private_directory(state_dir)
        request_id = _read(request_file) or str(uuid.uuid4())
        replace_file(request_file, request_id)
        client = ServiceClient(base_url, credential, "agent-control-plane-python/1", ssl_context)
        link = ServiceLink(client, 5.0, guarded(on_event))
        request = post("/agents/register", {"name": name, **description})
        request = replace(request, headers={"Idempotency-Key": request_id})
        try:
            key = _key_in(link.retry_transient(request, Cancellation()))
        finally:
            link.close()
        replace_file(key_file, key)
        os.remove(request_file)
        return key
    except OSError as error:
        raise StateDirectoryError(state_dir, error) from error


def _key_in(reply: Reply) -> str:
    key = reply.get("api_key")
    if not isinstance(key, str):
        raise UnexpectedReplyError(
            "The reply to the enrolment holds no api_key: the credential must be a person's, not an agent's"
        )
    return key


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""
