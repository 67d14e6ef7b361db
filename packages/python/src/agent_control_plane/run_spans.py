"""Spans of a run: parts of its work, measured."""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import time
from contextvars import ContextVar
from typing import Any, Callable, Dict, Mapping, Optional, TypedDict

from .errors import message_of
from .otlp_span import Value, json_text, otlp_span

#: `gen_ai.operation.name` by the kind of span.
OPERATIONS: Dict[str, Optional[str]] = {
    "agent": "invoke_agent",
    "llm": "chat",
    "tool": "execute_tool",
    "retrieval": "retrieval",
    "embedding": "embeddings",
    "other": None,
}
#: Characters of arguments and results.
LONGEST_CONTENT = 16 * 1024
_TRACEPARENT = re.compile(r"[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}")

Attributes = Mapping[str, Optional[Value]]


class LlmUsage(TypedDict, total=False):
    """Tokens of a call in disjoint buckets: none is counted in two of them."""

    #: Without those that were read from a cache or written to one.
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    #: With those of reasoning.
    output_tokens: int
    reasoning_tokens: int


class _OpenSpan:
    def __init__(self, trace_id: str, kind: str, attributes: Attributes) -> None:
        self.trace_id = trace_id
        self.span_id = os.urandom(8).hex()
        self.kind = kind
        self.attributes: Dict[str, Optional[Value]] = dict(attributes)
        self.started = time.time_ns()
        # the clock of the machine may be set meanwhile, so it tells only the beginning
        self._begun = time.perf_counter_ns()

    def times(self) -> "tuple[int, int]":
        return self.started, self.started + time.perf_counter_ns() - self._begun


_open_span: "ContextVar[Optional[_OpenSpan]]" = ContextVar("open_span", default=None)


class RunSpans:
    """Measures parts of a run, and hands each over when it has ended.

    Args:
        traceparent: of the run; None: it has none, and its spans are a trace of their own.
        common: attributes of all spans.
        on_end: is given each span, as OTLP has it in JSON.
    """

    def __init__(
        self, traceparent: Optional[str], common: Attributes, on_end: Callable[[Dict[str, Any]], None]
    ) -> None:
        found = _TRACEPARENT.match(traceparent or "")
        self._trace_id = found.group(1) if found else os.urandom(16).hex()
        self._remote_parent = found.group(2) if found else None
        self._common = common
        self._on_end = on_end

    @property
    def current(self) -> Optional[Dict[str, str]]:
        """The span that the calling code runs in, as log lines name it; None outside of those of this run."""
        span = self._open()
        return {"trace_id": span.trace_id, "span_id": span.span_id} if span else None

    def within(
        self,
        name: str,
        kind: str,
        attributes: Attributes,
        work: Callable[[], Any],
        result_of: Callable[[Any], Attributes] = lambda result: {},
    ) -> Any:
        """Calls the work in a span. Where it returns an awaitable, the span lasts until that is done.

        Raises:
            ValueError: there is no such kind.
        """
        if kind not in OPERATIONS:
            raise ValueError(f"There is no kind {kind!r} of span; it is one of {', '.join(OPERATIONS)}")
        parent = self._open()
        span = _OpenSpan(self._trace_id, kind, attributes)

        def end(result: Any) -> Any:
            self._end(span, name, parent, {**span.attributes, **result_of(result)})
            return result

        def fail(error: BaseException) -> None:
            failure = message_of(error)[:LONGEST_CONTENT] or "It failed without a message"
            self._end(span, name, parent, {**span.attributes, "error.type": type(error).__name__}, failure)

        token = _open_span.set(span)
        try:
            result = work()
        except BaseException as error:
            fail(error)
            raise
        finally:
            _open_span.reset(token)
        if inspect.isawaitable(result):
            return _awaited(span, result, end, fail)
        return end(result)

    def tool(self, name: str, args: Any, work: Callable[[Any], Any]) -> Any:
        attributes = {"gen_ai.tool.name": name, "gen_ai.tool.call.arguments": _content_of(args)}
        return self.within(
            f"execute_tool {name}",
            "tool",
            attributes,
            lambda: work(args),
            lambda result: {"gen_ai.tool.call.result": _content_of(result)},
        )

    def llm(self, attributes: Attributes) -> None:
        """Adds a call to the open span of a model, unless that has one; else it is a span of its own."""
        span = self._open()
        if span and span.kind in ("llm", "embedding") and "gen_ai.request.model" not in span.attributes:
            span.attributes.update(attributes)
            return
        model = attributes["gen_ai.request.model"]
        self._end(_OpenSpan(self._trace_id, "llm", {}), f"chat {model}", span, attributes)

    def _open(self) -> Optional[_OpenSpan]:
        span = _open_span.get()
        return span if span and span.trace_id == self._trace_id else None

    def _end(
        self,
        span: _OpenSpan,
        name: str,
        parent: Optional[_OpenSpan],
        attributes: Attributes,
        failure: Optional[str] = None,
    ) -> None:
        about: Dict[str, Optional[Value]] = {
            "gen_ai.operation.name": OPERATIONS[span.kind],
            "agent_control_plane.span_kind": span.kind,
            **self._common,
            **attributes,
        }
        parent_id = parent.span_id if parent else self._remote_parent
        is_remote = parent is None and parent_id is not None
        self._on_end(
            otlp_span(span.trace_id, span.span_id, parent_id, is_remote, name, span.times(), about, failure)
        )


def llm_attributes(
    model: str,
    provider: Optional[str],
    usage: Optional[LlmUsage],
    cost_usd: Optional[float],
    given: Any = None,
    answer: Any = None,
) -> Dict[str, Optional[Value]]:
    """A call of a model by the conventions, where the input has the cached tokens in it."""
    attributes: Dict[str, Optional[Value]] = {
        "gen_ai.request.model": model,
        "gen_ai.provider.name": provider,
        "agent_control_plane.cost_usd": cost_usd,
        "gen_ai.input.messages": None if given is None else _content_of(given),
        "gen_ai.output.messages": None if answer is None else _content_of(answer),
    }
    if usage is not None:
        read, written = usage.get("cache_read_tokens", 0), usage.get("cache_write_tokens", 0)
        attributes.update(
            {
                "gen_ai.usage.input_tokens": usage.get("input_tokens", 0) + read + written,
                "gen_ai.usage.cache_read.input_tokens": read,
                "gen_ai.usage.cache_write.input_tokens": written,
                "gen_ai.usage.output_tokens": usage.get("output_tokens", 0),
                "gen_ai.usage.reasoning.output_tokens": usage.get("reasoning_tokens"),
            }
        )
    return attributes


async def _awaited(
    span: _OpenSpan, work: Any, end: Callable[[Any], Any], fail: Callable[[BaseException], None]
) -> Any:
    token = _open_span.set(span)
    try:
        result = await work
    except BaseException as error:
        fail(error)
        raise
    finally:
        _open_span.reset(token)
    return end(result)


def _content_of(value: Any) -> Optional[str]:
    """Arguments or a result in JSON. A digest stands for the rest of a long one, so that different ones stay different."""
    text = json_text(value)
    if text is None or len(text) <= LONGEST_CONTENT:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return f"{text[:LONGEST_CONTENT]}…[truncated, SHA-256 {digest}]"
