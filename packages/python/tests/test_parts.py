import ast
import errno
import json
import os
import socket
import stat
import tempfile
import threading
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Callable, List, Tuple

from agent_control_plane.atomic_file import make_private_directory, replace_file
from agent_control_plane.cancellation import Cancellation
from agent_control_plane.correction import Correction, corrections_of
from agent_control_plane.desired_state import (
    Assignment,
    Command,
    assignment_of,
    desired_again,
    desired_by,
    is_outdated,
)
from agent_control_plane.errors import StateDirectoryError
from agent_control_plane.key_verdict import KeyVerdict
from agent_control_plane.repeated_registration import RepeatedRegistration
from agent_control_plane.reports import Condition, Reports
from agent_control_plane.runtime_options import require_address, require_key
from agent_control_plane.runtime_state import Outcome, RuntimeState
from agent_control_plane.service_client import post
from agent_control_plane.turns import Turns

KNOWN = Assignment(2, 1, "running", 3, "{}", 2)


def command(action: str, generation: int = 3, replicas: int = 4, config: str = '{"a": 1}') -> Command:
    return Command("c", action, "d", generation, replicas, config)


class Syntax(unittest.TestCase):
    def test_every_module_is_written_for_python_3_9(self) -> None:
        for file in (Path(__file__).parents[1] / "src").rglob("*.py"):
            ast.parse(file.read_text(), feature_version=(3, 9))


class Verdicts(unittest.TestCase):
    def test_a_refusal_is_final_after_three_in_a_row_over_five_seconds(self) -> None:
        now = [0.0]
        verdict = KeyVerdict(5.0, lambda: now[0])
        self.assertFalse(verdict.refused())
        now[0] = 10.0
        self.assertFalse(verdict.refused())
        verdict.accepted()
        for now[0], is_final in ((10.0, False), (11.0, False), (12.0, False), (15.0, True)):
            self.assertEqual(verdict.refused(), is_final)


class DesiredStates(unittest.TestCase):
    def test_a_scale_keeps_the_start_generation_and_a_restart_replaces_it(self) -> None:
        scaled, restarted = desired_by(command("scale"), KNOWN), desired_by(command("restart"), KNOWN)
        self.assertEqual((scaled.start_generation, scaled.replicas, scaled.config), (1, 4, {"a": 1}))
        self.assertEqual((restarted.start_generation, restarted.phase), (3, "running"))
        self.assertEqual(desired_by(command("scale"), None).start_generation, 3)

    def test_a_rolling_restart_goes_on_through_a_scale_and_a_new_process_until_the_next_start(self) -> None:
        rolling = desired_by(replace(command("restart"), rolling=True), KNOWN)
        self.assertEqual((rolling.start_generation, rolling.rolling), (3, True))
        kept = assignment_of(rolling, KNOWN, "{}")
        assert kept
        self.assertTrue(desired_by(command("scale"), kept).rolling)
        self.assertTrue(desired_again("d", kept).rolling)
        self.assertFalse(desired_by(command("restart"), kept).rolling)

    def test_a_stop_has_no_replicas_and_a_kill_leaves_no_assignment(self) -> None:
        stop = desired_by(command("stop", config="no JSON"), KNOWN)
        self.assertEqual((stop.phase, stop.replicas, stop.config), ("stopped", 0, {}))
        kept = assignment_of(stop, KNOWN, "{}")
        self.assertEqual((kept.phase, kept.config) if kept else None, ("stopped", ""))
        self.assertIsNone(assignment_of(desired_by(command("kill"), KNOWN), KNOWN, ""))

    def test_a_restart_keeps_the_generation_that_failed_as_observed(self) -> None:
        failed = Assignment(5, 1, "failed", 3, "", 4)
        kept = assignment_of(desired_by(command("restart", generation=6), failed), failed, "{}")
        self.assertEqual((kept.generation, kept.observed_generation) if kept else None, (6, 5))

    def test_a_command_of_an_older_generation_is_outdated(self) -> None:
        self.assertTrue(is_outdated(command("scale", generation=1), KNOWN))
        self.assertFalse(is_outdated(command("stop", generation=2), KNOWN))
        self.assertFalse(is_outdated(command("scale", generation=1), None))


