import unittest
from typing import List

from agent_control_plane.backoff import Backoff
from agent_control_plane.bounded_buffer import BoundedBuffer, BufferLimits, Entry
from agent_control_plane.cancellation import Cancellation
from agent_control_plane.service_client import ServiceClient, post, seconds_of
from agent_control_plane.telemetry_outbox import refused_indexes
from played_service import Answer, PlayedService


class Addresses(unittest.TestCase):
    def test_the_path_of_an_address_precedes_that_of_each_request(self) -> None:
        service = PlayedService()
        self.addCleanup(service.close)
        service.answer = lambda request: Answer(200, {})
        for path in ("", "/", "/control", "/control/"):
            client = ServiceClient(service.url + path, "k", "tests/1")
            client.call(post("/agents/logs", {}), Cancellation())
            client.close()
        self.assertEqual(
            [request.path for request in service.received],
            ["/agents/logs", "/agents/logs", "/control/agents/logs", "/control/agents/logs"],
        )


class Pauses(unittest.TestCase):
    def test_the_ceiling_of_a_pause_doubles_up_to_the_longest(self) -> None:
        backoff = Backoff(0.5, 3.0, lambda: 1.0)
        self.assertEqual([backoff.next() for _ in range(5)], [0.5, 1.0, 2.0, 3.0, 3.0])
        backoff.reset()
        self.assertEqual(backoff.next(), 0.5)

    def test_jitter_shortens_a_pause_to_the_shortest_one_at_most(self) -> None:
        self.assertEqual(Backoff(0.5, 3.0, lambda: 0.0).next(), 0.1)

    def test_a_retry_after_is_read_as_seconds_or_as_a_date(self) -> None:
        self.assertEqual([seconds_of(it) for it in (None, "", "7", " 1.5 ", "soon")], [0, 0, 7, 1.5, 0])
        self.assertEqual(seconds_of("Wed, 21 Oct 2015 07:28:00 GMT"), 0)
        self.assertGreater(seconds_of("Wed, 21 Oct 2099 07:28:00 GMT"), 1_000)

class Buffers(unittest.TestCase):
    def test_the_oldest_entries_are_dropped_when_the_buffer_is_full(self) -> None:
        dropped: List[Entry] = []
        buffer = BoundedBuffer(BufferLimits(3, 30), dropped.append)
        for number in range(5):
            buffer.push(Entry(b"x" * 8, "", str(number)))
        self.assertEqual([it.timestamp for it in dropped], ["0", "1"])
        self.assertEqual([it.timestamp for it in buffer.take(BufferLimits(2, 100))], ["2", "3"])
        self.assertEqual((len(buffer), buffer.size_in_bytes), (1, 8))

    def test_an_entry_larger_than_the_limit_is_taken_alone(self) -> None:
        buffer = BoundedBuffer(BufferLimits(3, 1_000), lambda entry: None)
        for size in (100, 1):
            buffer.push(Entry(b"x" * size, "", ""))
        self.assertEqual(len(buffer.take(BufferLimits(10, 50))), 1)

    def test_refused_entries_are_found_by_their_index(self) -> None:
        fields = ["logs.3.level", "logs.0.metadata", "logs.3", "logs.77.level", "metrics.1.x", "logs", "", None]
        errors = [{"field": field, "message": "logs.2.level is in no message"} for field in fields]
        self.assertEqual(refused_indexes([*errors, {}], "logs", 5), {0, 3})


if __name__ == "__main__":
    unittest.main()
