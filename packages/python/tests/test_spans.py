import asyncio
import json
import threading
import unittest
from functools import partial
from typing import Any, Dict, List, Optional

from agent_control_plane import AgentRun
from agent_control_plane.otlp_span import named, otlp_span, trace_request
from agent_control_plane.run_spans import LONGEST_CONTENT, RunSpans, llm_attributes
from agent_control_plane.unnamed_spans import UnnamedSpans
from played_service import Answer, Received, until
from runtime_case import RuntimeCase

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"


def attributes_of(span: Dict[str, Any]) -> Dict[str, Any]:
    return {it["key"]: next(iter(it["value"].values())) for it in span["attributes"]}


class Recorder:
    def __init__(self, traceparent: Optional[str] = TRACEPARENT) -> None:
        self.ended: List[Dict[str, Any]] = []
        self.spans = RunSpans(traceparent, {"gen_ai.conversation.id": "c"}, self.ended.append)

    def find(self, name: str) -> Dict[str, Any]:
        return next(span for span in self.ended if span["name"] == name)


class Spans(unittest.TestCase):
    def test_a_span_is_a_child_of_what_the_run_was_asked_by_and_says_its_kind_by_the_conventions(self) -> None:
        on = Recorder()
        self.assertEqual(on.spans.within("plan", "agent", {}, lambda: 7), 7)
        (span,) = on.ended
        self.assertEqual((span["traceId"], span["parentSpanId"], span["flags"]), (TRACE, PARENT, 0x301))
        self.assertGreater(int(span["endTimeUnixNano"]), int(span["startTimeUnixNano"]))
        self.assertEqual(
            attributes_of(span),
            {
                "gen_ai.operation.name": "invoke_agent",
                "agent_control_plane.span_kind": "agent",
                "gen_ai.conversation.id": "c",
            },
        )
        with self.assertRaisesRegex(ValueError, "no kind 'chain' of span; it is one of agent, llm"):
            on.spans.within("plan", "chain", {}, lambda: 7)

    def test_spans_that_begin_within_one_are_its_children_also_with_asyncio(self) -> None:
        on = Recorder()

        async def part(name: str) -> None:
            await asyncio.sleep(0)
            await on.spans.tool(f"{name}1", {}, lambda args: asyncio.sleep(0))

        async def both() -> None:
            await asyncio.gather(*(on.spans.within(it, "other", {}, partial(part, it)) for it in ("a", "b")))

        asyncio.run(on.spans.within("all", "agent", {}, both))
        on.spans.within("next", "other", {}, lambda: on.spans.within("inner", "other", {}, lambda: None))
        for name in ("a", "b"):
            self.assertEqual(on.find(name)["parentSpanId"], on.find("all")["spanId"])
            self.assertEqual(on.find(f"execute_tool {name}1")["parentSpanId"], on.find(name)["spanId"])
        self.assertEqual(on.find("next")["parentSpanId"], PARENT)
        self.assertEqual(on.find("inner")["parentSpanId"], on.find("next")["spanId"])
        self.assertEqual(on.find("inner")["flags"], 0x101)
        self.assertIsNone(on.spans.current)

    def test_a_span_is_no_child_of_a_span_of_another_run(self) -> None:
        one, other = Recorder(), Recorder(None)
        one.spans.within("one", "agent", {}, lambda: other.spans.within("other", "agent", {}, lambda: None))
        self.assertNotIn("parentSpanId", other.ended[0])
        self.assertRegex(other.ended[0]["traceId"], r"^[\da-f]{32}$")
        self.assertNotEqual(other.ended[0]["traceId"], TRACE)

    def test_a_span_fails_with_its_function_whose_exception_comes_through(self) -> None:
        on = Recorder()

        def fail(args: Any = None) -> None:
            raise OverflowError("too far")

        async def fail_later() -> None:
            fail()

        with self.assertRaises(OverflowError):
            on.spans.tool("walk", {}, fail)
        with self.assertRaises(OverflowError):
            asyncio.run(on.spans.within("later", "other", {}, fail_later))
        self.assertEqual(len(on.ended), 2)
        for span in on.ended:
            self.assertEqual(span["status"], {"code": 2, "message": "too far"})
            self.assertEqual(attributes_of(span)["error.type"], "OverflowError")

    def test_a_tool_is_called_with_its_arguments_which_its_span_has_beside_the_result(self) -> None:
        on = Recorder()
        self.assertEqual(on.spans.tool("add", {"a": 1, "b": 2}, lambda args: args["a"] + args["b"]), 3)
        told = attributes_of(on.find("execute_tool add"))
        self.assertEqual(told["gen_ai.tool.name"], "add")
        self.assertEqual(told["gen_ai.tool.call.arguments"], '{"a": 1, "b": 2}')
        self.assertEqual(told["gen_ai.tool.call.result"], "3")

    def test_long_arguments_stay_different_and_those_that_are_no_json_are_left_out(self) -> None:
        on = Recorder()
        for end in "121":
            on.spans.tool("long", "x" * 20_000 + end, lambda args: None)
        first, second, third = (attributes_of(it)["gen_ai.tool.call.arguments"] for it in on.ended)
        self.assertLess(len(first), LONGEST_CONTENT + 200)
        self.assertEqual((first == second, first == third), (False, True))
        on.spans.tool("odd", object(), lambda args: None)
        self.assertNotIn("gen_ai.tool.call.arguments", attributes_of(on.ended[3]))

    def test_a_call_of_a_model_is_the_open_span_of_a_model_or_one_of_its_own(self) -> None:
        on = Recorder()
        usage: Any = {"input_tokens": 10, "cache_read_tokens": 5, "cache_write_tokens": 3, "output_tokens": 7}
        call = llm_attributes("m", "p", usage, 0.25)

        def ask() -> None:
            on.spans.llm(call)
            on.spans.llm(llm_attributes("second", None, None, float("nan")))

        on.spans.within("ask", "llm", {}, ask)
        on.spans.llm(call)
        self.assertEqual([it["name"] for it in on.ended], ["chat second", "ask", "chat m"])
        self.assertEqual(on.ended[0]["parentSpanId"], on.ended[1]["spanId"])
        told = {
            "gen_ai.operation.name": "chat",
            "agent_control_plane.span_kind": "llm",
            "gen_ai.conversation.id": "c",
            "gen_ai.request.model": "m",
            "gen_ai.provider.name": "p",
            "gen_ai.usage.input_tokens": "18",
            "gen_ai.usage.cache_read.input_tokens": "5",
            "gen_ai.usage.cache_write.input_tokens": "3",
            "gen_ai.usage.output_tokens": "7",
            "agent_control_plane.cost_usd": 0.25,
        }
        self.assertEqual((attributes_of(on.ended[1]), attributes_of(on.ended[2])), (told, told))
        self.assertNotIn("gen_ai.usage.input_tokens", attributes_of(on.ended[0]))
        self.assertNotIn("agent_control_plane.cost_usd", attributes_of(on.ended[0]))

    def test_a_call_of_a_model_has_the_messages_and_the_answer_that_are_given_with_it(self) -> None:
        on = Recorder()
        asked = [{"role": "user", "content": "Hello?"}]
        on.spans.llm(llm_attributes("m", None, None, None, asked, "Hello."))
        told = attributes_of(on.ended[0])
        self.assertEqual(json.loads(told["gen_ai.input.messages"]), asked)
        self.assertEqual(told["gen_ai.output.messages"], '"Hello."')
        on.spans.llm(llm_attributes("m", None, None, None))
        self.assertNotIn("gen_ai.input.messages", attributes_of(on.ended[1]))

    def test_an_export_is_what_otlp_has_in_json(self) -> None:
        span = otlp_span(TRACE, "00f067aa0ba902b7", None, False, "n", (1, 2), {"t": "t", "none": None}, None)
        body = json.loads(trace_request([json.dumps(named(span, "r")).encode()]))
        (scope,) = body["resourceSpans"][0]["scopeSpans"]
        self.assertEqual(attributes_of(scope["spans"][0]), {"t": "t", "agent_control_plane.run_id": "r"})
        self.assertNotIn("status", scope["spans"][0])

    def test_spans_wait_for_the_name_of_their_run_and_the_oldest_run_loses_its_own(self) -> None:
        dropped: List[int] = []
        spans = UnnamedSpans(3, dropped.append)
        for key in "aabc":
            spans.add(key, {"run": key})
        self.assertEqual((dropped, spans.take("a"), spans.take("b")), ([2], [], [{"run": "b"}]))
        self.assertEqual((spans.take("b"), len(spans.take("c"))), ([], 1))


