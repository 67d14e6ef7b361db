import logging
import os
import unittest
from typing import Any, Dict, List, Optional

from agent_control_plane import AgentLogHandler, BufferLimits
from played_service import Answer, Received, error, until
from runtime_case import RuntimeCase


class Telemetry(RuntimeCase):
    def logs(self) -> List[str]:
        return [entry["message"] for it in self.service.calls("/logs") for entry in it.body["logs"]]

    def test_a_batch_is_repeated_with_its_key_and_refused_entries_are_left_out(self) -> None:
        answers = [
            error(503),
            Answer(422, {**error(422).body, "errors": [{"field": "logs.1.level", "message": "no"}]}),
        ]
        self.service.answer = lambda it: answers.pop(0) if it.path.endswith("/logs") and answers else None
        runtime = self.start()
        for message in ("one", "two", "three"):
            runtime.log(message)
        until(lambda: len(self.service.calls("/logs")) == 4)
        self.stop()
        lost, refused, rest, notice = self.service.calls("/logs")
        key = "Idempotency-Key"
        self.assertEqual((lost.body, lost.headers[key]), (refused.body, refused.headers[key]))
        self.assertNotEqual(rest.headers[key], refused.headers[key])
        self.assertEqual([it["message"] for it in rest.body["logs"]], ["one", "three"])
        self.assertEqual(
            [it["message"] for it in notice.body["logs"]],
            ["One log line is missing: the service does not take it (no)"],
        )
        self.assertTrue([it for it in self.events if it.event == "entry_refused"])

    def test_a_batch_that_is_too_large_is_halved(self) -> None:
        def answer(request: Received) -> Optional[Answer]:
            is_large = request.path.endswith("/logs") and len(request.body["logs"]) > 1
            return error(413) if is_large else None

        self.service.answer = answer
        runtime = self.start()
        for number in range(4):
            runtime.log(str(number))
        def batches() -> List[Any]:
            return [it.body["logs"] for it in self.service.calls("/logs")]

        until(lambda: set("0123") <= {batch[0]["message"] for batch in batches() if len(batch) == 1})
        self.stop()

    def test_dropped_lines_are_counted_in_a_log_line(self) -> None:
        self.service.answer = lambda it: error(503) if it.path.endswith("/logs") else None
        runtime = self.start(log_buffer=BufferLimits(10, 10_000))
        runtime.log("first")
        until(lambda: self.service.calls("/logs"))
        for number in range(15):
            runtime.log(str(number))
        self.service.answer = lambda it: None
        until(lambda: "5 log lines dropped: more waited than can be kept" in self.logs())
        self.stop()

    def test_values_that_are_not_json_are_left_out_without_an_exception(self) -> None:
        runtime = self.start()
        loop: Dict[str, Any] = {}
        loop["loop"] = loop
        runtime.log("a loop", metadata=loop)
        runtime.log("half \ud800 a pair", metadata={"path": os.path, "number": float("nan")})
        runtime.metric(cpu_usage=float("nan"))
        runtime.metric(cpu_usage=1.5, custom={"queue": 7})
        until(lambda: self.service.calls("/metrics") and len(self.logs()) == 2)
        self.stop()
        self.assertEqual(self.service.calls("/metrics")[0].body["metrics"][0]["cpu_usage"], 1.5)
        self.assertEqual(self.service.calls("/logs")[0].body["logs"][1]["message"], "half ? a pair")

    def test_a_number_that_json_can_not_express_is_left_out_and_reported_once(self) -> None:
        runtime = self.start()
        for _ in range(2):
            runtime.metric(cpu_usage=2.5, custom={"ratio": float("nan"), "list": [1, float("inf")]})
        runtime.log("a line", metadata={"ratio": float("nan"), "invoice": 7})
        until(lambda: self.service.calls("/metrics") and self.logs())
        self.stop()
        (metric, again) = self.service.calls("/metrics")[0].body["metrics"]
        self.assertEqual((metric["cpu_usage"], metric["custom"]), (2.5, {"list": [1, None]}))
        self.assertEqual(self.service.calls("/logs")[0].body["logs"][0]["metadata"], {"invoice": 7})
        told = [it.message for it in self.events if it.event == "value_left_out"]
        self.assertEqual(len(told), 1)
        self.assertIn("custom.ratio, custom.list[1]", told[0])

    def test_an_entry_that_is_refused_without_its_index_is_left_out_and_a_log_line_reports_it(self) -> None:
        def answer(request: Received) -> Optional[Answer]:
            is_bad = request.path.endswith("/logs") and "bad" in [it["message"] for it in request.body["logs"]]
            return error(400) if is_bad else None

        self.service.answer = answer
        runtime = self.start()
        for message in ("one", "two", "bad", "three"):
            runtime.log(message)
        taken = {"one", "two", "three", "One log line is missing: the service does not take it (no)"}
        until(lambda: taken <= set(self.logs()))
        self.stop()

    def test_a_json_page_of_a_proxy_does_not_count_as_success(self) -> None:
        pages = {"/agents/logs": 2, "/agents/commands/acknowledge": 2}

        def answer(request: Received) -> Optional[Answer]:
            pages[request.path] = pages.get(request.path, 0) - 1
            return Answer(200, {"ok": True}) if pages[request.path] >= 0 else None

        self.service.answer = answer
        runtime = self.start()
        runtime.log("a line")
        self.service.command(1, "deploy", 1)
        until(lambda: len(self.service.calls("/logs")) == 3 and len(self.acknowledged()) == 3)
        self.stop()

    def test_records_of_logging_become_logs(self) -> None:
        runtime = self.start()
        handler = AgentLogHandler(runtime, deployment_id="d")
        logger = logging.getLogger("test.records")
        logger.propagate = False
        logger.addHandler(handler)
        try:
            raise ValueError("odd")
        except ValueError:
            logger.exception("It %s", "failed", extra={"invoice": 7, "deployment_id": "e"})
        logger.warning("careful")
        own = logging.getLogger("agent_control_plane.x")
        own.addHandler(handler)
        own.error("not sent")
        until(lambda: len(self.logs()) == 2)
        self.stop()
        own.removeHandler(handler)
        first, second = [entry for it in self.service.calls("/logs") for entry in it.body["logs"]]
        self.assertEqual((first["level"], first["message"], first["deployment_id"]), ("error", "It failed", "e"))
        self.assertEqual((first["metadata"]["invoice"], first["metadata"]["logger"]), (7, "test.records"))
        self.assertIn("ValueError: odd", first["metadata"]["traceback"])
        self.assertEqual((second["level"], second["deployment_id"]), ("warning", "d"))


if __name__ == "__main__":
    unittest.main()