class States(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = tempfile.mkdtemp()

    def test_saved_state_is_read_by_the_next_process(self) -> None:
        state = RuntimeState(self.directory)
        state.agent_id = "a"
        state.assign("d", KNOWN)
        state.begin("c1")
        state.settle("c2", Outcome.of(False, error="why"))
        state.settle("c3", Outcome.of(True, {"pid": 1}))
        state.mark_acknowledged("c3")
        state.save()
        again = RuntimeState(self.directory)
        self.assertEqual((again.agent_id, again.assignments()), ("a", [("d", KNOWN)]))
        self.assertIsNone(again.outcome_of("c1"))
        self.assertEqual([key for key, _ in again.unacknowledged()], ["c2"])
        self.assertEqual(again.outcome_of("c3"), state.outcome_of("c3"))
        self.assertEqual(os.listdir(self.directory), ["runtime.json"])

    def test_an_unreadable_state_file_is_renamed(self) -> None:
        for text in ("{", '{"format": 2}', '{"format": 1}', "\udcff"):
            path = os.path.join(self.directory, "runtime.json")
            Path(path).write_bytes(text.encode("utf-8", "surrogateescape"))
            self.assertEqual(RuntimeState(self.directory).assignments(), [])
            self.assertTrue(os.path.exists(f"{path}.unreadable"))

    def test_a_directory_that_can_not_be_written_is_named(self) -> None:
        file = os.path.join(self.directory, "file")
        Path(file).touch()
        with self.assertRaisesRegex(StateDirectoryError, file):
            RuntimeState(os.path.join(file, "state"))

    def test_a_full_disk_is_named_as_the_cause(self) -> None:
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.assertIn("its disk is full, free some space", str(StateDirectoryError("state", full)))

    def test_ended_deployments_are_removed_before_running_ones(self) -> None:
        state = RuntimeState()
        state.assign("runs", KNOWN)
        for number in range(300):
            state.assign(f"ended-{number}", Assignment(1, 1, "stopped", 0, "", 1))
        kept = [key for key, _ in state.assignments()]
        self.assertEqual((kept[0], kept[1], len(kept)), ("runs", "ended-100", 201))

    def test_results_of_commands_are_kept_until_they_are_acknowledged(self) -> None:
        state = RuntimeState()
        for number in range(1_100):
            state.begin(f"c{number}")
            state.settle(f"c{number}", Outcome.of(True))
            if number > 0:
                state.mark_acknowledged(f"c{number}")
        self.assertIsNotNone(state.outcome_of("c0"))
        self.assertIsNone(state.outcome_of("c1"))

    def test_a_private_file_replaces_the_earlier_one(self) -> None:
        directory = os.path.join(self.directory, "one", "two")
        make_private_directory(directory)
        path = os.path.join(directory, "file")
        for text in ("old", "new"):
            replace_file(path, text)
        self.assertEqual((Path(path).read_text(), os.listdir(directory)), ("new", ["file"]))
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(directory).st_mode), 0o700)