class SpansOfRuns(RuntimeCase):
    def setUp(self) -> None:
        super().setUp()
        self.is_known = threading.Event()
        self.service.answer = self.answer
        self.service.command(1, "deploy", 1)

    def answer(self, request: Received) -> Optional[Answer]:
        if request.path == "/agents/runs":
            if not self.is_known.wait(20):
                return None
            runs = [{"run_id": f"id-of-{it['run_key']}", "run_key": it["run_key"]} for it in request.body["runs"]]
            return Answer(200, {"runs": runs})
        return Answer(200, {"partialSuccess": {"rejectedSpans": "1", "errorMessage": "odd"}}) if (
            request.path == "/otlp/v1/traces"
        ) else None

    def spans(self) -> List[Dict[str, Any]]:
        bodies = [it.body for it in self.service.calls("/otlp/v1/traces")]
        return [it for body in bodies for it in body["resourceSpans"][0]["scopeSpans"][0]["spans"]]

    def test_spans_of_a_run_of_its_own_wait_for_its_id_and_are_sent_before_the_end(self) -> None:
        def work(run: AgentRun) -> int:
            run.span("plan", "agent", lambda: run.log("planned"))
            return int(run.tool("add", [1, 2], sum))

        runtime = self.start()
        self.assertEqual(runtime.do_run("sum", work, key="k"), 3)
        logs = until(lambda: self.service.calls("/agents/logs"))[0].body["logs"]
        until(lambda: self.service.calls("/agents/runs"))
        self.assertEqual(self.spans(), [])
        self.is_known.set()
        self.stop()
        plan, add = self.spans()
        self.assertEqual([it["name"] for it in (plan, add)], ["plan", "execute_tool add"])
        self.assertEqual({attributes_of(it)["agent_control_plane.run_id"] for it in (plan, add)}, {"id-of-k"})
        self.assertEqual(logs[0]["metadata"]["span_id"], plan["spanId"])
        refused = [it.message for it in self.events if it.event == "entry_refused"]
        self.assertEqual(refused, ["spans: one entry given up, because they are refused: odd"])


if __name__ == "__main__":
    unittest.main()
