import { hostname, platform } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from './api.js';
import { nameId, short } from './narrator.js';

/**
 * The agent of the demo: a process of its own that knows only the service's address and its key. Instead of running a
 * program, it executes a command by counting.
 */
const { SERVICE_API_URL: url, AGENT_API_KEY: key } = process.env;
if (!url || !key) throw new Error('SERVICE_API_URL and AGENT_API_KEY are not set: set both');
const api = new Api(url).as(key);

interface Command {
  readonly command_id: string;
  readonly action: string;
  readonly deployment_id: string;
  readonly parameters: { readonly replicas: number; readonly generation: number };
}

function say(text: string): void {
  process.stdout.write(`        [agent] ${text}\n`);
}

async function tell(method: string, path: string, body: unknown): Promise<void> {
  const reply = await api.call(method, path, body);
  say(`${method} ${path} ${short(body)} -> ${reply.status}`);
  if (reply.status === 401) {
    say('the key is refused: nothing is left to do here');
    process.exit(0);
  }
  if (reply.status !== 200)
    throw new Error(`${method} ${path} answered ${reply.status}: ${short(reply.body)}`);
}

async function carryOut(command: Command): Promise<void> {
  const { action, deployment_id, parameters } = command;
  nameId(deployment_id, 'deployment');
  await tell('POST', '/agents/commands/acknowledge', { command_id: command.command_id, success: true });
  const runs = action !== 'stop' && action !== 'kill';
  const message = runs
    ? `${action}: ${parameters.replicas} replicas run`
    : `${action}: all replicas have ended`;
  await tell('POST', '/agents/logs', { level: 'info', message, deployment_id });
  if (!runs) return;
  await tell('POST', '/agents/metrics', {
    cpu_usage: 12.5,
    memory_usage: 64,
    uptime_seconds: 1,
    deployment_id,
  });
  await tell('POST', '/agents/heartbeat', {
    status: 'running',
    deployments: [
      {
        deployment_id,
        status: 'ready',
        ready_replicas: parameters.replicas,
        observed_generation: parameters.generation,
        node_id: hostname(),
      },
    ],
  });
}

await tell('POST', '/agents/register', { version: '1.0.0', platform: platform() });
await tell('POST', '/agents/heartbeat', { status: 'idle' });
for (;;) {
  const reply = await api
    .call<{ commands: Command[] }>('GET', '/agents/commands?wait=20')
    .catch(() => undefined);
  if (reply?.status === 401) {
    say('GET /agents/commands -> 401: the key is refused, nothing is left to do here');
    break;
  }
  if (reply?.status !== 200) {
    await delay(500);
    continue;
  }
  for (const command of reply.body.commands) {
    say(`GET /agents/commands -> ${command.action} (generation ${command.parameters.generation})`);
    await carryOut(command);
  }
}
