import asyncio
import hashlib
import threading
import unittest
from typing import Any, Callable, Dict, List, Optional

from agent_control_plane import (
    AgentRun,
    ApprovalDecision,
    ApprovalQuestion,
    ArgumentsChangedError,
    AsyncAgentRuntime,
    NotApprovedError,
    QuestionInterruptedError,
    ServiceError,
)
from agent_control_plane.canonical_json import canonical_json, plain_json, sha256_of_json
from played_service import HANG_UP, Answer, Received, error, until
from runtime_case import RuntimeCase

ARGS = {"to": "DE02", "euros": 120}


class CanonicalJson(unittest.TestCase):
    def test_it_is_that_of_rfc_8785(self) -> None:
        numbers = [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001]
        value = {"numbers": numbers, "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/", "literals": [None, True]}
        expected = (
            '{"literals":[null,true],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
            '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
        )
        self.assertEqual(canonical_json(value), expected)
        names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
        ordered = '{"\\r":0,"1":0,"\u0080":0,"\u00f6":0,"\u20ac":0,"\U0001f600":0,"\ufb33":0}'
        self.assertEqual(canonical_json(dict.fromkeys(names, 0)), ordered)

    def test_numbers_are_those_of_ecmascript(self) -> None:
        written = {
            -0.0: "0", 1.0: "1", 1e20: "100000000000000000000", 1.2345678901234568e20: "123456789012345680000",
            1e21: "1e+21", -1.5e300: "-1.5e+300", 1e-6: "0.000001", 1.5e-7: "1.5e-7", 5e-324: "5e-324", 12.25: "12.25",
        }  # fmt: skip
        self.assertEqual([canonical_json(it) for it in written], list(written.values()))

    def test_what_json_would_change_is_refused(self) -> None:
        for value in (float("nan"), float("inf"), 2**53, {"\ud83d": 1}, "\ude00"):
            self.assertRaises(ValueError, plain_json, value)
        self.assertRaises(TypeError, plain_json, object())
        self.assertEqual(plain_json({1: (2, 3)}), {"1": [2, 3]})
        self.assertEqual(sha256_of_json(None), hashlib.sha256(b"null").hexdigest())


