"""An agent for the conformance kit: each replica is a thread that holds a connection, so that its life can be seen."""

import logging
import os
import select
import socket
import sys
from typing import Any
from urllib.parse import urlsplit

from agent_control_plane import AgentRun, KeyRefusedError, Replica, run_function
from run_work import connect, output_of, question_of


def hold(replica: Replica) -> None:
    address = urlsplit(os.environ["CONFORMANCE_REPLICA_URL"])
    with socket.create_connection((address.hostname, address.port), timeout=5) as connection:
        target = f"{address.path or '/'}{'?' + address.query if address.query else ''}"
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
        logging.info("Replica %d holds its connection", replica.index)
        if not connection.recv(4096):
            raise ConnectionError("The connection was refused")
        replica.ready()
        looks = 0
        while not replica.stopping.is_set():
            if select.select([connection], [], [], 0.05)[0] and not connection.recv(4096):
                raise ConnectionError("The connection ended")
            looks += 1
            if looks % 10 == 0:
                logging.info("Replica %d has looked %d times", replica.index, looks)


def work(run: AgentRun) -> Any:
    """One request, whose answer is the output. It ends with its connection when the run is to end early."""
    question = question_of(run)
    if question:
        run.approve(question).check(question.args)
    with connect(run.input["address"]) as connection:
        received = b""
        while not run.stopping.is_set():
            if select.select([connection], [], [], 0.05)[0]:
                part = connection.recv(4096)
                if not part:
                    return output_of(received)
                received += part
    run.check()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stdout)
    try:
        run_function(
            hold,
            on_run=work,
            concurrency=2,
            state_dir=os.path.join(os.environ["CONFORMANCE_DIRECTORY"], "state"),
        )
    except KeyRefusedError as refusal:
        sys.exit(str(refusal))
