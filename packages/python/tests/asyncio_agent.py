"""An agent for the conformance kit, on asyncio: each replica is a task that holds a connection."""

import asyncio
import os
import signal
import sys
from typing import Any, Dict, List
from urllib.parse import urlsplit

from agent_control_plane import AgentRun, AsyncAgentRuntime, DesiredState, KeyRefusedError
from run_work import output_of, question_of, request_to

replicas: Dict[str, List["asyncio.Task[None]"]] = {}
starts: Dict[str, int] = {}


async def hold(ready: asyncio.Event) -> None:
    address = urlsplit(os.environ["CONFORMANCE_REPLICA_URL"])
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        target = f"{address.path or '/'}{'?' + address.query if address.query else ''}"
        writer.write(f"GET {target} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        ready.set()
        while await reader.read(4096):
            pass
    finally:
        writer.close()


async def keep(ready: asyncio.Event) -> None:
    """One that could not be started is not tried again; one that has died is, later and later."""
    pause = 0.3
    while True:
        try:
            await hold(ready)
        except (OSError, asyncio.IncompleteReadError):
            if not ready.is_set():
                raise
        await asyncio.sleep(pause)
        pause *= 2


async def begin(tasks: "List[asyncio.Task[None]]") -> None:
    ready = asyncio.Event()
    task = asyncio.ensure_future(keep(ready))
    tasks.append(task)
    waiting = asyncio.ensure_future(ready.wait())
    either: "List[asyncio.Future[Any]]" = [task, waiting]
    await asyncio.wait(either, timeout=10, return_when=asyncio.FIRST_COMPLETED)
    if not ready.is_set():
        waiting.cancel()
        raise ConnectionError("The replica can't be started")


async def resize(deployment_id: str, count: int) -> None:
    tasks = replicas.setdefault(deployment_id, [])
    while len(tasks) > count:
        task = tasks.pop()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    while len(tasks) < count:
        await begin(tasks)


async def apply(desired: DesiredState) -> Any:
    if starts.get(desired.deployment_id) != desired.start_generation:
        await resize(desired.deployment_id, 0)
    starts[desired.deployment_id] = desired.start_generation
    await resize(desired.deployment_id, desired.replicas)
    runtime.report(desired.deployment_id, desired.replicas)
    runtime.log(f"{desired.cause}: {desired.replicas} replicas", deployment_id=desired.deployment_id)
    runtime.metric(custom={"replicas": desired.replicas}, deployment_id=desired.deployment_id)


async def end() -> None:
    for deployment_id in replicas:
        await resize(deployment_id, 0)


async def work(run: AgentRun) -> Any:
    """One request, whose answer is the output. Its task is cancelled when the run is to end early."""
    question = question_of(run)
    if question:
        (await run.approve_async(question)).check(question.args)
    address = urlsplit(run.input["address"])
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        writer.write(request_to(run.input["address"]))
        return output_of(await reader.read(-1))
    finally:
        writer.close()


async def main() -> None:
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, runtime.stop)
    await runtime.run()


if __name__ == "__main__":
    runtime = AsyncAgentRuntime(
        os.environ["SERVICE_API_URL"],
        os.environ["SERVICE_AGENT_KEY"],
        apply,
        end=end,
        on_run=work,
        concurrency=2,
        state_dir=os.path.join(os.environ["CONFORMANCE_DIRECTORY"], "state"),
        on_event=lambda event: print(f"{event.level}: {event.message}", flush=True),
    )
    try:
        asyncio.run(main())
    except KeyRefusedError as refusal:
        sys.exit(str(refusal))