class ReportsOfDeployments(unittest.TestCase):
    def setUp(self) -> None:
        self.state = RuntimeState()
        self.reports = Reports(self.state)

    def test_only_noted_conditions_are_reported(self) -> None:
        self.state.assign("d", KNOWN)
        self.assertEqual(self.reports.all(), [])
        self.assertTrue(self.reports.note("d", Condition(2, None)))
        self.assertFalse(self.reports.note("d", Condition(2, None)))
        node = socket.gethostname()[:255]
        running = {"deployment_id": "d", "node_id": node, "status": "running", "ready_replicas": 2}
        self.assertEqual(self.reports.all(), [{**running, "observed_generation": 2}])
        self.reports.note("d", Condition(7, None))
        self.assertEqual([self.reports.all()[0][it] for it in ("status", "ready_replicas")], ["ready", 3])
        self.reports.note_end()
        self.assertEqual(self.reports.all()[0]["ready_replicas"], 0)
        self.reports.forget("d")
        self.assertEqual(self.reports.all(), [])

    def test_restarts_and_the_last_exit_are_reported_also_after_a_failure(self) -> None:
        self.state.assign("d", KNOWN)
        last_exit = {"code": 1, "at": "2026-01-31T09:30:00Z"}
        self.reports.note("d", Condition(0, None, 3, last_exit))
        told = [(self.reports.all()[0][it]) for it in ("status", "restart_count", "last_exit")]
        self.assertEqual(told, ["running", 3, last_exit])
        self.state.mark_failed("d", "gave up")
        told = [(self.reports.all()[0][it]) for it in ("status", "restart_count", "last_exit")]
        self.assertEqual(told, ["failed", 3, last_exit])

    def test_a_completed_deployment_is_reported_with_its_generation_and_its_last_exit(self) -> None:
        self.state.assign("d", KNOWN)
        last_exit = {"code": 0, "at": "2026-01-31T09:30:00Z"}
        self.reports.note("d", Condition(3, None, None, last_exit))
        self.assertFalse(self.state.mark_completed("d", KNOWN.generation + 1))
        self.assertEqual(self.reports.all()[0]["status"], "ready")
        self.assertTrue(self.state.mark_completed("d", KNOWN.generation))
        told = [self.reports.all()[0][it] for it in ("status", "observed_generation", "last_exit")]
        self.assertEqual(told, ["completed", KNOWN.generation, last_exit])

    def test_failed_deployments_are_reported_with_their_reason_and_stopped_ones_are_left_out(self) -> None:
        self.state.assign("d", KNOWN)
        self.state.mark_failed("d", "x" * 900)
        self.state.assign("e", Assignment(1, 1, "stopped", 0, "", 1))
        [report] = self.reports.all()
        self.assertEqual((report["status"], len(report["error_message"])), ("failed", 500))

    def test_a_deployment_that_only_the_service_knows_is_reported_as_failed(self) -> None:
        self.reports.compare([{"id": "lost", "status": "ready", "generation": 5}])
        [report] = self.reports.all()
        self.assertEqual((report["status"], report["observed_generation"]), ("failed", 5))


class Corrections(unittest.TestCase):
    def setUp(self) -> None:
        self.state = RuntimeState()
        self.state.assign("d", KNOWN)

    def corrected(self, status: str, generation: int, told: int) -> List[Tuple[str, Correction]]:
        listed = [{"id": "d", "status": status, "generation": generation, "replicas": 1}]
        return corrections_of(self.state, listed, {"d": told})

    def test_nothing_is_corrected_if_both_sides_agree_or_a_newer_command_has_arrived(self) -> None:
        self.assertEqual(self.corrected("ready", 2, 2), [])
        self.assertEqual(self.corrected("ready", 1, 1), [])
        self.assertEqual(self.corrected("stopped", 1, 1), [])
        self.assertEqual(self.state.assignment("d"), KNOWN)

    def test_a_running_deployment_is_ended_if_the_service_has_stopped_it_or_does_not_know_it(self) -> None:
        self.assertEqual(self.corrected("stopped", 2, 2), [("d", Correction("stopped"))])
        self.assertEqual(corrections_of(self.state, [], {"d": 2}), [("d", Correction("killed"))])
        many = [{"id": str(number)} for number in range(100)]
        self.assertEqual(corrections_of(self.state, many, {"d": 2}), [])

    def test_generations_that_a_restored_service_no_longer_knows_are_lowered(self) -> None:
        self.assertEqual(self.corrected("ready", 1, 2), [("d", Correction("running", 1, 1, False))])
        known = self.state.assignment("d")
        self.assertEqual(known and (known.generation, known.observed_generation), (1, 1))
        self.state.assign("d", Assignment(2, 2, "running", 3, "{}", 2))
        self.assertEqual(self.corrected("ready", 1, 2), [("d", Correction("running", 1, 1, True))])
        self.state.assign("d", Assignment(2, 1, "stopped", 0, "", 2))
        self.assertEqual(self.corrected("ready", 1, 2), [])
        self.assertIsNone(self.state.assignment("d"))

    def test_what_was_stopped_here_is_forgotten_when_the_service_lists_it_as_running(self) -> None:
        for status in ("running", "ready"):
            self.state.assign("d", Assignment(2, 1, "stopped", 0, "", 2))
            self.assertEqual(self.corrected(status, 2, 2), [])
            self.assertIsNone(self.state.assignment("d"))

    def test_what_has_ended_here_is_forgotten_when_it_is_killed_or_unknown(self) -> None:
        for phase in ("stopped", "failed"):
            ended = Assignment(2, 1, phase, 0, "", 2)
            self.state.assign("d", ended)
            self.assertEqual(self.corrected("stopped", 2, 2), [])
            self.assertEqual(self.state.assignment("d"), ended)
            self.assertEqual(self.corrected("killed", 2, 2), [])
            self.assertIsNone(self.state.assignment("d"))
            self.state.assign("d", ended)
            self.assertEqual(corrections_of(self.state, [], {"d": 2}), [])
            self.assertIsNone(self.state.assignment("d"))


