# SERVICE_API_URL=http://127.0.0.1:8000 SERVICE_AGENT_KEY=svc_agent_... python3 answering_agent.py
from agent_control_plane import AgentRun, answer_runs

def answer(run: AgentRun) -> dict[str, str]:
    run.log(f"Asked: {run.input['question']}")
    return {"answer": f"Your question has {len(run.input['question'].split())} words"}

if __name__ == "__main__":
    answer_runs(answer, concurrency=2)
