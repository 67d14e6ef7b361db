import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { AgentProcess } from '../../packages/conformance/src/agent-process.js';
import {
  allBreaches,
  NOTHING_WRONG,
  PLAYED_WITHIN_MS,
  playTo,
  QUICK_REPLICA,
  SCENARIOS_OF_RUNS,
} from '../conformance/in-turns.js';
import { printedBy } from '../harness/secrets-made.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';

const run = promisify(execFile);
const hasCurl = spawnSync('curl', ['--version']).status === 0;
const AGENT = 'examples/curl-agent/agent.sh';
/** The work of the kit's runs: a request to the address in their input. */
const RUN_COMMAND = `curl -sS "$(awk -f examples/curl-agent/flatten-json.awk | sed -n 's/^\\.runs\\.0\\.input\\.address.//p')"`;

/** The agent starts dozens of processes for each report, which takes a busy machine more than half a minute. */
const comes = (condition: () => Promise<boolean>) => until(condition, 110_000);

/** The arguments of every process of this machine. */
async function processList(): Promise<string[]> {
  return (await run('ps', ['-A', '-o', 'args'])).stdout.split('\n');
}

(hasCurl ? describe : describe.skip)('The curl agent (skipped without curl)', () => {
  let app: TestApp;
  let person: Person;
  let agent: TestAgent;
  let directory: string;
  /** Folder for what outlives a process of the agent. */
  let state: string;
  let child: ChildProcess;
  let deploymentId: string;
  /** Identifies this run's replicas in the list of processes. */
  let mark: string;

  const deployment = async () => (await person.api.get(`/deployments/${deploymentId}`)).body;
  const replicas = async () => (await processList()).filter((line) => line === `sleep ${mark}`).length;
  const ready = async (count: number) => {
    await comes(async () => {
      const { status, ready_replicas, generation, observed_generation } = await deployment();
      return status === 'ready' && ready_replicas === count && generation === observed_generation;
    });
    // a new process may still be the shell that becomes it
    await comes(async () => (await replicas()) === count);
  };

  beforeAll(async () => {
    app = await startTestApp({
      settings: { HEARTBEAT_INTERVAL_SECONDS: '1', HEARTBEAT_TIMEOUT_SECONDS: '60' },
    });
    person = await registerPerson(app);
    agent = await createAgent(app, person, {
      config: '{"command_id": "in a \\"config\\"", "command_list": [{}]}',
    });
    directory = await mkdtemp(join(tmpdir(), 'curl-agent-'));
    state = await mkdtemp(join(tmpdir(), 'curl-agent-state-'));
    mark = `1${String(Date.now()).slice(-7)}`;
    child = spawn('sh', [AGENT, `sleep ${mark}`], {
      env: {
        PATH: process.env.PATH,
        TMPDIR: directory,
        STATE_DIRECTORY: state,
        SERVICE_API_URL: app.url,
        SERVICE_AGENT_KEY: agent.key,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    printedBy('the output of the agent in shell', child);
    deploymentId = await deploy(person, agent);
  });

  afterAll(async () => {
    child.kill('SIGKILL');
    await app.close();
    for (const folder of [directory, state]) await rm(folder, { recursive: true, force: true });
  });

  it('registers, and runs its deployment', async () => {
    await ready(1);
    const { body } = await person.api.get(`/agents/${agent.id}`);
    expect(body).toMatchObject({
      status: 'running',
      version: '1.0.0',
      platform: expect.stringContaining('/'),
    });
  });

  it('scales up and down', async () => {
    await person.api.post(`/deployments/${deploymentId}/scale`, { replicas: 3 });
    await ready(3);
    await person.api.post(`/deployments/${deploymentId}/scale`, { replicas: 2 });
    await ready(2);
  });

  it('replaces a replica that has died', async () => {
    const oldest = async () => (await run('pgrep', ['-o', '-x', '-f', `sleep ${mark}`])).stdout;
    const before = await oldest();
    await run('kill', [before.trim()]);
    await comes(async () => (await replicas()) === 2 && (await oldest()) !== before);
    await ready(2);
  });

  it('replaces each replica in a rolling restart', async () => {
    const pids = async () => (await run('pgrep', ['-x', '-f', `sleep ${mark}`])).stdout.trim().split('\n');
    const before = await pids();
    await person.api.post(`/deployments/${deploymentId}/rolling-restart`);
    await ready(2);
    expect((await pids()).filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('sends its actions as logs', async () => {
    const messages = async (): Promise<string[]> =>
      (await person.api.get(`/deployments/${deploymentId}/logs`)).body.map(({ message }: any) => message);
    await comes(async () => (await messages()).includes('scale: generation 2, 3 replicas'));
    expect(await messages()).toContain('deploy: generation 1, 1 replicas');
  });

  it('shows its key neither in the list of processes nor to its replicas', async () => {
    const seen: string[] = [];
    let looks = 0;
    // some of these moments are within a request
    await comes(async () => {
      seen.push(...(await processList()));
      return (looks += 1) >= 20 && seen.some((line) => line.startsWith('curl --disable'));
    });
    expect(seen.filter((line) => line.includes(agent.key))).toEqual([]);
    if (process.platform !== 'linux') return;
    const pid = (await run('pgrep', ['-o', '-x', '-f', `sleep ${mark}`])).stdout.trim();
    const environment = (await run('cat', [`/proc/${pid}/environ`])).stdout;
    expect(environment).toContain(`DEPLOYMENT_ID=${deploymentId}`);
    expect(environment).not.toContain(agent.key);
  });

  it('stops and restarts', async () => {
    await person.api.post(`/agents/${agent.id}/stop`);
    await comes(async () => (await replicas()) === 0);
    await person.api.post(`/deployments/${deploymentId}/restart`);
    await ready(2);
  });

  it('registers again when a restore has lost a generation, and continues with the previous one', async () => {
    await app.database.query(
      `UPDATE deployments SET generation = generation - 1, start_generation = generation - 1,
         observed_generation = generation - 1, ready_generation = NULL, replicas = 1, ready_replicas = 0,
         status = 'running' WHERE id = $1`,
      [deploymentId],
    );
    await ready(1);
    await person.api.post(`/deployments/${deploymentId}/scale`, { replicas: 2 });
    await ready(2);
  });

  it('reports no ready replica when it ends, and continues its deployment when it is started again', async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
    expect(await replicas()).toBe(0);
    expect(await readdir(directory)).toEqual([]);
    expect(await deployment()).toMatchObject({ status: 'running', ready_replicas: 0 });
    child = spawn('sh', [AGENT, `sleep ${mark}`], {
      env: {
        PATH: process.env.PATH,
        TMPDIR: directory,
        STATE_DIRECTORY: state,
        SERVICE_API_URL: app.url,
        SERVICE_AGENT_KEY: agent.key,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await ready(2);
  });

  it('ends its replicas when the deployment is deleted, and exits when its agent is deleted', async () => {
    await person.api.delete(`/deployments/${deploymentId}`);
    await comes(async () => (await replicas()) === 0);
    deploymentId = await deploy(person, agent);
    await ready(1);
    const ended = once(child, 'exit');
    await person.api.delete(`/agents/${agent.id}`);
    const [code] = await ended;
    expect([code, await replicas(), await readdir(directory)]).toEqual([1, 0, []]);
  });

  it('reports once the advice of a heartbeat, and waits longer each time before it starts a crashing replica again', async () => {
    const dying = await createAgent(app, person);
    const starts = join(state, 'starts');
    const started = spawn('sh', [AGENT, `sh -c 'date +%s >>"${starts}"'`], {
      env: {
        PATH: process.env.PATH,
        TMPDIR: directory,
        STATE_DIRECTORY: join(state, 'dying'),
        SERVICE_API_URL: app.url,
        SERVICE_AGENT_KEY: dying.key,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    started.stderr.on('data', (part: Buffer) => (said += part.toString()));
    const ended = once(started, 'exit');
    await deploy(person, dying);
    const times = async () =>
      (await readFile(starts, 'utf8').catch(() => '')).trim().split('\n').filter(Boolean).map(Number);
    await comes(async () => (await times()).length >= 1);
    await app.database.query(`UPDATE agents SET runtime = runtime || '{"protocol": 0}' WHERE id = $1`, [
      dying.id,
    ]);
    await comes(async () => (await times()).length >= 5);
    started.kill('SIGTERM');
    await ended;
    expect(said.match(/curl-agent speaks protocol 0/g)).toHaveLength(1);
    // after the first restart, which comes at once: 1, 2 and 4 seconds
    const [, first, , , last] = await times();
    expect(last! - first!).toBeGreaterThanOrEqual(6);
  });

  it('refuses to start without a key and with an invalid key', async () => {
    for (const key of ['', 'a key"\nurl = "http://elsewhere']) {
      const { status, stderr } = spawnSync('sh', [AGENT], {
        env: { PATH: process.env.PATH, SERVICE_AGENT_KEY: key },
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([2, expect.stringContaining('SERVICE_AGENT_KEY is n')]);
    }
  });

  it(
    'keeps to the protocol in every scenario, and nearly all rules of runs and of completed work are judged',
    async () => {
      const run = 'STATE_DIRECTORY="$CONFORMANCE_DIRECTORY" exec sh "$@"';
      const variables = [`RUN_COMMAND=${RUN_COMMAND}`, 'RESTART_WHEN=failed'];
      const command = ['env', ...variables, 'sh', '-c', run, 'sh', AGENT, ...QUICK_REPLICA];
      const unasked: string[] = [];
      const play = async (name: string) => {
        const outcome = await playTo(AgentProcess.launch(command), name);
        if ([...SCENARIOS_OF_RUNS, 'completed'].includes(name))
          unasked.push(...outcome.unasked.map(({ id }) => id));
        return outcome;
      };
      expect(await allBreaches(10, play)).toEqual(NOTHING_WRONG);
      // it has room for one run, so it takes another attempt when the work of the older one is done
      expect(unasked.sort()).toEqual(['acts-as-decided', 'asks-under-one-key', 'ends-older-attempts']);
    },
    PLAYED_WITHIN_MS,
  );
});

describe('flatten-json.awk', () => {
  const flattened = (text: string) => {
    const { status, stdout } = spawnSync('awk', ['-f', 'examples/curl-agent/flatten-json.awk'], {
      input: text,
      encoding: 'utf8',
    });
    return { status, lines: stdout.split('\n').slice(0, -1) };
  };

  it('prints a line for each value', () => {
    const document = { a: [{ b: 1.5e3, c: null }, []], d: {}, e: 'text', f: true };
    expect(flattened(JSON.stringify(document, null, 2))).toEqual({
      status: 0,
      lines: ['.a.0.b\t1500', '.a.0.c\tnull', '.e\ttext', '.f\ttrue'],
    });
  });

  it('prints a string that contains a document as a string', () => {
    const config = JSON.stringify({ commands: [{ action: 'kill' }], quote: '"', backslash: '\\' });
    const { lines } = flattened(JSON.stringify({ config, action: 'deploy' }));
    expect(lines).toEqual([`.config\t${JSON.stringify(config).slice(1, -1)}`, '.action\tdeploy']);
  });

  it.each(['', '{"a":1', '{"a":1}}', '[1,]', '{"a" 1}', '{a:1}', '<html></html>', 'tru', '{"a":"'])(
    'prints nothing for %j',
    (text) => {
      expect(flattened(text)).toEqual({ status: 1, lines: [] });
    },
  );
});
