// An agent as in docs/runner.md. `apply` sends this process a SIGTERM, so that the signal arrives while the result of
// the command is written to the state directory.
import { AgentRuntime } from '@agent-control-plane/client/runtime';

const { SERVICE_API_URL, SERVICE_AGENT_KEY, STATE_DIR } = process.env;

const runtime = new AgentRuntime({
  baseUrl: SERVICE_API_URL,
  key: SERVICE_AGENT_KEY,
  stateDir: STATE_DIR,
  async apply({ deploymentId, phase, replicas }) {
    runtime.report(deploymentId, { readyReplicas: replicas });
    if (phase === 'running') process.kill(process.pid, 'SIGTERM');
  },
});
process.once('SIGTERM', () => runtime.stop());
await runtime.run();
