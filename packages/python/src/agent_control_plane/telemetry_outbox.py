"""Log entries or measurements on their way to the service."""

from __future__ import annotations

import threading
import uuid
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set

from .bounded_buffer import BoundedBuffer, BufferLimits, Entry
from .cancellation import Cancellation
from .errors import ServiceError, UnexpectedReplyError
from .service_client import Reply, Request
from .service_link import ServiceLink

#: The service takes a thousand entries and a MiB at once.
BATCH = BufferLimits(entries=1_000, bytes=512 * 1024)
#: Seconds for which entries are gathered, at most, before they are sent.
GATHERING = 0.3
#: A batch may be refused so for one of its entries: malformed (nested too deeply, say), too large, invalid.
REFUSED_FOR_CONTENT = (400, 413, 422)

#: Makes the entries that stand for those that were dropped. Gets the last of each owner, and how many of each there were.
Notices = Callable[[Sequence[Entry], Dict[str, int]], List[Entry]]
#: Called with the entries that are given up, and the reason.
Refused = Callable[[Sequence[Entry], str], None]


def require_count(reply: Reply) -> None:
    """A proxy's page may have the status 200 and be JSON: only the service says how many entries it has stored."""
    if not isinstance(reply.get("accepted"), int):
        raise UnexpectedReplyError("The reply does not say how many entries are stored")


class TelemetryOutbox:
    """Sends entries in batches and in their order, each batch until the service has stored it.

    While the service is away entries wait, within limits. An entry that the service refuses does not hold up the others.

    Args:
        name: of the batch in the request, and the end of its path: `logs`, `metrics`.
        request_of: makes the request of a batch, for a route of another form.
        on_reply: raises UnexpectedReplyError if the reply is not the service's.
    """

    def __init__(
        self,
        link: ServiceLink,
        name: str,
        limits: BufferLimits,
        notices: Notices,
        on_refused: Refused,
        request_of: Optional[Callable[[Sequence[Entry]], Request]] = None,
        on_reply: Callable[[Reply], None] = require_count,
    ) -> None:
        self._link = link
        self._request_of = request_of or self._request
        self._on_reply = on_reply
        self._name = name
        self._notices = notices
        self._on_refused = on_refused
        self._buffer = BoundedBuffer(limits, self._note_dropped)
        self._dropped: Dict[str, int] = {}
        self._samples: Dict[str, Entry] = {}
        # re-entrant, as a signal handler may log while its thread does
        self._changed = threading.Condition(threading.RLock())
        self._is_sending = False
        self._is_flushing = False

    def push(self, entry: Entry) -> None:
        """Adds an entry. Never waits for the network."""
        with self._changed:
            self._buffer.push(entry)
            if len(self._buffer) == 1 or self._is_full():
                self._changed.notify_all()

    def run(self, cancellation: Cancellation) -> None:
        """Sends until it is told to end.

        Raises:
            KeyRefusedError, Cancelled: it was told to end.
        """
        with cancellation.calling(self._notify):
            while True:
                self._wait_until_worth_it(cancellation)
                cancellation.raise_if_cancelled()
                if self._link.refusal:
                    raise self._link.refusal
                self._send_all(cancellation)

    def flush(self, cancellation: Cancellation) -> None:
        """From now on nothing is gathered. Returns when nothing is left to be sent, or the cancellation is set."""
        with cancellation.calling(self._notify), self._changed:
            self._is_flushing = True
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: cancellation.cancelled or not (self._is_sending or len(self._buffer))
            )

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _note_dropped(self, entry: Entry) -> None:
        self._dropped[entry.owner] = self._dropped.get(entry.owner, 0) + 1
        self._samples[entry.owner] = entry

    def _is_full(self) -> bool:
        return len(self._buffer) >= BATCH.entries or self._buffer.size_in_bytes >= BATCH.bytes

    def _wait_until_worth_it(self, cancellation: Cancellation) -> None:
        with self._changed:
            self._changed.wait_for(lambda: len(self._buffer) or cancellation.cancelled)
            self._changed.wait_for(
                lambda: self._is_full() or self._is_flushing or cancellation.cancelled, GATHERING
            )
            self._is_sending = True

    def _send_all(self, cancellation: Cancellation) -> None:
        while True:
            with self._changed:
                batch = self._next_batch()
                if not batch:
                    self._is_sending = False
                    self._changed.notify_all()
                    return
            self._send(batch, cancellation)

    def _next_batch(self) -> List[Entry]:
        notices = self._notices(list(self._samples.values()), self._dropped) if self._dropped else []
        self._dropped, self._samples = {}, {}
        room = BufferLimits(max(1, BATCH.entries - len(notices)), BATCH.bytes)
        return notices[: BATCH.entries - 1] + self._buffer.take(room)

    def _send(self, batch: Sequence[Entry], cancellation: Cancellation) -> None:
        try:
            self._link.retry_transient(self._request_of(batch), cancellation, self._on_reply)
        except ServiceError as error:
            self._send_without_refused(batch, error, cancellation)

    def _request(self, batch: Sequence[Entry]) -> Request:
        """One key and one text for all attempts: the service stores the batch once, whatever becomes of its replies."""
        body = b'{"%s":[%s]}' % (self._name.encode(), b",".join(entry.text for entry in batch))
        return Request("POST", f"/agents/{self._name}", body, {"Idempotency-Key": str(uuid.uuid4())})

    def _send_without_refused(
        self, batch: Sequence[Entry], error: ServiceError, cancellation: Cancellation
    ) -> None:
        """The service takes a batch as a whole or not at all, and names by index what it refuses.

        Where it names none, the batch is halved, down to the entry that is refused. A batch that is refused for its sender
        is given up: its parts would be refused, too.
        """
        refused = refused_indexes(error.errors, self._name, len(batch))
        if refused:
            self._on_refused([batch[index] for index in sorted(refused)], error.detail)
            rest = [entry for index, entry in enumerate(batch) if index not in refused]
            if rest:
                self._send(rest, cancellation)
        elif error.status in REFUSED_FOR_CONTENT and len(batch) > 1:
            half = (len(batch) + 1) // 2
            self._send(batch[:half], cancellation)
            self._send(batch[half:], cancellation)
        else:
            self._on_refused(batch, error.detail)


def refused_indexes(errors: Sequence[Mapping[str, Any]], name: str, length: int) -> Set[int]:
    """The field `logs.3.level` is one of the fourth entry."""
    paths = (str(error.get("field") or "").split(".") for error in errors)
    found = {int(path[1]) for path in paths if path[0] == name and path[1:] and path[1].isdecimal()}
    return {index for index in found if index < length}