class Approvals(RuntimeCase):
    def setUp(self) -> None:
        super().setUp()
        self.asked: Dict[str, Dict[str, Any]] = {}
        self.decisions: Dict[str, Dict[str, Any]] = {}
        self.fault: Callable[[Received], Optional[Answer]] = lambda request: None
        self.service.answer = lambda request: self.fault(request) or self.answer(request)

    def answer(self, request: Received) -> Optional[Answer]:
        path = request.path.split("?")[0]
        if path == "/agents/register":
            listed = [self.shown(it) for it in self.asked.values()]
            return Answer(200, {"agent_id": "a", "heartbeat_interval_seconds": 30, "approvals": listed})
        if path == "/agents/approvals":
            approval = self.asked.setdefault(request.body["approval_key"], request.body)
            return Answer(201, self.shown(approval))
        if path.startswith("/agents/approvals/"):
            approval = self.asked[path.split("/")[3]]
            if path.endswith("/withdraw"):
                self.decide(approval["approval_key"], "withdrawn")
            # as long as it waits, in the service
            if approval["approval_key"] not in self.decisions:
                threading.Event().wait(0.05)
            return Answer(200, self.shown(approval))
        if path == "/agents/runs":
            runs = [{**it, "run_id": f"id-of-{it['run_key']}", "attempt": 1} for it in request.body["runs"]]
            return Answer(200, {"runs": runs})
        return None

    def shown(self, body: Dict[str, Any]) -> Dict[str, Any]:
        key = body["approval_key"]
        return {
            "id": key, "approval_id": key, "approval_key": key, "run_id": body.get("run_id"), "action": body["action"],
            "args_sha256": sha256_of_json(body["action"]["args"]), "state": "pending", "decided_by": None,
            "reason": None, "edited_args": None, "response": None, **self.decisions.get(key, {}),
        }  # fmt: skip

    def decide(self, key: str, state: str, **more: Any) -> None:
        self.decisions[key] = {"state": state, **more}

    def key(self) -> str:
        return str(until(lambda: self.service.calls("/agents/approvals"))[-1].body["approval_key"])

    def test_the_decision_has_the_arguments_that_may_be_run(self) -> None:
        self.start()
        asking = Background(lambda: self.runtime.approve(ApprovalQuestion("Pay", "pay", ARGS, risk="high")))
        self.decide(self.key(), "approved", decided_by="user:u", reason="right")
        decision: ApprovalDecision = asking.result()
        self.assertEqual((decision.state, decision.is_approved, decision.args), ("approved", True, ARGS))
        self.assertEqual((decision.decided_by, decision.reason), ("user:u", "right"))
        decision.args["euros"] = 1
        self.assertEqual(decision.args, ARGS)
        decision.check({"euros": 120.0, "to": "DE02"})
        self.assertRaises(ArgumentsChangedError, decision.check, {**ARGS, "euros": 121})
        body = self.service.calls("/agents/approvals")[0].body
        self.assertEqual((body["title"], body["risk"], body["action"]), ("Pay", "high", {"name": "pay", "args": ARGS}))
        self.assertNotIn("run_id", body)
        self.stop()

    def test_other_ends_have_none(self) -> None:
        self.start()
        for state, more, message in (
            ("rejected", {"decided_by": "user:u", "reason": "no"}, "pay is rejected by user:u: no"),
            ("responded", {"decided_by": "user:u", "response": "Ask"}, "pay is responded by user:u: Ask"),
            ("expired", {}, "pay is expired: nobody has decided in time"),
            ("withdrawn", {}, "pay is withdrawn"),
        ):
            self.decide(state, state, **more)
            decision = self.runtime.approve(ApprovalQuestion("Pay", "pay", ARGS, key=state))
            self.assertFalse(decision.is_approved)
            with self.assertRaises(NotApprovedError) as raised:
                decision.args
            self.assertEqual((raised.exception.state, str(raised.exception)), (state, message))
        self.decide("e", "edited", edited_args={"euros": 20})
        self.assertEqual(self.runtime.approve(ApprovalQuestion("Pay", "pay", ARGS, key="e")).args, {"euros": 20})
        self.stop()

    def test_arguments_that_change_while_it_waits_are_not_run(self) -> None:
        self.start()
        args = dict(ARGS)
        asking = Background(lambda: self.runtime.approve(ApprovalQuestion("Pay", "pay", args)))
        key = self.key()
        args["euros"] = 121
        self.decide(key, "approved")
        self.assertRaises(ArgumentsChangedError, asking.result)
        self.stop()

    def test_it_asks_once_through_lost_replies_and_says_what_is_refused(self) -> None:
        faults: List[Answer] = [HANG_UP, error(503), error(429)]
        self.fault = lambda it: faults.pop() if it.path == "/agents/approvals" and faults else None
        self.start()
        asking = Background(lambda: self.runtime.approve(ApprovalQuestion("Pay", "pay", ARGS)))
        until(lambda: self.asked)
        lost = [HANG_UP]
        self.fault = lambda it: lost.pop() if it.method == "GET" and "approvals" in it.path and lost else None
        self.decide(self.key(), "approved")
        self.assertEqual(asking.result().state, "approved")
        self.assertEqual((len(self.asked), len(self.service.calls("/agents/approvals"))), (1, 4))
        self.fault = lambda it: error(409) if it.path == "/agents/approvals" else None
        self.assertRaises(ServiceError, self.runtime.approve, ApprovalQuestion("Pay", "pay", ARGS, key="k"))
        self.stop()

    def test_it_stays_open_when_the_runtime_stops_and_the_next_process_finds_it(self) -> None:
        self.start()
        asking = Background(lambda: self.runtime.approve(ApprovalQuestion("Pay", "pay", ARGS)))
        key = self.key()
        self.stop()
        self.assertRaises(QuestionInterruptedError, asking.result)
        self.assertEqual(self.service.calls("/withdraw"), [])
        self.start()
        self.decide(key, "approved")
        self.assertEqual(self.runtime.approve(ApprovalQuestion("Pay", "pay", ARGS)).approval_id, key)
        other = Background(lambda: self.runtime.approve(ApprovalQuestion("Pay", "pay", ARGS)))
        until(lambda: len(self.asked) == 2)
        self.decide(self.key(), "rejected")
        self.assertNotEqual(other.result().approval_id, key)
        self.stop()

    def test_a_run_asks_by_its_id_and_takes_its_question_back_when_it_is_cancelled(self) -> None:
        self.start()
        runs: List[AgentRun] = []

        def work(run: AgentRun) -> Any:
            runs.append(run)
            return run.approve(ApprovalQuestion("Pay", "pay", ARGS)).state

        asking = Background(lambda: self.runtime.do_run("import", work, key="k"))
        key = self.key()
        self.assertEqual(self.asked[key]["run_id"], "id-of-k")
        runs[0].interrupt("cancelled")
        self.assertRaisesRegex(Exception, "The run was cancelled", asking.result)
        until(lambda: self.decisions.get(key))
        self.stop()

    def test_with_asyncio_it_is_awaited_and_a_cancelled_task_takes_it_back(self) -> None:
        async def main() -> None:
            async def apply(desired: Any) -> None:
                pass

            runtime = AsyncAgentRuntime(self.service.url, "k", apply, on_event=self.events.append)
            working = asyncio.ensure_future(runtime.run())

            async def work(run: AgentRun) -> str:
                self.assertRaises(RuntimeError, run.approve, ApprovalQuestion("Pay", "pay", ARGS))
                return (await run.approve_async(ApprovalQuestion("Pay", "pay", ARGS, key="own"))).state

            self.decide("own", "approved")
            self.assertEqual(await runtime.do_run("import", work), "approved")
            asking = asyncio.ensure_future(runtime.approve(ApprovalQuestion("Pay", "pay", ARGS, key="q")))
            while "q" not in self.asked:
                await asyncio.sleep(0.01)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            self.assertTrue(asking.cancelled())
            while "q" not in self.decisions:
                await asyncio.sleep(0.01)
            runtime.stop()
            await working

        asyncio.run(main())


class Background:
    """Work in a thread of its own."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._error: Optional[BaseException] = None
        self._result: Any = None
        self._thread = threading.Thread(target=self._do, args=(work,), daemon=True)
        self._thread.start()

    def result(self) -> Any:
        self._thread.join(30)
        if self._error is not None:
            raise self._error
        return self._result

    def _do(self, work: Callable[[], Any]) -> None:
        try:
            self._result = work()
        except BaseException as raised:
            self._error = raised


if __name__ == "__main__":
    unittest.main()
