import os
import sys
import threading
import unittest
from typing import Any, Dict, List, Optional
from unittest.mock import patch

from agent_control_plane import AgentRun
from played_service import Answer, Received, error, until
from runtime_case import RuntimeCase


class Runs(RuntimeCase):
    def setUp(self) -> None:
        super().setUp()
        #: Runs that wait for a claim.
        self.queue: List[Dict[str, Any]] = []
        self.given: Dict[str, List[Dict[str, Any]]] = {}
        self.to_cancel: List[str] = []
        self.service.answer = self.answer
        self.service.command(1, "deploy", 1)

    def answer(self, request: Received) -> Optional[Answer]:
        if request.path == "/agents/runs/claim":
            return self.claimed(request)
        if request.path == "/agents/runs":
            return Answer(200, {"runs": [self.reply_to(it) for it in request.body["runs"]]})
        return None

    def claimed(self, request: Received) -> Answer:
        key, limit = request.headers["Idempotency-Key"], request.body["limit"]
        if not self.given.get(key):
            self.given[key], self.queue = self.queue[:limit], self.queue[limit:]
        cancelled, self.to_cancel = self.to_cancel, []
        return Answer(200, {"runs": self.given[key], "cancel_runs": cancelled})

    def reply_to(self, entry: Dict[str, Any]) -> Dict[str, Any]:
        run_id = entry.get("run_id") or f"id-of-{entry['run_key']}"
        return {"run_id": run_id, "run_key": entry.get("run_key"), "status": entry["status"], "cancel_requested": False}

    def ask(self, run_id: str, **facts: Any) -> None:
        self.queue.append({"run_id": run_id, "deployment_id": "d", **{"attempt": 1, **facts}})

    def reports(self, run_id: str) -> List[Dict[str, Any]]:
        batches = [it.body["runs"] for it in self.service.calls("/agents/runs")]
        return [it for batch in batches for it in batch if run_id in (it.get("run_id"), it.get("run_key"))]

    def until_full(self) -> None:
        until(lambda: any(it.body["limit"] == 0 for it in self.service.calls("/agents/runs/claim")))

    def ended(self, run_id: Optional[str] = None) -> Any:
        if run_id is None:
            return super().ended()
        return until(lambda: [it for it in self.reports(run_id) if "ended_at" in it])[0]

    def test_the_work_of_a_run_is_done_and_its_output_is_reported(self) -> None:
        seen: List[AgentRun] = []

        def answer(run: AgentRun) -> Any:
            seen.append(run)
            run.progress(50, "half")
            run.log("asked")
            return {"answer": run.input * 2}

        self.ask("r", input=21, name="double", conversation_id="c", timeout_seconds=60)
        self.start(on_run=answer)
        end = self.ended("r")
        self.assertEqual((end["status"], end["output"]), ("succeeded", {"answer": 42}))
        self.assertEqual((seen[0].name, seen[0].conversation_id, seen[0].timeout_seconds), ("double", "c", 60))
        logs = until(lambda: self.service.calls("/agents/logs"))[0].body["logs"]
        self.assertEqual((logs[0]["message"], logs[0]["run_id"]), ("asked", "r"))
        self.stop()

    def test_an_exception_is_the_failure_of_a_run_and_so_is_what_is_no_json(self) -> None:
        def answer(run: AgentRun) -> Any:
            if run.input:
                return object()
            raise RuntimeError("no such invoice")

        self.ask("r", input=None)
        self.ask("s", input=1)
        self.start(on_run=answer)
        self.assertEqual((self.ended("r")["status"], self.ended("r")["error"]), ("failed", "no such invoice"))
        self.assertIn("not JSON serializable", self.ended("s")["error"])
        self.stop()

    def test_an_error_whose_text_can_not_be_read_ends_the_run(self) -> None:
        class UnreadableError(Exception):
            def __str__(self) -> str:
                raise ValueError("not to be read")

        def answer(_run: AgentRun) -> Any:
            raise UnreadableError

        self.ask("r")
        self.start(on_run=answer)
        end = self.ended("r")
        self.assertEqual((end["status"], end["error"]), ("failed", "UnreadableError"))
        self.stop()

    def test_an_exit_and_a_missing_key_are_named_as_a_person_reads_them(self) -> None:
        def answer(run: AgentRun) -> Any:
            if run.input == "key":
                return os.environ["NO_SUCH_VARIABLE"]
            sys.exit(run.input)

        messages = {
            "key": "KeyError: 'NO_SUCH_VARIABLE'",
            3: "SystemExit: 3",
            "no input": "SystemExit: no input",
            None: "SystemExit",
        }
        for number, given in enumerate(messages):
            self.ask(f"r{number}", input=given)
        self.start(on_run=answer, concurrency=4)
        ends = [self.ended(f"r{number}") for number in range(len(messages))]
        self.assertEqual([it["error"] for it in ends], list(messages.values()))
        self.assertEqual({it["status"] for it in ends}, {"failed"})
        self.stop()

    def test_a_run_without_a_thread_is_given_back_and_begins_when_it_is_given_again(self) -> None:
        begin = threading.Thread.start
        refused: List[str] = []

        def start(thread: threading.Thread) -> None:
            if thread.name == "agent-run-r" and not refused:
                refused.append(thread.name)
                raise RuntimeError("can't start new thread")
            begin(thread)

        self.ask("r")
        with patch.object(threading.Thread, "start", start):
            self.start(on_run=lambda run: "done")
            until(lambda: [it for it in self.reports("r") if it["status"] == "queued"])
            self.ask("r")
            self.assertEqual(self.ended("r")["output"], "done")
        told = [it.message for it in self.events if it.event == "not_begun"]
        self.assertEqual(told, ["The run r is given back: can't start new thread"])
        self.stop()

    def test_a_run_whose_timer_does_not_start_fails_and_leaves_its_room_to_the_next(self) -> None:
        def start(timer: threading.Timer) -> None:
            raise RuntimeError("can't start new thread")

        self.ask("r", timeout_seconds=60)
        with patch.object(threading.Timer, "start", start):
            self.start(on_run=lambda run: "done")
            self.assertEqual(self.ended("r")["error"], "can't start new thread")
        self.ask("s")
        self.assertEqual(self.ended("s")["output"], "done")
        self.stop()

    def test_no_more_runs_are_under_way_than_there_is_room_for(self) -> None:
        release = threading.Event()
        begun: List[Optional[str]] = []

        def answer(run: AgentRun) -> None:
            begun.append(run.id)
            release.wait(30)

        for number in range(3):
            self.ask(f"r{number}")
        self.start(on_run=answer, concurrency=2)
        until(lambda: len(begun) == 2)
        self.until_full()
        self.assertEqual(sorted(str(it) for it in begun), ["r0", "r1"])
        release.set()
        self.ended("r2")
        self.stop()

    def test_a_cancelled_run_ends_early(self) -> None:
        def answer(run: AgentRun) -> None:
            run.stopping.wait(30)
            run.check()

        self.ask("r")
        self.start(on_run=answer)
        self.until_full()
        self.to_cancel = ["r"]
        end = self.ended("r")
        self.assertEqual((end["status"], end["error"]), ("cancelled", "The run was cancelled"))
        self.stop()

    def test_a_newer_attempt_begins_when_the_older_one_has_ended(self) -> None:
        diary: List[str] = []

        def answer(run: AgentRun) -> int:
            diary.append(f"begin {run.attempt}")
            if run.attempt == 1:
                run.stopping.wait(30)
                diary.append("end 1")
                run.check()
            return run.attempt

        self.ask("r")
        self.start(on_run=answer, concurrency=2)
        until(lambda: diary)
        self.ask("r", attempt=2)
        until(lambda: [it for it in self.reports("r") if it["status"] == "succeeded"])
        ends = [(it["attempt"], it["status"]) for it in self.reports("r") if "ended_at" in it]
        self.assertEqual(sorted(ends), [(1, "cancelled"), (2, "succeeded")])
        self.assertEqual(diary, ["begin 1", "end 1", "begin 2"])
        self.stop()

    def test_the_end_of_a_run_is_reported_by_the_next_process(self) -> None:
        is_away = threading.Event()
        done = threading.Event()

        def answer(request: Received) -> Optional[Answer]:
            if is_away.is_set() and request.path == "/agents/runs":
                return error(503)
            return self.answer(request)

        def work(run: AgentRun) -> str:
            is_away.set()
            done.set()
            return "kept"

        self.service.answer = answer
        self.ask("r")
        self.start(on_run=work)
        done.wait(30)
        until(lambda: self.service.calls("/agents/runs"))
        self.runtime.stop(0)
        self.ended()
        is_away.clear()
        sent = len(self.reports("r"))
        self.start(on_run=work)
        registered = until(lambda: self.service.calls("/agents/register")[1:])[0]
        self.assertEqual(registered.body["runs"], ["r"])
        until(lambda: len(self.reports("r")) > sent)
        self.assertEqual(self.reports("r")[-1]["output"], "kept")
        self.stop()

    def test_what_runs_is_interrupted_by_a_stop_and_reported(self) -> None:
        def polite(run: AgentRun) -> None:
            run.stopping.wait(30)
            run.check()

        self.ask("r")
        self.start(on_run=polite)
        self.until_full()
        self.stop()
        self.assertEqual(self.ended("r")["error"], "The agent stopped before the run had ended")

    def test_a_run_that_was_not_begun_is_given_back(self) -> None:
        is_lost = threading.Event()
        is_lost.set()
        begun: List[AgentRun] = []

        def answer(request: Received) -> Optional[Answer]:
            usual = self.answer(request)
            return error(503) if is_lost.is_set() and request.path == "/agents/runs/claim" else usual

        self.service.answer = answer
        self.ask("r")
        self.start(on_run=begun.append)
        until(lambda: any(self.given.values()))
        is_lost.clear()
        self.stop()
        self.assertEqual(begun, [])
        self.assertEqual([it["status"] for it in self.reports("r")], ["queued"])

    def test_own_work_is_a_run(self) -> None:
        self.start()
        self.assertEqual(self.runtime.do_run("import", lambda run: run.input + 1, key="k", input=1), 2)
        end = self.ended("k")
        self.assertEqual((end["name"], end["status"], end["output"]), ("import", "succeeded", 2))
        self.stop()

    def test_an_older_service_is_not_asked_again_and_the_agent_goes_on(self) -> None:
        def answer(request: Received) -> Optional[Answer]:
            if not request.path.startswith("/agents/runs"):
                return None
            body = {"statusCode": 404, "detail": "no", "code": "route_not_found", "request_id": "r"}
            return Answer(404, body)

        self.service.answer = answer
        self.start(on_run=lambda run: None)
        until(lambda: [it for it in self.events if it.event == "runs_unknown"])
        self.service.command(2, "stop", 1, 0)
        until(lambda: len(self.acknowledged()) == 2)
        self.assertEqual(len(self.service.calls("/agents/runs/claim")), 1)
        self.stop()


if __name__ == "__main__":
    unittest.main()
