# SERVICE_API_URL=http://127.0.0.1:8000 SERVICE_AGENT_KEY=svc_agent_... python3 function_agent.py
import logging

from agent_control_plane import run_function
from greeting import greet  # a function that knows nothing of agents

if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    # once a second for each replica; what it logs becomes the agent's logs
    run_function(lambda replica: greet(replica.config.get("name", "world")), every_seconds=1, state_dir="state")
