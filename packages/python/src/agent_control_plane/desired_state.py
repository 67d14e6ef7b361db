"""The desired state of a deployment, and what the state file keeps of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Dict, Mapping, Optional

STARTS = ("deploy", "restart")
ENDS = ("stop", "kill")
KNOWN_ACTIONS = (*STARTS, *ENDS, "scale")


@dataclass(frozen=True)
class DesiredState:
    """The state that a deployment is to have, whatever state it is in."""

    deployment_id: str
    #: Rises with each deploy, scale and restart.
    generation: int
    #: The generation of the last deploy or restart. Replicas that were started for an earlier one are to be replaced.
    start_generation: int
    #: Whether they are to be replaced one after another.
    rolling: bool
    #: `running`, `stopped` or `killed`.
    phase: str
    #: How many replicas are to run; 0 unless the phase is `running`.
    replicas: int
    #: The agent's configuration, parsed.
    config: Any
    #: `deploy`, `scale`, `restart`, `stop`, `kill`; `resume` when the agent's process has started anew.
    cause: str


@dataclass(frozen=True)
class Assignment:
    """A deployment as it is remembered from one command to the next."""

    generation: int
    start_generation: int
    #: `running`, `stopped`, `failed`, or `completed`: all replicas have ended well, and none is to start again.
    phase: str
    replicas: int
    #: JSON text; empty unless the phase is `running`.
    config: str
    #: The last generation that was carried out; 0 for none.
    observed_generation: int
    #: Why it failed.
    error: Optional[str] = None
    #: Whether the last start was a rolling restart.
    rolling: bool = False

    def to_json(self) -> Dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "Assignment":
        return Assignment(**value)


@dataclass(frozen=True)
class Command:
    command_id: str
    action: str
    deployment_id: str
    generation: int
    replicas: int
    config: str
    rolling: bool = False

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "Command":
        """Raises KeyError, TypeError or ValueError for what is no command."""
        parameters = value["parameters"]
        return Command(
            command_id=str(value["command_id"]),
            action=str(value["action"]),
            deployment_id=str(value["deployment_id"]),
            generation=int(parameters["generation"]),
            replicas=int(parameters["replicas"]),
            config=str(parameters["config"]),
            rolling=parameters.get("rolling") is True,
        )


def is_outdated(command: Command, known: Optional[Assignment]) -> bool:
    """Whether a later command of the deployment has been carried out, so that this one has no meaning any more."""
    return known is not None and command.generation < known.generation


def desired_by(command: Command, known: Optional[Assignment]) -> DesiredState:
    """The desired state after a command. Raises ValueError when the configuration is not JSON."""
    ends = command.action in ENDS
    is_start = command.action in STARTS or known is None
    # a scale during a rolling restart does not hurry it
    is_rolling = command.action == "scale" and known is not None and known.rolling
    phase = {"stop": "stopped", "kill": "killed"}.get(command.action, "running")
    return DesiredState(
        deployment_id=command.deployment_id,
        generation=command.generation,
        start_generation=command.generation if is_start or known is None else known.start_generation,
        rolling=command.rolling if command.action == "restart" else is_rolling,
        phase=phase,
        replicas=0 if ends else command.replicas,
        config={} if ends else json.loads(command.config),
        cause=command.action,
    )


def desired_again(deployment_id: str, known: Assignment) -> DesiredState:
    """A deployment that ran is to run again in the agent's new process."""
    return DesiredState(
        deployment_id=deployment_id,
        generation=known.generation,
        start_generation=known.start_generation,
        rolling=known.rolling,
        phase="running",
        replicas=known.replicas,
        config=json.loads(known.config),
        cause="resume",
    )


def assignment_of(desired: DesiredState, known: Optional[Assignment], config: str) -> Optional[Assignment]:
    """The entry for the state file. None for a killed deployment: its entry is removed."""
    if desired.phase == "killed":
        return None
    return Assignment(
        generation=desired.generation,
        start_generation=desired.start_generation,
        phase=desired.phase,
        replicas=desired.replicas,
        config=config if desired.phase == "running" else "",
        observed_generation=_reported_generation(known) if known else 0,
        rolling=desired.rolling,
    )


def _reported_generation(known: Assignment) -> int:
    """A failure and a completion are reported with their generation; later reports must not name an older one."""
    return known.generation if known.phase in ("failed", "completed") else known.observed_generation
