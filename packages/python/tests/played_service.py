"""A service that answers as a test tells it to, on a port of its own."""

import json
import select
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, NamedTuple, Optional


class Received(NamedTuple):
    method: str
    path: str
    headers: Dict[str, str]
    body: Any


class Answer(NamedTuple):
    status: int
    body: Any
    headers: Dict[str, str] = {}


#: Ends the connection in place of an answer.
HANG_UP = Answer(0, None)


def error(status: int) -> Answer:
    """An error as the service answers it."""
    return Answer(status, {"statusCode": status, "detail": "no", "message": "no", "code": "refused", "request_id": "r"})


class PlayedService:
    """Answers registrations, heartbeats and the rest with success, unless `answer` says something else."""

    def __init__(self) -> None:
        self.received: List[Received] = []
        self.commands: List[Dict[str, Any]] = []
        self.answer: Callable[[Received], Optional[Answer]] = lambda request: None
        self.deployments: List[Dict[str, Any]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                text = self.rfile.read(length)
                body = json.loads(text) if text else None
                received = Received(self.command, self.path, dict(self.headers), body)
                service.received.append(received)
                answer = service.answer(received) or service._usual(received, self.has_hung_up)
                if answer is HANG_UP:
                    self.close_connection = True
                    return
                content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in {"Content-Length": str(len(content)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = handle_any

            def has_hung_up(self) -> bool:
                return bool(select.select([self.connection], [], [], 0)[0])

            def log_message(self, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                # the agent cut the connection
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def calls(self, end_of_path: str) -> List[Received]:
        return [it for it in list(self.received) if it.path.split("?")[0].endswith(end_of_path)]

    def command(
        self, number: int, action: str, generation: int, replicas: int = 1, config: str = "{}", rolling: bool = False
    ) -> None:
        parameters = {"deployment_id": "d", "generation": generation, "replicas": replicas, "config": config}
        if rolling:
            parameters["rolling"] = True
        self.commands.append(
            {"command_id": f"c{number}", "action": action, "deployment_id": "d", "parameters": parameters}
        )

    def _usual(self, request: Received, has_hung_up: Callable[[], bool]) -> Answer:
        if request.path == "/agents/register":
            return Answer(
                200,
                {"agent_id": "a", "heartbeat_interval_seconds": 30, "deployments": self.deployments},
            )
        if request.path.startswith("/agents/commands?"):
            waited_until = time.monotonic() + 5
            while not self.commands and not has_hung_up() and time.monotonic() < waited_until:
                time.sleep(0.01)
            # what is given to an agent that has ended would be lost
            commands, self.commands = ([], self.commands) if has_hung_up() else (self.commands, [])
            return Answer(200, {"commands": commands})
        if request.path.endswith("/acknowledge"):
            return Answer(200, {"status": "ok", "command_id": request.body["command_id"]})
        if request.path in ("/agents/logs", "/agents/metrics"):
            entries = request.body[request.path.rsplit("/", 1)[1]]
            return Answer(200, {"status": "ok", "accepted": len(entries)})
        return Answer(200, {"status": "ok", "heartbeat_interval_seconds": 30})


def until(condition: Callable[[], Any], seconds: float = 30.0) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError("It never came true")
