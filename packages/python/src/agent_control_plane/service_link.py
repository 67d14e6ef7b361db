"""Calls that are repeated until they succeed."""

from __future__ import annotations

import math
import threading
import time
from typing import Callable, List, Optional, Set

from .backoff import Backoff
from .cancellation import Cancellation, Cancelled
from .errors import (
    KeyRefusedError,
    MalformedKeyError,
    ServiceError,
    UnexpectedReplyError,
    UnreachableError,
    message_of,
)
from .key_verdict import KeyVerdict
from .runtime_event import EventListener, RuntimeEvent
from .service_client import Reply, Request, ServiceClient

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
#: The same when the agent ends: it has some seconds for what waits.
LONGEST_PAUSE_AT_END = 1.0
#: Seconds. A longer `Retry-After` is treated as a mistake: the agent would not call for days.
LONGEST_RETRY_AFTER = 3_600.0
#: Statuses of the service's own that time may mend, below 500.
_PASSING = (401, 408, 425, 429)

Check = Callable[[Reply], object]


class ServiceLink:
    """The way to the service. It may be away for as long as it likes; nothing is restarted when it is back."""

    def __init__(self, client: ServiceClient, patience: float, on_event: EventListener) -> None:
        self._client = client
        self._verdict = KeyVerdict(patience)
        self.on_event = on_event
        self._lock = threading.RLock()
        self._pauses: Set[threading.Event] = set()
        #: Pauses after a broken connection.
        self._pauses_until_return: Set[threading.Event] = set()
        #: Pauses after a failure.
        self._pauses_until_end: Set[threading.Event] = set()
        self._is_ending = False
        self._lost_at: Optional[float] = None
        #: Set once the key is refused for good.
        self.refusal: Optional[KeyRefusedError] = None
        #: Called with the seconds for which the service was away.
        self.on_back: Callable[[float], None] = lambda seconds: None

    def close(self) -> None:
        """Closes the calling thread's connection."""
        self._client.close()

    def retry_transient(
        self,
        request: Request,
        cancellation: Cancellation,
        check: Optional[Check] = None,
        on_failure: Callable[[Exception], None] = lambda error: None,
    ) -> Reply:
        """Calls, and repeats the call after transient errors, until it succeeds.

        Args:
            check: raises `UnexpectedReplyError` for a reply that is none of the service's; it is then asked again.

        Raises:
            ServiceError: a refusal that a retry can't change.
            KeyRefusedError: the key is refused for good.
            Cancelled: the cancellation ended it.
        """


        def may_mend(error: Exception) -> bool:
            on_failure(error)
            return is_passing(error)

        return self._repeat(lambda: request, cancellation, check, LONGEST_PAUSE, may_mend)

    def retry_forever(
        self,
        compose: Callable[[], Request],
        cancellation: Cancellation,
        check: Optional[Check] = None,
        longest_pause: float = LONGEST_PAUSE,
        on_failure: Callable[[Exception], None] = lambda error: None,
    ) -> Reply:
        """Retries after every error except a refused key. For calls that an agent can't work without.

        Each refusal is reported as an event.

        Args:
            compose: makes the request of each attempt.

        Raises:
            KeyRefusedError, Cancelled: as for `retry_transient`.
        """

        def may_mend(error: Exception) -> bool:
            on_failure(error)
            if not is_passing(error):
                self.on_event(RuntimeEvent("warning", "refused", message_of(error)))
            return True

        return self._repeat(compose, cancellation, check, longest_pause, may_mend)

    def hurry(self) -> None:
        """Ends every pause after a failure, and keeps the later ones short, except for a `Retry-After`.

        For the end of the agent: a pause of half a minute would outlast the time that it has for what waits.
        """
        with self._lock:
            self._is_ending = True
            for wake in self._pauses_until_end:
                wake.set()

    def pause(self, seconds: float, cancellation: Cancellation) -> None:
        """Waits; the cancellation and a key refused for good end it early."""
        self._wait(lambda: seconds, cancellation, [self._pauses])

    def _wait(
        self, seconds: Callable[[], float], cancellation: Cancellation, wakers: List[Set[threading.Event]]
    ) -> None:
        """Waits.

        Args:
            seconds: is asked under the lock, so that nobody ends the pause between its choice and its begin.
            wakers: contain the event that ends the wait, until it is over.
        """
        wake = threading.Event()
        with self._lock:
            if self.refusal:
                return
            chosen = seconds()
            for waker in wakers:
                waker.add(wake)
        with cancellation.calling(wake.set):
            wake.wait(chosen)
        with self._lock:
            for waker in wakers:
                waker.discard(wake)

    def _repeat(
        self,
        compose: Callable[[], Request],
        cancellation: Cancellation,
        check: Optional[Check],
        longest_pause: float,
        may_mend: Callable[[Exception], bool],
    ) -> Reply:
        backoff = Backoff(FIRST_PAUSE, longest_pause)
        at_end = Backoff(FIRST_PAUSE, LONGEST_PAUSE_AT_END)
        while True:
            cancellation.raise_if_cancelled()
            if self.refusal:
                raise self.refusal
            try:
                return self._attempt(compose(), cancellation, check)
            except (ServiceError, UnreachableError, UnexpectedReplyError, MalformedKeyError) as error:
                if not may_mend(error):
                    raise
                self.pause(retry_after_of(error), cancellation)
                wakers = [self._pauses, self._pauses_until_end]
                if is_connection_failure(error):
                    wakers.append(self._pauses_until_return)
                self._wait(lambda: (at_end if self._is_ending else backoff).next(), cancellation, wakers)

    def _attempt(self, request: Request, cancellation: Cancellation, check: Optional[Check]) -> Reply:
        try:
            reply = self._client.call(request, cancellation)
            if check:
                check(reply)
        except Cancelled:
            raise
        except Exception as error:
            self._failed(error)
            raise
        self._succeeded()
        return reply

    def _succeeded(self) -> None:
        with self._lock:
            self._verdict.accepted()
            if self._lost_at is None:
                return
            away = time.monotonic() - self._lost_at
            self._lost_at = None
            for wake in self._pauses_until_return:
                wake.set()
        self.on_event(
            RuntimeEvent("info", "service_back", f"The service is back after {math.ceil(away)} s")
        )
        self.on_back(away)

    def _failed(self, error: Exception) -> None:
        # a proxy's answer has no request id: it is no word of the service's
        is_own = isinstance(error, ServiceError) and error.request_id is not None
        is_refusal = isinstance(error, ServiceError) and is_own and error.status == 401
        with self._lock:
            # a key that can't be sent is as good as refused
            if is_refusal or isinstance(error, MalformedKeyError):
                if self._verdict.refused() and not self.refusal:
                    self.refusal = KeyRefusedError(message_of(error))
                    for wake in self._pauses:
                        wake.set()
                return
            if isinstance(error, ServiceError) and is_own and error.status < 500:
                # it knows the key, whatever else it refuses
                self._verdict.accepted()
                return
            if self._lost_at is not None:
                return
            self._lost_at = time.monotonic()
        self.on_event(
            RuntimeEvent(
                "warning",
                "service_lost",
                f"The service does not answer as it should; trying again until it does ({message_of(error)})",
            )
        )


def is_connection_failure(error: Exception) -> bool:
    """Returns whether no server received the request.

    After a refusal or a time-out another call's success proves nothing: the service is there and has too much to do,
    and a pause that ended early would add to that.
    """
    return isinstance(error, UnreachableError) and not error.timed_out


def is_passing(error: Exception) -> bool:
    """Whether time may mend it: no answer, trouble of the service's own, too many requests, and what a proxy says."""
    if not isinstance(error, ServiceError):
        return True
    if error.status == 413:
        return False
    if error.request_id is None or error.status >= 500 or error.status < 400:
        return True
    return error.status in _PASSING


def retry_after_of(error: Exception) -> float:
    """The seconds for which the service has asked to be left alone, at most an hour."""
    return min(LONGEST_RETRY_AFTER, error.retry_after) if isinstance(error, ServiceError) else 0.0
