// An agent as docs/runner.md shows it. `apply` sends this process a SIGTERM, so that the signal comes while the result of
// the command is being written to the state directory.
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
