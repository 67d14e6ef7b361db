"""Commands, carried out once each."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from functools import partial
from typing import Any, Callable, Optional, Set

from .acknowledgements import Acknowledgements
from .cancellation import Cancellation
from .correction import Correction
from .desired_state import (
    KNOWN_ACTIONS,
    Assignment,
    Command,
    DesiredState,
    assignment_of,
    desired_again,
    desired_by,
    is_outdated,
)
from .errors import StateDirectoryError, message_of
from .runtime_event import EventListener, RuntimeEvent
from .runtime_state import Outcome, RuntimeState
from .turns import Turns

#: Brings a deployment into a state. What it returns is kept with the command: any JSON value.
Apply = Callable[[DesiredState], Any]


class CommandExecution:
    """Carries commands out: one after another for each deployment, and each once, however often it is delivered.

    What a command asks for is on the disk before it is begun, and its result before the service is told.
    """

    def __init__(
        self,
        apply: Apply,
        state: RuntimeState,
        acknowledgements: Acknowledgements,
        on_event: EventListener,
        on_begin: Callable[[str], None],
        on_applied: Callable[[], None],
        ask_service: Callable[[], None],
    ) -> None:
        """`ask_service` registers again, which takes back generations that the service no longer knows."""
        self._apply = apply
        self._state = state
        self._acknowledgements = acknowledgements
        self._on_event = on_event
        self._on_begin = on_begin
        self._on_applied = on_applied
        self._ask_service = ask_service
        self._turns = Turns("agent-apply")
        self._lock = threading.Lock()
        self._taken: Set[str] = set()
        self._is_closing = False

    def resume(self) -> None:
        """Starts the deployments of an earlier process again."""
        for deployment_id, assignment in self._state.assignments():
            if assignment.phase == "running":
                self._in_turn(deployment_id, partial(self._take_up, deployment_id, assignment))

    def take(self, command: Command) -> bool:
        """Returns whether it is new. A command that was carried out before is only acknowledged again."""
        outcome = self._state.outcome_of(command.command_id)
        if outcome:
            self._acknowledgements.send(command.command_id, outcome)
            return False
        with self._lock:
            if command.command_id in self._taken:
                return False
            self._taken.add(command.command_id)
        self._in_turn(command.deployment_id, lambda: self._carry_out(command))
        return True

    def correct(self, deployment_id: str, correction: Correction) -> None:
        """Brings a deployment into the service's state of it, without a command."""
        self._in_turn(deployment_id, partial(self._correct, deployment_id, correction))

    def _correct(self, deployment_id: str, correction: Correction) -> None:
        known = self._state.assignment(deployment_id)
        if known is None or known.phase != "running":
            return
        end = DesiredState(
            deployment_id, known.generation, known.start_generation, known.rolling, "stopped", 0, {}, "stop"
        )
        if correction.phase != "running":
            cause = "kill" if correction.phase == "killed" else "stop"
            self._bring_about(replace(end, phase=correction.phase, cause=cause), "")
            return
        if known.generation != correction.generation:
            # a command has arrived in the meantime
            return
        if correction.is_restart:
            self._apply(end)
        desired = replace(
            end,
            phase="running",
            replicas=correction.replicas,
            config=json.loads(known.config),
            cause="restart" if correction.is_restart else "scale",
        )
        self._bring_about(desired, known.config)

    def close(self) -> None:
        """From now on a failure means the end only: what was not carried out comes again after the next start."""
        self._is_closing = True

    def wait_settled(self, cancellation: Cancellation) -> None:
        """Returns when no command is being carried out, or the cancellation is set."""
        self._turns.wait_settled(cancellation)

    def _in_turn(self, deployment_id: str, work: Callable[[], None]) -> None:
        def guarded() -> None:
            if self._is_closing:
                return
            try:
                work()
            except Exception as error:
                if not self._is_closing:
                    self._on_event(RuntimeEvent("error", "failed", message_of(error), deployment_id))

        self._turns.add(deployment_id, guarded)

    def _take_up(self, deployment_id: str, assignment: Assignment) -> None:
        try:
            self._bring_about(desired_again(deployment_id, assignment), assignment.config)
        except Exception as error:
            self._mark_failed(deployment_id, message_of(error))
            raise

    def _carry_out(self, command: Command) -> None:
        try:
            self._on_event(
                RuntimeEvent(
                    "info",
                    "command",
                    f"{command.action}, generation {command.generation}, {command.replicas} replicas",
                    command.deployment_id,
                )
            )
            outcome = self._outcome_of(command)
            if self._is_closing and not outcome.success:
                return
            self._state.settle(command.command_id, outcome)
            self._keep(command.deployment_id)
        finally:
            with self._lock:
                self._taken.discard(command.command_id)
        if not outcome.success:
            message = f"{command.action} failed: {outcome.error}"
            self._on_event(RuntimeEvent("error", "command_failed", message, command.deployment_id))
        self._acknowledgements.send(command.command_id, outcome)

    def _outcome_of(self, command: Command) -> Outcome:
        if command.action not in KNOWN_ACTIONS:
            # a newer service may know more actions than this runtime
            return Outcome.of(False, error=f'The runtime does not know the action "{command.action}"')
        if is_outdated(command, self._state.assignment(command.deployment_id)):
            self._ask_service()
        known = self._state.assignment(command.deployment_id)
        if is_outdated(command, known):
            return Outcome.of(True, {"outdated": True})
        self._state.begin(command.command_id)
        try:
            result = self._bring_about(desired_by(command, known), command.config)
            return Outcome.of(True, _as_json(result))
        except StateDirectoryError as error:
            # it was not begun, and what ran before it goes on
            return Outcome.of(False, error=message_of(error))
        except Exception as error:
            self._mark_failed(command.deployment_id, message_of(error))
            return Outcome.of(False, error=message_of(error))

    def _bring_about(self, desired: DesiredState, config: str) -> Any:
        key = desired.deployment_id
        known = self._state.assignment(key)
        self._state.assign(key, assignment_of(desired, known, config))
        self._keep_before(desired, known)
        if desired.cause != "scale":
            # what the agent said of other replicas is not true of these
            self._on_begin(key)
        result = self._apply(desired)
        self._state.mark_observed(key, desired.generation)
        self._on_applied()
        return result

    def _mark_failed(self, deployment_id: str, error: str) -> None:
        if self._is_closing:
            return
        self._state.mark_failed(deployment_id, error)
        self._on_applied()
        self._keep(deployment_id)

    def _keep_before(self, desired: DesiredState, known: Optional[Assignment]) -> None:
        """Starts a deployment only once it is stored. Ends one in any case: a full disk may be the reason for it.

        What an earlier process started is on the disk already.

        Raises:
            StateDirectoryError: it can't be kept. The deployment is then as it was.
        """
        try:
            self._state.save()
        except StateDirectoryError as error:
            if desired.phase != "running" or desired.cause == "resume":
                self._warn_of_unkept(desired.deployment_id, error)
                return
            self._state.assign(desired.deployment_id, known)
            raise

    def _keep(self, deployment_id: str) -> None:
        """As far as the disk allows: the service is told what was done all the same."""
        try:
            self._state.save()
        except StateDirectoryError as error:
            self._warn_of_unkept(deployment_id, error)

    def _warn_of_unkept(self, deployment_id: str, error: Exception) -> None:
        self._on_event(RuntimeEvent("warning", "not_kept", message_of(error), deployment_id))


def _as_json(result: Any) -> Optional[Any]:
    """The result as the service can keep it. What is no JSON becomes text."""
    try:
        return json.loads(json.dumps(result, default=str, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return str(result)
