"""The proxy that the environment names."""

from __future__ import annotations

import base64
from typing import Dict, NamedTuple, Optional, Tuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

#: Addresses of this machine, which no proxy reaches.
_OWN_ADDRESSES = ("localhost", "127.0.0.1", "::1")


class Proxy(NamedTuple):
    address: Tuple[str, Optional[int]]
    #: Of the request for a tunnel.
    headers: Dict[str, str]


def proxy_for(scheme: str, host: str) -> Optional[Proxy]:
    """Returns what `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say, also in small letters, of an address."""
    proxies = getproxies_environment()
    named = proxies.get(scheme) or proxies.get("http")
    if not named or host in _OWN_ADDRESSES or proxy_bypass(host):
        return None
    url = urlsplit(named if "://" in named else f"http://{named}")
    headers = {}
    if url.username is not None:
        login = f"{unquote(url.username)}:{unquote(url.password or '')}"
        headers["Proxy-Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
    return Proxy((url.hostname or "", url.port or 80), headers)
