// An agent as in packages/client/README.md. `apply` sends this process a SIGTERM, so that the signal arrives while the result of
// the command is written to the state directory.
import { AgentRuntime } from '@agent-control-plane/client/runtime';

const { SERVICE_API_URL, SERVICE_AGENT_KEY, STATE_DIR, RESTARTS } = process.env;

const runtime = new AgentRuntime({
  baseUrl: SERVICE_API_URL,
  key: SERVICE_AGENT_KEY,
  stateDir: STATE_DIR,
  onEvent: ({ level, message }) => level === 'info' || process.stderr.write(`${message}\n`),
  async apply({ deploymentId, phase, replicas }) {
    runtime.report(deploymentId, { readyReplicas: replicas, restartCount: Number(RESTARTS ?? 0) });
    if (phase === 'running') process.kill(process.pid, 'SIGTERM');
  },
});
process.once('SIGTERM', () => runtime.stop());
await runtime.run();
