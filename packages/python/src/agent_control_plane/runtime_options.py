"""Checks of what a program gives a runtime. What is missed here would be tried again for ever, as if the service were away."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

#: The characters that a header can hold (RFC 9110, 5.5), without spaces.
_CREDENTIAL = re.compile(r"[\x21-\x7e]+")
_ADDRESS = "base_url must be the address of the service, like http://127.0.0.1:8000"
_KEY = "key must be the agent's key, or a function that returns it"


def require_address(base_url: Any) -> None:
    if not isinstance(base_url, str):
        raise TypeError(f"{_ADDRESS}; it is {_kind_of(base_url)}")
    try:
        address = urlsplit(base_url)
        port = address.port
    except ValueError:
        raise ValueError(f"{_ADDRESS}; it is {base_url!r}") from None
    # it may hold a password, so it is not repeated
    if address.username is not None or address.password is not None:
        raise ValueError(f"{_ADDRESS}; it has a user name or a password, which an address may not have")
    if address.scheme not in ("http", "https") or not address.hostname or port == 0:
        raise ValueError(f"{_ADDRESS}; it is {base_url!r}")


def require_key(key: Any) -> None:
    if callable(key):
        return
    if not isinstance(key, str):
        raise TypeError(f"{_KEY}; it is {_kind_of(key)}")
    if not key.strip():
        raise ValueError(f"{_KEY}; it is empty")
    if not is_credential(key):
        raise ValueError(f"{_KEY}; it has a space, a line break or another character that no key has")


def is_credential(key: str) -> bool:
    return _CREDENTIAL.fullmatch(key) is not None


def require_callable(name: str, value: Any) -> None:
    if not callable(value):
        raise TypeError(f"{name} must be a function; it is {_kind_of(value)}")


def require_concurrency(value: Any) -> None:
    if not isinstance(value, int) or not 1 <= value <= 100:
        raise ValueError("concurrency must be a whole number from 1 to 100")


def _kind_of(value: Any) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"
