"""An agent with asyncio whose runs go on until they are cancelled, and that begins one by itself."""

import asyncio
import os
import signal

from agent_control_plane import AgentRun, AsyncAgentRuntime


async def go_on(run: AgentRun) -> None:
    run.progress(message="waiting")
    await asyncio.sleep(3_600)


async def warm_up(run: AgentRun) -> object:
    async def think() -> str:
        for _ in range(10):
            await run.tool("heat", {"seconds": 0}, lambda args: asyncio.sleep(args["seconds"]))
        run.llm(model="small", usage={"input_tokens": 3, "output_tokens": 4})
        return "warm"

    output: object = await run.span("think", "agent", think)
    return output


async def main() -> None:
    runtime = AsyncAgentRuntime(
        os.environ["SERVICE_API_URL"], os.environ["SERVICE_AGENT_KEY"], on_run=go_on, state_dir="state"
    )
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, runtime.stop)
    working = asyncio.ensure_future(runtime.run())
    await runtime.do_run("warm up", warm_up)
    await working


if __name__ == "__main__":
    asyncio.run(main())
