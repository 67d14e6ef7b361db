// An agent that works in its own process: `AgentRuntime` speaks the protocol, this file does the work. Each replica is
// a worker that prints the time.
//
// SERVICE_API_URL=http://127.0.0.1:8000 SERVICE_AGENT_KEY=svc_agent_... node in-process-agent.mjs
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AgentRuntime, KeyRefusedError } from '@agent-control-plane/client/runtime';

const { SERVICE_API_URL = 'http://127.0.0.1:8000', SERVICE_AGENT_KEY, STATE_DIR } = process.env;
if (!SERVICE_AGENT_KEY) {
  process.stderr.write('SERVICE_AGENT_KEY must hold the key of the agent\n');
  process.exit(2);
}
const stateDir = STATE_DIR ?? join(homedir(), '.in-process-agent');

/** The workers of each deployment, by its id. */
const workers = new Map();

const runtime = new AgentRuntime({
  baseUrl: SERVICE_API_URL,
  key: SERVICE_AGENT_KEY,
  stateDir,
  version: '1.0.0',
  apply,
  end: async () => [...workers.keys()].forEach((id) => resize(id, 0)),
  onEvent: ({ level, message }) => process.stdout.write(`${level}: ${message}\n`),
});

/**
 * Brings a deployment into its desired state. It gets states, not steps, so it need not know the earlier state: two
 * calls with the same state have the effect of one.
 */
async function apply({ deploymentId, replicas, config, cause }) {
  const { every_seconds: seconds = 60 } = config;
  if (!(seconds > 0)) throw new Error('config.every_seconds must be a number above 0');
  if (cause === 'restart') resize(deploymentId, 0);
  resize(deploymentId, replicas, seconds);
  runtime.report(deploymentId, { readyReplicas: replicas });
  return { workers: replicas };
}

function resize(deploymentId, count, seconds) {
  const timers = workers.get(deploymentId) ?? [];
  while (timers.length > count) clearInterval(timers.pop());
  while (timers.length < count) timers.push(startWorker(deploymentId, timers.length, seconds));
  if (count > 0) workers.set(deploymentId, timers);
  else workers.delete(deploymentId);
}

function startWorker(deploymentId, index, seconds) {
  const work = () =>
    runtime.log({
      level: 'info',
      message: `It is ${new Date().toISOString()}`,
      deployment_id: deploymentId,
      metadata: { worker: index },
    });
  work();
  return setInterval(work, seconds * 1_000);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void runtime.stop());
try {
  await runtime.run();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof KeyRefusedError ? 3 : 1;
}
