"""An agent for the conformance kit, on asyncio: each replica is a task that holds a connection."""

import asyncio
import os
import signal
import sys
from typing import Any, Dict, List, Optional
from urllib.parse import urlsplit

from agent_control_plane import AgentRun, AsyncAgentRuntime, DesiredState, KeyRefusedError
from run_work import output_of, question_of, request_to

replicas: Dict[str, List["asyncio.Task[None]"]] = {}
wanted: Dict[str, DesiredState] = {}
rolls: Dict[str, "asyncio.Task[None]"] = {}
#: The number of replicas of each deployment that have done their work.
done: Dict[str, int] = {}


async def hold(ready: asyncio.Event) -> bool:
    """Returns whether its work is done."""
    address = urlsplit(os.environ["CONFORMANCE_REPLICA_URL"])
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        target = f"{address.path or '/'}{'?' + address.query if address.query else ''}"
        writer.write(f"GET {target} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        ready.set()
        return b"done\n" in await reader.read(-1)
    finally:
        writer.close()


async def keep(deployment_id: str, ready: asyncio.Event) -> None:
    """One that could not be started is not tried again; one that has died is, later and later."""
    pause = 0.3
    while True:
        try:
            is_done = await hold(ready)
            if is_done and wanted[deployment_id].config.get("restart") == {"when": "failed"}:
                return await end_well(deployment_id)
        except (OSError, asyncio.IncompleteReadError):
            if not ready.is_set():
                raise
        await asyncio.sleep(pause)
        pause *= 2


async def end_well(deployment_id: str) -> None:
    done[deployment_id] += 1
    desired = wanted[deployment_id]
    if done[deployment_id] == desired.replicas:
        await runtime.complete(deployment_id, desired.generation)


async def begin(deployment_id: str, index: int, timeout: Optional[float] = 10) -> None:
    ready = asyncio.Event()
    task = asyncio.ensure_future(keep(deployment_id, ready))
    replicas[deployment_id][index : index + 1] = [task]
    waiting = asyncio.ensure_future(ready.wait())
    either: "List[asyncio.Future[Any]]" = [task, waiting]
    await asyncio.wait(either, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    if not ready.is_set():
        waiting.cancel()
        raise ConnectionError("The replica can't be started")


async def resize(deployment_id: str, count: int) -> None:
    tasks = replicas.setdefault(deployment_id, [])
    while len(tasks) > count:
        await ended(tasks.pop())
    while len(tasks) < count:
        await begin(deployment_id, len(tasks))


async def ended(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def roll(deployment_id: str) -> None:
    """Replaces one replica after another, each when the one before is ready."""
    for index, older in enumerate(list(replicas[deployment_id])):
        await ended(older)
        await begin(deployment_id, index, timeout=None)
    runtime.report(deployment_id, len(replicas[deployment_id]))


async def apply(desired: DesiredState) -> Any:
    key = desired.deployment_id
    if key in rolls:
        await ended(rolls.pop(key))
    known = wanted.get(key)
    wanted[key] = desired
    is_new_start = known is None or known.start_generation != desired.start_generation
    if is_new_start:
        done[key] = 0
    if is_new_start and not desired.rolling:
        await resize(key, 0)
    await resize(key, desired.replicas)
    if is_new_start and desired.rolling:
        rolls[key] = asyncio.ensure_future(roll(key))
        runtime.report(key, desired.replicas - 1)
    else:
        runtime.report(key, desired.replicas)
    runtime.log(f"{desired.cause}: {desired.replicas} replicas", deployment_id=desired.deployment_id)
    runtime.metric(custom={"replicas": desired.replicas}, deployment_id=desired.deployment_id)


async def end() -> None:
    for rolling in rolls.values():
        await ended(rolling)
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
