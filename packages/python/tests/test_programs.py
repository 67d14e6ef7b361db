import asyncio
import os
import threading
import unittest
from typing import Any, Dict, List

from agent_control_plane import AsyncAgentRuntime, DesiredState, ReplicaThreads, ServiceError, enrolled_key
from agent_control_plane.errors import UnexpectedReplyError
from played_service import Answer, error, until
from runtime_case import RuntimeCase


class Replicas(RuntimeCase):
    def test_threads_follow_the_commands_and_a_failure_is_reported(self) -> None:
        running: Dict[int, int] = {}
        fails = threading.Event()

        def work(replica: Any) -> None:
            running[replica.index] = replica.generation
            if fails.is_set():
                raise RuntimeError("broken")

        replicas = ReplicaThreads(work, every_seconds=0.01)
        runtime = self.start(replicas.apply, end=replicas.end)
        replicas.attach(runtime)

        def is_reported(ready: int, status: str) -> Any:
            reports = [it.body["deployments"] for it in self.service.calls("/heartbeat")]
            last = reports[-1] if reports else []
            return last and (last[0]["ready_replicas"], last[0]["status"]) == (ready, status)

        self.service.command(1, "deploy", 1, 2)
        until(lambda: is_reported(2, "ready"))
        self.service.command(2, "scale", 2, 3)
        until(lambda: is_reported(3, "ready"))
        self.assertEqual(running, {0: 1, 1: 1, 2: 2})
        self.service.command(3, "restart", 3, 1)
        until(lambda: is_reported(1, "ready"))
        self.assertEqual(running[0], 3)
        fails.set()
        until(lambda: is_reported(0, "running"))
        self.service.command(4, "stop", 3)
        until(lambda: len(self.acknowledged()) == 4)
        self.stop()

    def test_a_rolling_restart_replaces_a_thread_when_the_one_before_is_ready(self) -> None:
        lock = threading.Lock()
        working: Dict[int, int] = {}
        fewest = 3
        may_be_ready = threading.Event()

        def work(replica: Any) -> None:
            nonlocal fewest
            if replica.generation == 2:
                may_be_ready.wait()
            with lock:
                working[replica.index] = replica.generation
            replica.ready()
            replica.stopping.wait()
            with lock:
                del working[replica.index]
                fewest = min(fewest, len(working))

        replicas = ReplicaThreads(work)
        runtime = self.start(replicas.apply, end=replicas.end)
        replicas.attach(runtime)

        def work_for(*generations: int) -> bool:
            with lock:
                return sorted(working.values()) == list(generations)

        self.service.command(1, "deploy", 1, 3)
        until(lambda: work_for(1, 1, 1))
        self.service.command(2, "restart", 2, 3, rolling=True)
        until(lambda: len(self.acknowledged()) == 2)
        until(lambda: work_for(1, 1))
        may_be_ready.set()
        until(lambda: work_for(2, 2, 2))
        self.assertEqual(fewest, 2)
        self.service.command(3, "stop", 2)
        until(lambda: len(self.acknowledged()) == 3)
        self.assertEqual(working, {})
        self.stop()


class Asyncio(RuntimeCase):
    def test_coroutines_run_in_the_loop_and_a_cancelled_task_is_a_clean_stop(self) -> None:
        loops = []

        async def apply(desired: DesiredState) -> Dict[str, int]:
            loops.append(asyncio.get_running_loop())
            await asyncio.sleep(0)
            return {"replicas": desired.replicas}

        async def main() -> None:
            runtime = AsyncAgentRuntime(self.service.url, "k", apply, state_dir=self.state_dir)
            task = asyncio.ensure_future(runtime.run())
            self.service.command(1, "deploy", 1)
            while not self.acknowledged():
                await asyncio.sleep(0.01)
            self.assertEqual(loops, [asyncio.get_running_loop()])
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(main())
        self.assertEqual(self.service.calls("/heartbeat")[-1].body["status"], "stopped")


class Enrolment(RuntimeCase):
    def test_an_interrupted_request_is_repeated_with_its_idempotency_key_and_the_agents_key_is_stored(self) -> None:
        answers = [
            Answer(422, {**error(422).body, "message": ["name is too long"]}),
            error(503),
            Answer(200, {"agent_id": "a", "api_key": "svc_agent_1"}),
        ]
        self.service.answer = lambda it: answers.pop(0)
        with self.assertRaises(ServiceError) as refusal:
            enrolled_key(self.service.url, "person", self.state_dir, name="worker")
        self.assertEqual(refusal.exception.code, "refused")
        for _ in range(2):
            key = enrolled_key(self.service.url, "person", self.state_dir, name="worker", version="1")
            self.assertEqual(key, "svc_agent_1")
        calls = self.service.calls("/register")
        self.assertEqual([it.body for it in calls[1:]], [{"name": "worker", "version": "1"}] * 2)
        self.assertEqual(len({it.headers["Idempotency-Key"] for it in calls}), 1)
        self.assertEqual(os.listdir(self.state_dir), ["agent-key"])

    def test_an_agents_key_is_no_credential(self) -> None:
        with self.assertRaises(UnexpectedReplyError):
            enrolled_key(self.service.url, "agent", self.state_dir, name="worker")


if __name__ == "__main__":
    unittest.main()
