"""The state that must outlive the process."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .atomic_file import make_private_directory, replace_file
from .desired_state import Assignment
from .errors import StateDirectoryError, message_of
from .runtime_event import EventListener, RuntimeEvent

FORMAT = 1
FILE = "runtime.json"
#: Far more than can be delivered again: at most 1,000 commands wait for an agent, each for five leases.
REMEMBERED_COMMANDS = 1_000
#: All deployments that run are remembered; of the others the latest.
REMEMBERED_ENDED = 200
#: Ends of runs that the service does not know yet.
REMEMBERED_RUN_ENDS = 500


@dataclass(frozen=True)
class Outcome:
    """Outcome of a command, as it is acknowledged to the service."""

    success: bool
    completed_at: str
    result: Any = None
    error: Optional[str] = None

    @staticmethod
    def of(success: bool, result: Any = None, error: Optional[str] = None) -> "Outcome":
        return Outcome(success, now_text(), result, error)

    def to_json(self) -> Dict[str, Any]:
        body: Dict[str, Any] = {"success": self.success, "completed_at": self.completed_at}
        if self.result is not None:
            body["result"] = self.result
        if self.error is not None:
            body["error"] = self.error
        return body


@dataclass(frozen=True)
class RememberedCommand:
    #: None while the command is carried out.
    outcome: Optional[Outcome]
    #: The service has taken the acknowledgement.
    acknowledged: bool


class RuntimeState:
    """The state of each deployment, the commands that were carried out, and the results that the service has not taken.

    Args:
        directory: made when it is missing. None: nothing outlives the process.

    Raises:
        StateDirectoryError: the directory can't be read or written.
    """

    def __init__(self, directory: Optional[str] = None) -> None:
        self._directory = directory
        self._lock = threading.RLock()
        self._writing = threading.Lock()
        self._version = 0
        self._written = 0
        self._agent_id: Optional[str] = None
        self._assignments: Dict[str, Assignment] = {}
        self._commands: Dict[str, RememberedCommand] = {}
        self._run_ends: Dict[str, Dict[str, Any]] = {}
        if directory is not None:
            try:
                make_private_directory(directory)
                self._load(os.path.join(directory, FILE))
            except OSError as error:
                raise StateDirectoryError(directory, error) from error

    @property
    def agent_id(self) -> Optional[str]:
        return self._agent_id

    @agent_id.setter
    def agent_id(self, agent_id: str) -> None:
        with self._lock:
            self._agent_id = agent_id
            self._version += 1

    def assignment(self, deployment_id: str) -> Optional[Assignment]:
        with self._lock:
            return self._assignments.get(deployment_id)

    def assignments(self) -> List[Tuple[str, Assignment]]:
        """Assignments, the oldest first."""
        with self._lock:
            return list(self._assignments.items())

    def assign(self, deployment_id: str, assignment: Optional[Assignment]) -> None:
        """Stores the state of a deployment; None removes it."""
        with self._lock:
            self._version += 1
            if assignment is None:
                self._assignments.pop(deployment_id, None)
                return
            self._assignments[deployment_id] = assignment
            ended = [key for key, it in self._assignments.items() if it.phase != "running"]
            for key in ended[: max(0, len(ended) - REMEMBERED_ENDED)]:
                del self._assignments[key]

    def mark_failed(self, deployment_id: str, reason: str) -> bool:
        """Returns whether the deployment was meant to run until now."""
        with self._lock:
            known = self._assignments.get(deployment_id)
            if known is None or known.phase != "running":
                return False
            self.assign(deployment_id, replace(known, phase="failed", config="", error=reason))
            return True

    def mark_completed(self, deployment_id: str, generation: int) -> bool:
        """Returns whether the deployment was meant to run until now, in this generation."""
        with self._lock:
            known = self._assignments.get(deployment_id)
            if known is None or known.phase != "running" or known.generation != generation:
                return False
            self.assign(deployment_id, replace(known, phase="completed", config=""))
            return True

    def mark_observed(self, deployment_id: str, generation: int) -> None:
        """Notes that the desired state of a generation is in effect."""
        with self._lock:
            known = self._assignments.get(deployment_id)
            if known is not None:
                self.assign(deployment_id, replace(known, observed_generation=generation))

    def outcome_of(self, command_id: str) -> Optional[Outcome]:
        """The outcome of a command. None until it has been carried out to its end."""
        with self._lock:
            known = self._commands.get(command_id)
            return known.outcome if known else None

    def begin(self, command_id: str) -> None:
        with self._lock:
            self._version += 1
            self._commands[command_id] = RememberedCommand(None, False)
            surplus = len(self._commands) - REMEMBERED_COMMANDS
            settled = [key for key, it in self._commands.items() if it.acknowledged]
            for key in settled[: max(0, surplus)]:
                del self._commands[key]

    def settle(self, command_id: str, outcome: Outcome) -> None:
        with self._lock:
            self._version += 1
            self._commands[command_id] = RememberedCommand(outcome, False)

    def mark_acknowledged(self, command_id: str) -> None:
        with self._lock:
            known = self._commands.get(command_id)
            if known:
                self._version += 1
                self._commands[command_id] = RememberedCommand(known.outcome, True)

    def unacknowledged(self) -> List[Tuple[str, Outcome]]:
        """Outcomes that the service has not accepted yet, the oldest first."""
        with self._lock:
            return [
                (key, it.outcome) for key, it in self._commands.items() if it.outcome and not it.acknowledged
            ]

    def run_ends(self) -> Dict[str, Dict[str, Any]]:
        """Ends of runs that the service does not know yet, the oldest first, by the names of the runs."""
        with self._lock:
            return dict(self._run_ends)

    def keep_run_end(self, name: str, report: Dict[str, Any]) -> Optional[str]:
        """Returns the name of the oldest end if it had to go."""
        with self._lock:
            self._version += 1
            self._run_ends[name] = report
            if len(self._run_ends) <= REMEMBERED_RUN_ENDS:
                return None
            oldest = next(iter(self._run_ends))
            del self._run_ends[oldest]
            return oldest

    def drop_run_end(self, name: str, report: Mapping[str, Any]) -> None:
        """Forgets an end that the service knows. The end of another attempt is kept."""
        with self._lock:
            known = self._run_ends.get(name)
            if known is not None and known.get("ended_at") == report.get("ended_at"):
                self._version += 1
                del self._run_ends[name]

    def save_at_end(self, cause: Optional[BaseException], on_event: EventListener) -> None:
        """As `save`; where something else ends the runtime, an error here must not hide it."""
        try:
            self.save()
        except StateDirectoryError as error:
            if cause is None:
                raise
            on_event(RuntimeEvent("warning", "not_kept", message_of(error)))

    def save(self) -> None:
        """Returns when all changes that were made before the call are on the disk. Callers share a write.

        Raises:
            StateDirectoryError: they are in memory only.
        """
        if self._directory is None:
            return
        with self._lock:
            wanted = self._version
        with self._writing:
            if self._written >= wanted:
                return
            with self._lock:
                version = self._version
                text = json.dumps(self._contents())
            try:
                replace_file(os.path.join(self._directory, FILE), text + "\n")
            except OSError as error:
                raise StateDirectoryError(self._directory, error) from error
            self._written = version

    def _contents(self) -> Dict[str, Any]:
        return {
            "format": FORMAT,
            "agent_id": self._agent_id,
            "deployments": {key: it.to_json() for key, it in self._assignments.items()},
            "commands": {
                key: {
                    "outcome": it.outcome.to_json() if it.outcome else None,
                    "acknowledged": it.acknowledged,
                }
                for key, it in self._commands.items()
            },
            "run_ends": self._run_ends,
        }

    def _load(self, path: str) -> None:
        """A file that can't be understood is put aside, not overwritten: somebody may want to know what was in it."""
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            return
        except ValueError:
            text = ""
        try:
            self._take_in(json.loads(text))
        except (ValueError, TypeError, KeyError, AttributeError):
            os.replace(path, f"{path}.unreadable")

    def _take_in(self, contents: Mapping[str, Any]) -> None:
        if contents["format"] != FORMAT:
            raise ValueError("another format")
        assignments = {key: Assignment.from_json(it) for key, it in contents["deployments"].items()}
        commands = {
            key: RememberedCommand(Outcome(**it["outcome"]) if it["outcome"] else None, it["acknowledged"])
            for key, it in contents["commands"].items()
        }
        self._agent_id, self._assignments, self._commands = contents["agent_id"], assignments, commands
        # absent in a file that was written before there were runs
        self._run_ends = dict(contents.get("run_ends") or {})


def now_text() -> str:
    """The present time, as the protocol writes times."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
