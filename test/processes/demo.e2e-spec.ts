import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../harness/api-client.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { hasPython } from '../python/python.js';

/** Each of a dozen scenes waits for what a dozen programs do. */
const PATIENCE_MS = 100_000;

let app: TestApp;
let dataDir: string;
let child: ChildProcess | undefined;

beforeAll(async () => {
  app = await startTestApp({ settings: { HEARTBEAT_INTERVAL_SECONDS: '1' } });
  dataDir = mkdtempSync(join(tmpdir(), 'demo-'));
});

afterAll(async () => {
  if (child?.exitCode === null) await end('SIGTERM');
  await app.close();
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

/** Plays the demo until it has printed a text. @returns all that it has printed */
async function play(text: string): Promise<string> {
  const demo = spawn(process.execPath, ['dist/demo/main.js', app.url], {
    env: { ...process.env, DATA_DIR: dataDir, DEMO_SECONDS: '3', WEB_PORT: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = demo;
  let printed = '';
  for (const stream of [demo.stdout, demo.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const isTold = () => printed.includes(text);
  await until(() => demo.exitCode !== null || isTold(), PATIENCE_MS).catch(() => undefined);
  if (!isTold()) throw new Error(`The demo does not print "${text}": ${printed}`);
  return printed;
}

/** Programs that were started for the demo, by the folder that their arguments name. */
function programs(): string[] {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'args'], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(dataDir));
}

async function end(signal: NodeJS.Signals): Promise<number | null> {
  const ended = once(child!, 'exit');
  // as from a terminal and from npm at once
  child!.kill(signal);
  child!.kill(signal);
  return (await ended)[0] as number | null;
}

async function logIn(printed: string): Promise<ApiClient> {
  const [, email] = /Log in as +(\S+)/.exec(printed)!;
  const [, password] = /Password +(\S+)/.exec(printed)!;
  const reply = await app.api.post('/auth/login', { email, password });
  return app.api.as(reply.body.access_token);
}

const agentsOf = async (api: ApiClient) => {
  const { body } = await api.get('/agents?limit=100');
  return body as { id: string; name: string; paused: unknown }[];
};

let person: ApiClient;
let first: { id: string; name: string }[];

it(
  'The demo plays a company whose agents do, cost, ask and fail what its end points at, and Ctrl-C ends their programs',
  async () => {
    const printed = await play('Ctrl-C ends its agents');
    const api = (person = await logIn(printed));
    const agents = await agentsOf(api);
    first = agents;
    expect(agents).toHaveLength(hasPython ? 12 : 11);
    expect(printed.includes('sales-forecast fails at maps: ')).toBe(hasPython);
    const idOf = (name: string) => agents.find((agent) => agent.name === name)!.id;

    const [, runId] = /\/runs\/([\w-]+)/.exec(printed)!;
    const { body: run } = await api.get(`/runs/${runId}`);
    expect(run).toMatchObject({ agent_id: idOf('rights-scout'), status: 'succeeded', source: 'agent' });
    expect(Number(run.usage.cost_usd)).toBeGreaterThan(0);
    const { body: spans } = await api.get(`/runs/${runId}/spans`);
    expect(spans.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(['agent', 'llm', 'tool']),
    );

    expect(agents.find(({ name }) => name === 'translator')!.paused).not.toBeNull();
    const { body: budgets } = await api.get(`/budgets?agent_id=${idOf('translator')}`);
    expect(budgets[0]).toMatchObject({ on_exceeded: 'pause', state: 'exceeded' });

    const { body: asked } = await api.get(`/approvals?state=pending&agent_id=${idOf('returns-clerk')}`);
    expect(asked[0].title).toMatch(/^Refund /);
    const { body: decided } = await api.get(`/approvals?state=approved&agent_id=${idOf('invoice-payer')}`);
    expect(decided[0].reason).toBe('The invoice is right');

    const { body: crashed } = await api.get(`/deployments?agent_id=${idOf('order-sync')}`);
    expect(crashed[0].status).toBe('failed');
    const logs = await until(async () => {
      const { body } = await api.get(`/deployments/${crashed[0].id}/logs?limit=50`);
      const messages = body.map(({ message }: { message: string }) => message).join('\n') as string;
      return messages.includes('TypeError') && messages;
    });
    expect(logs).toMatch(/TypeError: .*\n +at labelFor \(.*order-sync\.js/);
    expect((await api.get('/schedules')).body).toHaveLength(4);

    expect(programs()).not.toEqual([]);
    expect(await end('SIGINT')).toBe(0);
    expect(programs()).toEqual([]);
  },
  PATIENCE_MS + 20_000,
);

it(
  'Played again, it finds the company and its agents, and a SIGTERM in the middle ends them',
  async () => {
    const printed = await play('agents are at work');
    expect(printed).toContain('Lantern Books is there from before');
    expect((await agentsOf(person)).map(({ id }) => id).sort()).toEqual(first.map(({ id }) => id).sort());
    expect(await end('SIGTERM')).toBe(0);
    expect(programs()).toEqual([]);
  },
  PATIENCE_MS + 20_000,
);
