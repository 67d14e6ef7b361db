import os
import pathlib
import time
import unittest
from typing import Any, Dict, List, Optional

from agent_control_plane import DesiredState, ForeignStateError, KeyRefusedError
from played_service import HANG_UP, Answer, Received, error, until
from runtime_case import RuntimeCase


class Commands(RuntimeCase):
    def test_a_command_is_carried_out_once_and_its_result_is_sent_for_each_delivery(self) -> None:
        self.start()
        self.service.command(1, "deploy", 1, 2, '{"a": 1}')
        until(lambda: len(self.acknowledged()) == 1)
        self.service.command(1, "deploy", 1, 2, '{"a": 1}')
        until(lambda: len(self.acknowledged()) == 2)
        self.stop()
        self.assertEqual([(it.cause, it.replicas, it.config) for it in self.applied], [("deploy", 2, {"a": 1})])
        first, second = self.acknowledged()
        self.assertEqual(first, second)
        self.assertEqual((first["success"], first["result"]), (True, {"replicas": 2}))

    def test_running_deployments_are_started_again_by_the_next_process(self) -> None:
        self.start()
        self.service.command(1, "deploy", 1, 2)
        until(lambda: self.acknowledged())
        self.stop()
        self.service.deployments = [{"id": "d", "status": "running", "generation": 1, "replicas": 2}]
        self.start()
        until(lambda: len(self.applied) == 2)
        self.service.command(1, "deploy", 1, 2)
        until(lambda: len(self.acknowledged()) == 2)
        self.stop()
        self.assertEqual([(it.cause, it.replicas) for it in self.applied], [("deploy", 2), ("resume", 2)])

    def test_an_unacknowledged_result_is_sent_by_the_next_process(self) -> None:
        self.service.answer = lambda it: error(500) if it.path.endswith("/acknowledge") else None
        self.start()
        self.service.command(1, "deploy", 1)
        until(lambda: self.acknowledged())
        self.runtime.stop(0)
        self.ended()
        count = len(self.acknowledged())
        self.service.answer = lambda it: None
        self.start()
        until(lambda: len(self.acknowledged()) > count)
        self.stop()

    def test_an_exception_fails_the_command_and_the_deployment(self) -> None:
        def apply(desired: DesiredState) -> None:
            raise RuntimeError("no disk")

        self.start(apply)
        self.service.command(1, "deploy", 1)
        self.service.command(2, "hibernate", 1)
        until(lambda: len(self.acknowledged()) == 2)
        reported = until(lambda: [it for it in self.service.calls("/heartbeat") if it.body["deployments"]])
        self.stop()
        self.assertEqual(reported[0].body["deployments"][0]["error_message"], "no disk")
        told = {it["command_id"]: (it["success"], it["error"]) for it in self.acknowledged()}
        self.assertEqual(told["c1"], (False, "no disk"))
        self.assertIn("hibernate", told["c2"][1])

    def test_a_command_whose_result_is_refused_is_acknowledged_without_it(self) -> None:
        def answer(request: Received) -> Optional[Answer]:
            return error(413) if request.path.endswith("/acknowledge") and "result" in request.body else None

        self.service.answer = answer
        self.start()
        self.service.command(1, "deploy", 1)
        until(lambda: len(self.acknowledged()) == 2)
        self.stop()
        told, again = self.acknowledged()
        self.assertEqual((told["success"], told["result"]), (True, {"replicas": 1}))
        self.assertEqual(again, {key: value for key, value in told.items() if key != "result"})

    def test_a_scale_that_can_not_be_kept_fails_and_what_runs_goes_on(self) -> None:
        self.start()
        self.service.command(1, "deploy", 1)
        until(lambda: self.acknowledged())
        state_file = os.path.join(self.state_dir, "runtime.json")

        def is_directory() -> bool:
            os.remove(state_file)
            try:
                os.mkdir(state_file)
            except FileExistsError:  # what follows the acknowledgement is written meanwhile
                return False
            return True

        # a file can't replace a directory, whoever runs the tests
        until(is_directory)
        self.service.command(2, "scale", 2, 3)
        until(lambda: len(self.acknowledged()) == 2)
        self.assertEqual(self.runtime.running_deployments, ["d"])
        os.rmdir(state_file)
        self.stop()
        self.assertEqual([it.cause for it in self.applied], ["deploy"])
        failed = self.acknowledged()[1]
        self.assertFalse(failed["success"])
        self.assertRegex(failed["error"], "can't be written")

    def test_a_deployment_that_is_stopped_in_the_service_is_ended_without_a_command(self) -> None:
        self.start()
        self.service.command(1, "deploy", 1)
        until(lambda: self.acknowledged())
        self.stop()
        self.service.deployments = [{"id": "d", "status": "stopped", "generation": 1}]
        self.start()
        until(lambda: self.applied[-1].cause == "stop")
        self.stop()

    def test_a_command_of_a_restored_service_is_carried_out_with_its_lower_generation(self) -> None:
        self.start()
        self.service.command(1, "deploy", 3, 2)
        until(lambda: self.acknowledged())
        self.service.deployments = [{"id": "d", "status": "ready", "generation": 1, "replicas": 1}]
        self.service.command(2, "scale", 2, 4)
        until(lambda: len(self.acknowledged()) == 2)
        self.stop()
        self.assertEqual((self.applied[-1].generation, self.applied[-1].replicas), (2, 4))
        self.assertEqual(self.acknowledged()[1]["result"], {"replicas": 4})

    def test_a_registration_names_this_package_and_advice_of_heartbeats_is_reported_once(self) -> None:
        def answer(request: Received) -> Optional[Answer]:
            if request.path == "/agents/register":
                first = len(self.service.calls("/agents/register")) < 2
                advice = {} if first else {"upgrade": "upgrade it"}
                return Answer(200, {"agent_id": "a", "heartbeat_interval_seconds": 0.05, **advice})
            if not request.path.endswith("/heartbeat"):
                return None
            asks = len(self.service.calls("/agents/register")) < 2
            reply = {"status": "ok", "heartbeat_interval_seconds": 0.05, "upgrade": "upgrade it"}
            return Answer(200, {**reply, "register": True} if asks else reply)

        self.service.answer = answer
        self.start()
        first = until(lambda: self.service.calls("/agents/register")[1:])[0]
        until(lambda: len([it for it in self.events if it.event == "registered"]) == 2)
        self.stop()
        pyproject = pathlib.Path(__file__).parents[1] / "pyproject.toml"
        version = next(line.split('"')[1] for line in pyproject.read_text().splitlines() if line.startswith("version"))
        self.assertEqual(
            first.body["runtime"], {"name": "agent-control-plane-python", "version": version, "protocol": 1}
        )
        self.assertEqual([it.message for it in self.events if it.event == "upgrade"], ["upgrade it"])

    def test_a_service_that_asks_for_a_registration_gets_one_and_the_deployment_is_reported_again(self) -> None:
        def answer(request: Received) -> Optional[Answer]:
            if not request.path.endswith("/heartbeat") or not self.service.deployments:
                return None
            known = self.service.deployments[0]["generation"]
            asks = any(it["observed_generation"] > known for it in request.body["deployments"])
            return Answer(200, {"status": "ok", "heartbeat_interval_seconds": 0.05, **({"register": True} if asks else {})})

        def apply(desired: DesiredState) -> None:
            self.applied.append(desired)
            self.runtime.report(desired.deployment_id, desired.replicas)

        self.service.answer = answer
        self.start(apply)
        self.service.command(1, "deploy", 3, 2)
        until(lambda: [it for it in self.service.calls("/heartbeat") if it.body["deployments"]])
        self.service.deployments = [{"id": "d", "status": "ready", "generation": 1, "replicas": 1}]
        self.runtime.report("d", 1)
        reported = until(
            lambda: [
                it
                for beat in self.service.calls("/heartbeat")
                for it in beat.body["deployments"]
                if it["observed_generation"] == 1
            ]
        )
        until(lambda: self.applied[-1].generation == 1)
        self.stop()
        self.assertEqual((reported[0]["deployment_id"], self.applied[-1].replicas), ("d", 1))


