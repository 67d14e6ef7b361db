"""An agent for the conformance kit: each replica is a thread that holds a connection, so that its life can be seen."""

import logging
import os
import select
import socket
import sys
from urllib.parse import urlsplit

from agent_control_plane import KeyRefusedError, Replica, run_function


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


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stdout)
    try:
        run_function(hold, state_dir=os.path.join(os.environ["CONFORMANCE_DIRECTORY"], "state"))
    except KeyRefusedError as refusal:
        sys.exit(str(refusal))
