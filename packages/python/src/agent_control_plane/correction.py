"""Differences between the agent's state and the reply to its registration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, List, Mapping, Optional, Sequence, Tuple

from .desired_state import Assignment
from .runtime_state import RuntimeState

#: A registration lists the newest deployments, at most so many: of older ones it says nothing.
LISTED_AT_MOST = 100


@dataclass(frozen=True)
class Correction:
    """A deployment that runs here otherwise than the service has it."""

    #: `running`, `stopped` or `killed`.
    phase: str
    generation: int = 0
    replicas: int = 0
    #: It was started anew for a generation that the service no longer knows.
    is_restart: bool = False


def corrections_of(
    state: RuntimeState, listed: Sequence[Mapping[str, Any]], told: Mapping[str, int]
) -> List[Tuple[str, Correction]]:
    """Compares what runs here with what a registration lists.

    A service whose database was restored from a backup knows less than it has told: generations that it has told are
    taken back here too, or its next commands would count as outdated.

    Args:
        told: the generations that were known when the registration was sent; what came later may be newer than its
            reply
    """
    corrections: List[Tuple[str, Correction]] = []
    for deployment in listed:
        key, status = str(deployment.get("id")), str(deployment.get("status"))
        generation = int(deployment.get("generation") or 0)
        here = state.assignment(key)
        if here is None:
            continue
        has_fallen = generation < told.get(key, 0)
        if has_fallen:
            state.assign(key, _taken_back(here, generation))
        if status == "killed" or (status in ("running", "ready") and here.phase == "stopped"):
            _forget_ended(state, key)
        if here.phase != "running" or (here.generation > generation and not has_fallen):
            continue
        if status in ("stopped", "killed"):
            corrections.append((key, Correction(status)))
        elif has_fallen:
            replicas = int(deployment.get("replicas") or 0)
            is_restart = here.start_generation > generation
            corrections.append((key, Correction("running", generation, replicas, is_restart)))
    if len(listed) < LISTED_AT_MOST:
        known = {str(deployment.get("id")) for deployment in listed}
        for key in told:
            if key not in known:
                _forget_ended(state, key)
                if state.assignment(key):
                    corrections.append((key, Correction("killed")))
    return corrections


def _forget_ended(state: RuntimeState, key: str) -> None:
    """Forgets what has ended here, and for which no command comes any more.

    The service has it as killed, does not know it, or has it as running after it lost the command that stopped it. What
    runs here is ended first. What is unknown here and runs in the service is then reported as failed.
    """
    here = state.assignment(key)
    if here is not None and here.phase != "running":
        state.assign(key, None)


def _taken_back(here: Assignment, generation: int) -> Optional[Assignment]:
    """None for what was stopped, or has failed, for a generation that is no more: nothing is known of it."""
    if here.phase != "running":
        return None
    return replace(
        here,
        generation=generation,
        start_generation=min(here.start_generation, generation),
        observed_generation=min(here.observed_generation, generation),
    )
