import time
import unittest
from typing import List, Optional
from unittest import mock

from agent_control_plane import service_link
from agent_control_plane.backoff import Backoff
from played_service import Answer, Received, error, until
from runtime_case import RuntimeCase


class Ending(RuntimeCase):
    """The end of an agent whose logs wait for a pause of half a minute."""

    def setUp(self) -> None:
        super().setUp()
        longest = mock.patch.object(
            service_link, "Backoff", lambda first, longest: Backoff(longest, longest, lambda: 1.0)
        )
        longest.start()
        self.addCleanup(longest.stop)

    def ends_while_a_line_waits(self, answers: List[Answer]) -> List[float]:
        """Returns the times of the attempts to send a line, of which the first ones are answered with `answers`."""
        times: List[float] = []

        def answer(request: Received) -> Optional[Answer]:
            if not request.path.endswith("/logs"):
                return None
            times.append(time.monotonic())
            return answers.pop(0) if answers else None

        self.service.answer = answer
        self.start().log("a line")
        until(lambda: [it for it in self.events if it.event == "service_lost"])
        self.stop()
        return times

    def test_what_waits_for_a_pause_is_sent_at_once_and_with_short_pauses(self) -> None:
        times = self.ends_while_a_line_waits([error(500), error(500), error(500)])
        self.assertEqual(len(times), 4)
        batches = [it.body["logs"] for it in self.service.calls("/logs")]
        self.assertEqual(batches, batches[:1] * 4)

    def test_a_retry_after_is_waited_for(self) -> None:
        times = self.ends_while_a_line_waits([error(503)._replace(headers={"Retry-After": "2"})])
        self.assertEqual(len(times), 2)
        self.assertGreaterEqual(times[1] - times[0], 2.0)


if __name__ == "__main__":
    unittest.main()