class Ends(RuntimeCase):
    def test_a_stop_ends_the_work_and_sends_the_queue_and_a_last_heartbeat(self) -> None:
        ended = []
        runtime = self.start(end=lambda: ended.append(True))
        self.service.command(1, "deploy", 1)
        until(lambda: self.acknowledged())
        runtime.report("d", 1)
        until(lambda: [it for it in self.service.calls("/heartbeat") if it.body["deployments"]])
        runtime.log("the last words")
        self.stop()
        self.assertEqual((ended, self.error), ([True], None))
        last = self.service.calls("/heartbeat")[-1].body
        self.assertEqual((last["status"], last["deployments"][0]["ready_replicas"]), ("stopped", 0))
        self.assertEqual(self.service.calls("/logs")[-1].body["logs"][-1]["message"], "the last words")

    def test_a_second_stop_ends_the_runtime_while_the_work_still_ends(self) -> None:
        self.start(end=lambda: time.sleep(60))
        until(lambda: self.service.calls("/heartbeat"))
        self.runtime.stop()
        self.runtime.stop(0)
        self.ended()

    def test_a_key_that_stays_refused_ends_the_runtime_and_its_work(self) -> None:
        ended = []
        self.service.answer = lambda it: error(401)
        self.start(end=lambda: ended.append(True), refusal_patience=0.0)
        self.ended()
        self.assertIsInstance(self.error, KeyRefusedError)
        self.assertEqual(ended, [True])

    def test_a_401_of_a_proxy_does_not_count_as_a_refused_key(self) -> None:
        page = Answer(401, b"<html>", {"X-Request-Id": "of-the-proxy"})
        self.service.answer = lambda it: page if len(self.service.received) < 5 else None
        self.start(refusal_patience=0.0)
        until(lambda: self.service.calls("/heartbeat"))
        self.stop()
        self.assertIsNone(self.error)

    def test_a_key_of_two_lines_ends_the_runtime_and_no_message_contains_it(self) -> None:
        for key in ("secret\n# of the agent", "secret \u20ac"):
            with self.subTest(key=key):
                self.start(key=lambda: key, refusal_patience=0.0)
                self.ended()
                self.assertIsInstance(self.error, KeyRefusedError)
                self.assertIn("give it alone", str(self.error))
                self.assertNotIn("secret", f"{self.error} {self.events}")
                self.assertEqual(self.service.received, [])

    def test_a_state_directory_of_another_agent_is_refused(self) -> None:
        self.start()
        until(lambda: self.runtime.agent_id)
        self.stop()
        other = {"agent_id": "b", "heartbeat_interval_seconds": 30}
        self.service.answer = lambda it: Answer(200, other) if it.path.endswith("/register") else None
        self.start()
        self.ended()
        self.assertIsInstance(self.error, ForeignStateError)


