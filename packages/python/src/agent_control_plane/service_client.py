"""One HTTP request to the service, with its reply."""

from __future__ import annotations

import http.client
import json
import selectors
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Dict, List, Mapping, Optional, Union
from urllib.parse import urlsplit

from .cancellation import Cancellation
from .errors import MalformedKeyError, ServiceError, UnexpectedReplyError, UnreachableError, message_of
from .proxy import proxy_for
from .runtime_options import is_credential

#: The agent's key, or a function that returns the current one. It is called before each request.
Key = Union[str, Callable[[], str]]
Reply = Dict[str, Any]

CALL_TIMEOUT = 15.0
CONNECT_TIMEOUT = 10.0
#: Bytes. Fifty commands with a configuration of a MiB each fit.
LARGEST_REPLY = 64 * 1024 * 1024
_CHUNK = 64 * 1024
#: OpenSSL's codes for a certificate that none of the known authorities has signed.
_UNKNOWN_ISSUERS = (2, 18, 19, 20, 21)


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    #: JSON; None for a request without a body.
    body: Optional[bytes] = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Seconds for the whole exchange, the reply's body included.
    timeout: float = CALL_TIMEOUT


def post(path: str, body: Any) -> Request:
    # half of a surrogate pair is no UTF-8, and no database keeps it: one text would have all of the body refused
    text = json.dumps(body, ensure_ascii=False, allow_nan=False)
    return Request("POST", path, text.encode("utf-8", "replace"))


class ServiceClient:
    """Sends requests over one kept connection for each thread. Follows no redirects, so a key goes to one address only."""

    def __init__(
        self, base_url: str, key: Key, user_agent: str, ssl_context: Optional[ssl.SSLContext] = None
    ) -> None:
        self.base_url = base_url
        address = urlsplit(base_url)
        self._host = address.hostname or ""
        self._port = address.port
        self._path = address.path.rstrip("/")
        self._proxy = proxy_for(address.scheme, self._host)
        self._ssl_context = (
            (ssl_context or ssl.create_default_context()) if address.scheme == "https" else None
        )
        self._key = key
        self._user_agent = user_agent
        self._local = threading.local()

    def call(self, request: Request, cancellation: Cancellation) -> Reply:
        """Sends the request once.

        Raises:
            ServiceError, UnreachableError, UnexpectedReplyError: there is no success.
            MalformedKeyError: the key can't be sent.
            Cancelled: the cancellation ended the request.
        """
        cancellation.raise_if_cancelled()
        try:
            return self._exchange(request, cancellation)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            cancellation.raise_if_cancelled()
            timed_out = isinstance(error, socket.timeout)
            raise UnreachableError(self.base_url, _reason_of(error), timed_out) from error

    def close(self) -> None:
        """Closes the calling thread's connection."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    def _exchange(self, request: Request, cancellation: Cancellation) -> Reply:
        key = self._key if isinstance(self._key, str) else self._key().strip()
        if not is_credential(key):
            raise MalformedKeyError()
        headers = {
            "Authorization": f"Bearer {key}",
            "User-Agent": self._user_agent,
            "Accept": "application/json",
            **request.headers,
        }
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        deadline = time.monotonic() + request.timeout
        connection = self._connection()
        with cancellation.calling(lambda: _cut(connection)):
            if connection.sock is None:
                connection.timeout = min(CONNECT_TIMEOUT, request.timeout)
                connection.connect()
            # cancelled while it connected: then there was nothing to cut
            cancellation.raise_if_cancelled()
            sock = connection.sock
            sock.settimeout(_left(deadline))
            connection.request(request.method, self._path + request.path, request.body, headers)
            sock.settimeout(_left(deadline))
            # closing the response leaves the connection open for the next request
            with connection.getresponse() as response:
                return _reply_of(response, _read(response, sock, deadline))

    def _connection(self) -> http.client.HTTPConnection:
        """The thread's own connection; a new one if the other side has closed it in the meantime."""
        kept: Optional[http.client.HTTPConnection] = getattr(self._local, "connection", None)
        if kept is not None and kept.sock is not None and not _has_input(kept.sock):
            return kept
        self.close()
        host, port = self._proxy.address if self._proxy else (self._host, self._port)
        connection: http.client.HTTPConnection
        if self._ssl_context is not None:
            connection = http.client.HTTPSConnection(host, port, context=self._ssl_context)
        else:
            connection = http.client.HTTPConnection(host, port)
        if self._proxy:
            connection.set_tunnel(self._host, self._port, self._proxy.headers)
        self._local.connection = connection
        return connection


def _reason_of(error: Exception) -> str:
    if isinstance(error, socket.timeout):
        return "no answer in time"
    if isinstance(error, ssl.SSLCertVerificationError) and error.verify_code in _UNKNOWN_ISSUERS:
        return (
            f"{error.verify_message}: no known authority has signed its certificate: "
            "set SSL_CERT_FILE to a file with the certificate of yours"
        )
    return message_of(error)


def _has_input(sock: socket.socket) -> bool:
    """Nothing is expected between two requests: input is the other side's end of the connection."""
    with selectors.DefaultSelector() as selector:
        selector.register(sock, selectors.EVENT_READ)
        return bool(selector.select(0))


def _cut(connection: http.client.HTTPConnection) -> None:
    """Ends a request of another thread. The plain socket's shutdown leaves a TLS object as that thread knows it."""
    sock = connection.sock
    if sock is not None:
        try:
            socket.socket.shutdown(sock, socket.SHUT_RDWR)
        except OSError:
            pass


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise socket.timeout("timed out")
    return left


def _read(response: http.client.HTTPResponse, sock: socket.socket, deadline: float) -> bytes:
    chunks: List[bytes] = []
    size = 0
    while True:
        # after the last byte the response may have closed the socket
        if sock.fileno() >= 0:
            sock.settimeout(_left(deadline))
        chunk = response.read1(_CHUNK)
        if not chunk:
            # read1 takes a body that ends early for a whole one
            if response.length:
                raise http.client.IncompleteRead(b"".join(chunks), response.length)
            return b"".join(chunks)
        size += len(chunk)
        if size > LARGEST_REPLY:
            raise http.client.HTTPException(f"the reply is larger than {LARGEST_REPLY} bytes")
        chunks.append(chunk)


def _reply_of(response: http.client.HTTPResponse, body: bytes) -> Reply:
    parsed = _parsed(body)
    if 200 <= response.status < 300:
        if not isinstance(parsed, dict):
            raise UnexpectedReplyError(f"The answer with status {response.status} holds no JSON object")
        return parsed
    known = parsed if isinstance(parsed, dict) and isinstance(parsed.get("detail"), str) else {}
    # a gateway may set the header X-Request-Id, and answer in JSON of its own
    is_own = known.get("statusCode") == response.status
    detail = known.get("detail") or f"The service answered {response.status} {response.reason}".strip()
    problems, errors = known.get("message"), known.get("errors")
    raise ServiceError(
        response.status,
        detail,
        [str(problem) for problem in problems] if isinstance(problems, list) else [detail],
        known.get("request_id") if is_own else None,
        seconds_of(response.getheader("Retry-After")),
        known.get("code") if is_own else None,
        [it for it in errors if isinstance(it, dict)] if is_own and isinstance(errors, list) else [],
    )


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def seconds_of(retry_after: Optional[str]) -> float:
    """A `Retry-After` in seconds: it holds a number of them or a date (RFC 9110, 10.2.3). 0 where there is none."""
    text = (retry_after or "").strip()
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return 0.0
