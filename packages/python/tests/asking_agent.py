"""An agent that asks before it acts, with threads or with asyncio. It says what it may run, and ends."""

import asyncio
import json
import os
import sys
import threading
from typing import Any

from agent_control_plane import AgentRuntime, ApprovalDecision, ApprovalQuestion, AsyncAgentRuntime

SERVICE = (os.environ["SERVICE_API_URL"], os.environ["SERVICE_AGENT_KEY"])
QUESTION = ApprovalQuestion(
    "Pay invoice 4711", "send_payment", {"to": "DE02", "euros": 120}, allowed_decisions=["approve", "edit"]
)


def act(decision: ApprovalDecision) -> None:
    print(json.dumps({"state": decision.state, "args": decision.args}), flush=True)


def with_threads() -> None:
    runtime = AgentRuntime(*SERVICE, lambda desired: None)
    working = threading.Thread(target=runtime.run)
    working.start()
    act(runtime.approve(QUESTION))
    runtime.stop()
    working.join()


async def with_asyncio() -> None:
    async def apply(desired: Any) -> None:
        pass

    runtime = AsyncAgentRuntime(*SERVICE, apply)
    working = asyncio.ensure_future(runtime.run())
    act(await runtime.approve(QUESTION))
    runtime.stop()
    await working


if __name__ == "__main__":
    if sys.argv[1] == "threads":
        with_threads()
    else:
        asyncio.run(with_asyncio())