class Calls(RuntimeCase):
    def test_a_rotated_key_is_used_because_the_key_is_read_before_each_call(self) -> None:
        keys = ["old", "new"]

        def answer(request: Received) -> Optional[Answer]:
            return None if request.headers["Authorization"] == "Bearer new" else error(401)

        self.service.answer = answer
        self.start(key=lambda: keys.pop(0) if len(keys) > 1 else keys[0])
        until(lambda: self.service.calls("/heartbeat"))
        self.stop()

    def test_no_redirect_is_followed(self) -> None:
        elsewhere = {"Location": f"{self.service.url}/elsewhere"}
        self.service.answer = lambda it: Answer(307, {}, elsewhere) if len(self.service.received) < 3 else None
        self.start()
        until(lambda: self.service.calls("/heartbeat"))
        self.stop()
        self.assertEqual(self.service.calls("/elsewhere"), [])

    def test_the_heartbeat_interval_of_the_last_reply_is_used(self) -> None:
        fast = {"status": "ok", "heartbeat_interval_seconds": 0.05}
        self.service.answer = lambda it: Answer(200, fast) if it.path.endswith("/heartbeat") else None
        self.start()
        until(lambda: len(self.service.calls("/heartbeat")) > 5)
        self.stop()

    def test_a_refused_report_is_warned_of_once_while_each_heartbeat_repeats_it(self) -> None:
        message = "deployments.0.ready_replicas must be a whole number"
        refused = [{"field": "deployments.0.ready_replicas", "message": message, "code": "wrong_type"}]

        def answer(request: Received) -> Optional[Answer]:
            if not request.path.endswith("/heartbeat"):
                return None
            reply = {"status": "ok", "heartbeat_interval_seconds": 0.05}
            return Answer(200, {**reply, "refused": refused} if request.body["deployments"] else reply)

        self.service.answer = answer
        runtime = self.start()
        self.service.command(1, "deploy", 1)
        until(lambda: self.acknowledged())
        runtime.report("d", 1)
        until(lambda: len([it for it in self.service.calls("/heartbeat") if it.body["deployments"]]) > 3)
        self.stop()
        warnings = [(it.level, it.deployment_id, it.message) for it in self.events if it.event == "report_refused"]
        text = "The service has refused a report of this deployment: ready_replicas must be a whole number"
        self.assertEqual(warnings, [("warning", "d", text)])

    def test_a_proxy_that_ends_silent_polls_teaches_to_wait_less_but_never_less_than_10_s(self) -> None:
        ends = [Answer(504, b"Gateway Timeout"), HANG_UP]

        def answer(request: Received) -> Optional[Answer]:
            if not request.path.startswith("/agents/commands?") or not ends:
                return None
            time.sleep(1.1)
            return ends.pop(0)

        self.service.answer = answer
        self.start()
        until(lambda: len(self.service.calls("/commands")) >= 3)
        self.stop()
        paths = [it.path.split("&")[0] for it in self.service.calls("/commands")[:3]]
        self.assertEqual(paths, [f"/agents/commands?wait={seconds}" for seconds in (25, 12, 10)])


if __name__ == "__main__":
    unittest.main()