class RepeatedRegistrations(unittest.TestCase):
    def setUp(self) -> None:
        self.done: List[str] = []
        self.begun: List[Callable[[], None]] = []
        self.registration = RepeatedRegistration(
            lambda: self.done.append("registered"), lambda seconds: self.done.append("pause"), self.begun.append
        )

    def test_a_registration_is_sent_at_once_and_after_a_pause_when_the_reply_before_asked_too(self) -> None:
        for asks in (False, True, True, False, True):
            self.registration.follow(asks)
            while self.begun:
                self.begun.pop()()
        self.assertEqual(self.done, ["registered", "pause", "registered", "registered"])

    def test_one_registration_is_under_way_however_often_it_is_asked_for(self) -> None:
        self.registration.now()
        self.registration.follow(True)
        self.registration.now()
        self.assertEqual(len(self.begun), 1)


class Options(unittest.TestCase):
    def test_a_bad_address_or_key_is_refused_and_a_secret_is_not_repeated(self) -> None:
        for address in ("ftp://host", "host:8000", "http://", "http://host:99999"):
            self.assertRaisesRegex(ValueError, "base_url must be", require_address, address)
        with self.assertRaises(ValueError) as raised:
            require_address("http://user:secret@host")
        self.assertNotIn("secret", str(raised.exception))
        for key in ("", " ", "two words", "line\n"):
            self.assertRaisesRegex(ValueError, "key must be", require_key, key)
        self.assertRaisesRegex(TypeError, "it is None", require_key, None)


class Requests(unittest.TestCase):
    def test_half_an_emoji_of_a_cut_text_has_no_heartbeat_refused(self) -> None:
        last_exit = {"code": 1, "message": "cut \ud83d", "at": "2026-01-31T09:31:40Z"}
        request = post("/agents/heartbeat", {"deployments": [{"deployment_id": "d", "last_exit": last_exit}]})
        sent = json.loads((request.body or b"").decode("utf-8"))
        self.assertEqual(sent["deployments"][0]["last_exit"]["message"], "cut ?")


class TakingTurns(unittest.TestCase):
    def test_work_of_one_key_runs_in_order_and_concurrently_with_another_key(self) -> None:
        turns, gate = Turns("test"), threading.Event()
        done: List[str] = []

        def other() -> None:
            done.append("other")
            gate.set()

        turns.add("one", lambda: self.assertTrue(gate.wait(30)))
        turns.add("one", lambda: done.append("one"))
        turns.add("other", other)
        turns.wait_settled(Cancellation())
        self.assertEqual(done, ["other", "one"])


if __name__ == "__main__":
    unittest.main()
