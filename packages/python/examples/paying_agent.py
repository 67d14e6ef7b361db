# SERVICE_API_URL=http://127.0.0.1:8000 SERVICE_AGENT_KEY=svc_agent_... python3 paying_agent.py
from agent_control_plane import AgentRun, ApprovalQuestion, answer_runs

def pay(run: AgentRun) -> object:
    payment = {"to": run.input["to"], "euros": run.input["euros"]}
    question = ApprovalQuestion(f"Pay invoice {run.input['invoice']}", "send_payment", payment, risk="high")
    approved = run.approve(question).args  # raises unless a person has approved: the run fails, and says why
    return run.tool("send_payment", approved, lambda args: {"paid": args["euros"], "to": args["to"]})

if __name__ == "__main__":
    answer_runs(pay, concurrency=10, state_dir="state")
