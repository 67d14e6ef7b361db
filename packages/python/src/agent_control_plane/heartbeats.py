"""Heartbeats, at the assigned interval, and at once after a change."""

from __future__ import annotations

import random
import threading
import time
from typing import Any, Callable, Dict, List, Optional

from .cancellation import Cancellation
from .refused_reports import RefusedReports
from .service_client import Reply, Request, post
from .service_link import ServiceLink, retry_after_of

DEFAULT_INTERVAL = 30.0
LONGEST_INTERVAL = 3_600.0
#: Seconds in which changes are collected for one heartbeat.
GATHERING = 0.1


class Heartbeats:
    """Args:
    compose: returns the body of the next heartbeat.
    on_reply: is told after each reply whether it asks the agent to register.
    """

    #: Is told after each reply what people have to upgrade; None for nothing.
    on_advice: Callable[[Optional[str]], object]

    def __init__(
        self, link: ServiceLink, compose: Callable[[], Dict[str, Any]], on_reply: Callable[[bool], None]
    ) -> None:
        #: Is told after each reply which runs are to end early.
        self.on_cancel: Callable[[List[str]], None] = lambda run_ids: None
        self._link = link
        self._compose = compose
        self._on_reply = on_reply
        self._refused_reports = RefusedReports(link.on_event)
        self._interval = DEFAULT_INTERVAL
        self._news = threading.Condition()
        self._has_news = False
        #: By `time.monotonic()`: the service has refused a heartbeat and wants none before.
        self._not_before = 0.0

    def follow(self, reply: Reply) -> None:
        """Sets the interval from a reply; an invalid one is ignored."""
        seconds = reply.get("heartbeat_interval_seconds")
        if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and seconds > 0:
            self._interval = min(float(seconds), LONGEST_INTERVAL)

    def soon(self) -> None:
        """Requests a heartbeat before the end of the interval, after a change."""
        with self._news:
            self._has_news = True
            self._news.notify_all()

    def run(self, before: Callable[[], None], cancellation: Cancellation) -> None:
        """Sends heartbeats until it is told to end.

        Args:
            before: does what must be done before the next heartbeat.

        Raises:
            KeyRefusedError, Cancelled: it was told to end.
        """
        while True:
            before()
            with self._news:
                self._has_news = False
            sent: Dict[str, Any] = {}

            def request() -> Request:
                nonlocal sent
                sent = self._compose()
                return self._request(sent)

            reply = self._link.retry_forever(
                request,
                cancellation,
                # a pause of several intervals would make the agent count as lost
                longest_pause=self._interval,
                on_failure=self._note_refusal,
            )
            self.follow(reply)
            self._refused_reports.follow(sent.get("deployments", []), reply.get("refused"))
            self.on_advice(reply.get("upgrade"))
            self.on_cancel(reply.get("cancel_runs") or [])
            self._on_reply(reply.get("register") is True)
            self._wait_until_due(cancellation)

    def last(self, body: Dict[str, Any], cancellation: Cancellation) -> None:
        """Sends one more heartbeat, until it is answered, after the end of a `Retry-After`."""
        self._link.pause(max(0.0, self._not_before - time.monotonic()), cancellation)
        self._link.retry_transient(self._request(body), cancellation)

    def _request(self, body: Dict[str, Any]) -> Request:
        return post("/agents/heartbeat", body)

    def _note_refusal(self, error: Exception) -> None:
        self._not_before = time.monotonic() + retry_after_of(error)

    def _wait_until_due(self, cancellation: Cancellation) -> None:
        """Waits until the next heartbeat, with jitter, but never longer than the assigned interval."""
        due = time.monotonic() + self._interval * (0.9 + 0.1 * random.random())
        with cancellation.calling(self._wake), self._news:
            self._news.wait_for(
                lambda: self._has_news or cancellation.cancelled or self._link.refusal is not None,
                max(0.0, due - time.monotonic()),
            )
            has_news = self._has_news
        if has_news:
            self._link.pause(GATHERING, cancellation)

    def _wake(self) -> None:
        with self._news:
            self._news.notify_all()
