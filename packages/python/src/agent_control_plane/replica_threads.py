"""Replicas as threads that call a function again and again."""

from __future__ import annotations

import threading
import traceback
from typing import Any, Callable, Dict, List, Mapping, Optional, Protocol, Tuple

from .backoff import Backoff
from .deployment_context import current_deployment
from .desired_state import DesiredState

#: Seconds between a failure of the function and its next call: the ceiling of the first pause, and of all.
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0


class Reporter(Protocol):
    """The part of a runtime that `ReplicaThreads` needs."""

    def report(
        self, deployment_id: str, ready_replicas: int, error_message: Optional[str] = None
    ) -> None: ...

    def log(
        self,
        message: str,
        level: str = "info",
        *,
        deployment_id: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
    ) -> None: ...


class Replica:
    """One of a deployment's replicas, as the function gets it."""

    def __init__(self, desired: DesiredState, index: int, on_change: Callable[[], None]) -> None:
        self.deployment_id = desired.deployment_id
        #: The generation that it was started for.
        self.generation = desired.generation
        #: The generation of the deploy or restart that it was started for.
        self.start_generation = desired.start_generation
        #: From 0 on.
        self.index = index
        #: The agent's configuration, parsed.
        self.config = desired.config
        #: Set when it is to end. A function that runs for long returns soon after that.
        self.stopping = threading.Event()
        self.is_ready = False
        self.last_error: Optional[str] = None
        self._on_change = on_change

    def ready(self) -> None:
        """It does its work. Is called for it when the function returns for the first time."""
        self._become(True, None)

    def failed(self, error: str) -> None:
        self._become(False, error)

    def _become(self, is_ready: bool, error: Optional[str]) -> None:
        if (self.is_ready, self.last_error) != (is_ready, error):
            self.is_ready, self.last_error = is_ready, error
            self._on_change()


class ReplicaThreads:
    """Runs `function(replica)` in a thread for each replica: called again `every_seconds` after it has returned.

    An exception is logged with its traceback, and the function is called again after a pause. Threads can't be
    interrupted: a stop, and a kill too, is over when the function has returned. A rolling restart ends one replica, starts
    it again, and goes on with the next one when that is ready.

    Args:
        every_seconds: the pause after each call.
    """

    def __init__(self, function: Callable[[Replica], object], every_seconds: float = 0.0) -> None:
        self._function = function
        self._every_seconds = every_seconds
        self._lock = threading.RLock()
        self._replicas: Dict[str, List[Tuple[Replica, threading.Thread]]] = {}
        self._starts: Dict[str, int] = {}
        self._wanted: Dict[str, DesiredState] = {}
        self._runtime: Optional[Reporter] = None

    def attach(self, runtime: Reporter) -> None:
        """The runtime whose `apply` and `end` are the methods below. To be called before it runs."""
        self._runtime = runtime

    def apply(self, desired: DesiredState) -> Dict[str, int]:
        """Starts and ends replicas until as many run as are asked for; those that go on are not disturbed."""
        key = desired.deployment_id
        with self._lock:
            self._wanted[key] = desired
        if not desired.rolling and self._starts.get(key) != desired.start_generation:
            self._resize(desired, 0)
        self._resize(desired, desired.replicas)
        if desired.phase == "running":
            self._starts[key] = desired.start_generation
            self._changed(key)
        else:
            self._starts.pop(key, None)
            self._replicas.pop(key, None)
            self._wanted.pop(key, None)
        return {"replicas": desired.replicas}

    def end(self) -> None:
        """Ends all replicas."""
        with self._lock:
            all_of_them = [it for replicas in self._replicas.values() for it in replicas]
            self._replicas.clear()
        _end(all_of_them)

    def _resize(self, desired: DesiredState, count: int) -> None:
        key = desired.deployment_id
        with self._lock:
            replicas = self._replicas.setdefault(key, [])
            surplus = replicas[count:]
            del replicas[count:]
        _end(surplus)
        while len(replicas) < count:
            self._start(desired, len(replicas))

    def _start(self, desired: DesiredState, index: int) -> None:
        """Starts the replica of a place that is new, or whose replica has ended."""
        key = desired.deployment_id
        replica = Replica(desired, index, lambda: self._changed(key))
        thread = threading.Thread(
            target=self._work, args=(replica,), name=f"replica-{key}-{index}", daemon=True
        )
        with self._lock:
            self._replicas[key][index : index + 1] = [(replica, thread)]
        thread.start()

    def _older(self, key: str) -> List[Replica]:
        """The replicas that a rolling restart has still to replace."""
        start = self._wanted[key].start_generation if key in self._wanted else 0
        return [it for it, _ in self._replicas.get(key, []) if it.start_generation < start]

    def _roll(self, key: str) -> None:
        """Ends the next replica of a rolling restart, one that is not ready first, once all newer ones are ready."""
        older = self._older(key)
        newer = [it for it, _ in self._replicas.get(key, []) if it not in older]
        if all(it.is_ready for it in newer) and not any(it.stopping.is_set() for it in older):
            for replica in sorted(older, key=lambda it: it.is_ready)[:1]:
                replica.stopping.set()

    def _replace(self, replica: Replica) -> None:
        """Starts a replica anew that a rolling restart has ended; others that ended are in no place any more."""
        key = replica.deployment_id
        with self._lock:
            if any(it is replica for it, _ in self._replicas.get(key, [])):
                self._start(self._wanted[key], replica.index)
                self._changed(key)

    def _work(self, replica: Replica) -> None:
        current_deployment.set(replica.deployment_id)
        backoff = Backoff(FIRST_PAUSE, LONGEST_PAUSE)
        while not replica.stopping.is_set():
            try:
                self._function(replica)
            except Exception as error:
                self._log_failure(replica, error)
                replica.failed(f"replica {replica.index}: {type(error).__name__}: {error}")
                replica.stopping.wait(backoff.next())
            else:
                backoff.reset()
                if not replica.stopping.is_set():
                    replica.ready()
                replica.stopping.wait(self._every_seconds)
        self._replace(replica)

    def _log_failure(self, replica: Replica, error: Exception) -> None:
        if self._runtime:
            self._runtime.log(
                f"{type(error).__name__}: {error}",
                "error",
                deployment_id=replica.deployment_id,
                metadata={"replica": replica.index, "traceback": traceback.format_exc()},
            )

    def _changed(self, deployment_id: str) -> None:
        with self._lock:
            self._roll(deployment_id)
            if not self._runtime:
                return
            replicas = [replica for replica, _ in self._replicas.get(deployment_id, [])]
            ready = sum(replica.is_ready for replica in replicas)
            if self._older(deployment_id):
                # all count as ready only when the last one is replaced
                ready = min(ready, len(replicas) - 1)
            error = next((replica.last_error for replica in replicas if replica.last_error), None)
            self._runtime.report(deployment_id, ready, error)


def _end(replicas: List[Tuple[Replica, threading.Thread]]) -> None:
    for replica, _ in replicas:
        replica.stopping.set()
    for _, thread in replicas:
        if thread is not threading.current_thread():
            thread.join()
