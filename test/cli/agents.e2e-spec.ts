import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAgent, deploy, obey, report, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Svc } from './svc.js';

let app: TestApp;
let ada: Person;
let svc: Svc;

beforeAll(async () => {
  app = await startTestApp();
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(app.url, ada.email);
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
});

async function readyDeployment(name: string): Promise<{ agent: TestAgent; deploymentId: string }> {
  const agent = await createAgent(app, ada, { name });
  const deploymentId = await deploy(ada, agent);
  await obey(agent);
  await report(agent, deploymentId, { status: 'ready', ready_replicas: 1, observed_generation: 1 });
  return { agent, deploymentId };
}

const UNKNOWN = '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';

describe('svc agents', () => {
  it('creates an agent with an unchanged config', async () => {
    const file = join(svc.home, 'agent.json');
    await writeFile(file, '{"command": ["true"],  "n": 1.0}');
    const created = await svc.json(['agents', 'create', '--name', 'from-file', '--config', `@${file}`]);
    expect(created).toMatchObject({ name: 'from-file', config: '{"command": ["true"],  "n": 1.0}' });
    const key = created.api_key as string;
    expect((await app.api.as(key).post('/agents/register', {})).status).toBe(200);

    const piped = await svc.json(['agents', 'create', '--config', '@-', '--type', 'cron'], {
      input: '{"a":1}',
    });
    expect(piped).toMatchObject({ config: '{"a":1}', type: 'cron' });
    expect(await svc.succeeds(['agents', 'create', '--config', '{}'])).toMatch(/^API key +svc_agent_\S+$/m);
  });

  it.each([['{"broken"'], ['@/nowhere.json']])(
    'exits with 2 if the config is invalid: %s',
    async (config) => {
      const outcome = await svc.run(['agents', 'create', '--config', config]);
      expect(outcome).toMatchObject({ code: 2, stdout: '' });
      expect(outcome.stderr).toMatch(/^Error: [^\n]+\n$/);
    },
  );

  it('lists agents by status, and prints the JSON of the service unchanged', async () => {
    await readyDeployment('listed');
    const listed = await svc.json(['agents', 'list', '--all', '--status', 'running']);
    const reply = await ada.api.get('/agents?status=running');
    expect(listed).toEqual(reply.body);
    const [heading, ...lines] = (await svc.succeeds(['agents', 'list', '--all'])).trimEnd().split('\n');
    expect(heading).toMatch(/^ID +NAME +HEALTH +READY +CONNECTION/);
    expect(lines.find((line) => line.includes(' listed '))).toMatch(
      /^[0-9a-f-]{36} +listed +healthy +1\/1 +online/,
    );
  });

  it('reads as many pages as the options ask for', async () => {
    const many = await registerPerson(app);
    for (let n = 0; n < 103; n += 1) await createAgent(app, many, { name: `agent ${n}` });
    const theirs = await Svc.loggedIn(app.url, many.email);
    try {
      const all = await theirs.json(['agents', 'list', '--all']);
      expect(all.map((it: { name: string }) => it.name)).toEqual(
        Array.from({ length: 103 }, (_, n) => `agent ${102 - n}`),
      );
      expect(await theirs.json(['agents', 'list'])).toHaveLength(50);
      const part = await theirs.json(['agents', 'list', '--skip', '1', '--limit', '101']);
      expect(part.map((it: { name: string }) => it.name)).toEqual(
        Array.from({ length: 101 }, (_, n) => `agent ${101 - n}`),
      );
      // the oldest one, of the second page, by its name
      expect(await theirs.json(['agents', 'status', 'agent 0'])).toMatchObject({ name: 'agent 0' });
    } finally {
      await theirs.removeHome();
    }
  });

  it('accepts a name or the beginning of an id, and refuses an ambiguous one', async () => {
    const one = await createAgent(app, ada, { name: 'twin' });
    expect(await svc.json(['agents', 'status', 'twin'])).toMatchObject({ id: one.id });
    expect(await svc.json(['agents', 'status', one.id.slice(0, 30)])).toMatchObject({ id: one.id });
    expect(await svc.succeeds(['complete', 'agent', 'twi'])).toBe('twin\ttwin, idle\n');
    await createAgent(app, ada, { name: 'twin' });
    const ambiguous = await svc.run(['agents', 'delete', 'twin', '--yes']);
    expect(ambiguous).toMatchObject({ code: 1, stderr: expect.stringContaining('"twin" is 2 agents: ') });
    const nobody = await svc.run(['agents', 'delete', 'nobody', '--yes']);
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('svc agents list') });
  });

  it('shows an agent with its deployments', async () => {
    const { agent, deploymentId } = await readyDeployment('shown');
    const shown = await svc.succeeds(['agents', 'status', agent.id]);
    expect(shown).toMatch(/^Name +shown$/m);
    expect(shown).toMatch(/^Health +healthy$/m);
    expect(shown).toMatch(/^Reason +1 of 1 replicas ready in deployment/m);
    expect(shown).toMatch(/^Connection +online$/m);
    const listed = await svc.succeeds(['agents', 'list', '--health', 'healthy', '--connection', 'online']);
    expect(listed).toMatch(new RegExp(`^${agent.id} +shown +healthy +1/1 +online`, 'm'));
    expect(shown).toMatch(new RegExp(`^${deploymentId} +ready +1/1`, 'm'));
    const reply = await ada.api.get(`/agents/${agent.id}`);
    expect(await svc.json(['agents', 'status', agent.id])).toEqual(reply.body);
  });

  it('lists the agents whose runtime is too old, and shows the runtime', async () => {
    const { agent } = await readyDeployment('ancient');
    await agent.runtime.post('/agents/register', { runtime: { name: 'mine', version: '0.1', protocol: 0 } });
    expect(await svc.json(['agents', 'list', '--outdated'])).toMatchObject([{ id: agent.id }]);
    expect(await svc.succeeds(['agents', 'status', agent.id])).toMatch(
      /^Runtime +mine 0\.1, protocol 0, too old for the service$/m,
    );
  });

  it('shows logs with the oldest first, and escapes records that look like two', async () => {
    const { agent, deploymentId } = await readyDeployment('talker');
    const sent = ['first', '\u001b[2J\u001b]0;owned\u0007second\u009b31m', 'third\n2026-01-01  error forged'];
    for (const [at, message] of sent.entries())
      await agent.runtime.post('/agents/logs', {
        level: 'info',
        message,
        metadata: at === 0 ? { n: 1 } : undefined,
        timestamp: `2026-01-31T09:30:0${at}.000Z`,
      });
    const text = await svc.succeeds(['agents', 'logs', agent.id]);
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(text.trimEnd().split('\n')).toEqual([
      '2026-01-31T09:30:00.000Z  info      first  {"n":1}',
      '2026-01-31T09:30:01.000Z  info      \\u001b[2J\\u001b]0;owned\\u0007second\\u009b31m',
      '2026-01-31T09:30:02.000Z  info      third',
      '    2026-01-01  error forged',
    ]);
    const raw = await svc.succeeds(['deploy', 'logs', deploymentId, '-n', '2', '-o', 'json']);
    expect(raw).not.toContain('\u009b');
    expect(JSON.parse(raw).map((it: { message: string }) => it.message)).toEqual([sent[2], sent[1]]);
    const late = ['agents', 'logs', agent.id, '--since', '2026-01-31T09:30:02', '--text', 'THIRD'];
    expect(await svc.json(late)).toHaveLength(1);
    expect(await svc.json(['agents', 'logs', agent.id, '--level', 'error'])).toEqual([]);
  });

  it('shows the logs of several agents in the order of time, each line with its agent', async () => {
    const { agent } = await readyDeployment('odd');
    const { agent: other } = await readyDeployment('even');
    for (const n of [1, 2, 3, 4]) {
      const timestamp = `2026-01-31T09:30:0${n}.000Z`;
      const { runtime } = n % 2 === 1 ? agent : other;
      const level = n === 1 ? 'error' : 'info';
      await runtime.post('/agents/logs', { level, message: `line ${n}`, timestamp });
    }
    for (const { id } of [agent, other]) await ada.api.patch(`/agents/${id}`, { labels: { kind: 'number' } });
    const named = await svc.succeeds(['logs', 'odd', other.id.slice(0, 30), '-n', '3']);
    expect(named.trimEnd().split('\n')).toEqual([
      '2026-01-31T09:30:02.000Z  info      even  line 2',
      '2026-01-31T09:30:03.000Z  info      odd  line 3',
      '2026-01-31T09:30:04.000Z  info      even  line 4',
    ]);
    const severe = ['logs', '--label', 'kind=number', '--min-level', 'warning', '--jq', '.[].message'];
    expect(await svc.succeeds(severe)).toBe('line 1\n');
    const following = svc.start(['logs', '--label', 'kind=number', '--follow', '--jq', '.message']);
    expect(await following.prints(4)).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
    await other.runtime.post('/agents/logs', { level: 'info', message: 'line 5' });
    expect((await following.prints(5)).at(-1)).toBe('line 5');
    await following.interrupted();
  });

  it('shows metrics', async () => {
    const { agent, deploymentId } = await readyDeployment('measured');
    await agent.runtime.post('/agents/metrics', { cpu_usage: 12.5, memory_usage: 48, uptime_seconds: 7200 });
    for (const args of [
      ['agents', 'metrics', agent.id],
      ['deploy', 'metrics', deploymentId, '--since', '1h'],
    ]) {
      expect(await svc.succeeds(args)).toMatch(/^TIME .*\n\S+ +\S+( ago)? +12\.5 +48 +2h/);
      expect(await svc.json(args)).toEqual([expect.objectContaining({ cpu_usage: 12.5 })]);
    }
  });

  it('asks before it stops or deletes, and without a terminal exits with 2 and does nothing', async () => {
    const { agent, deploymentId } = await readyDeployment('precious');
    const commands = [
      ['agents', 'stop', agent.id],
      ['agents', 'delete', agent.id],
      ['deploy', 'delete', deploymentId],
    ];
    for (const args of commands) {
      const outcome = await svc.run(args);
      expect(outcome).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') });
    }
    expect((await ada.api.get(`/deployments/${deploymentId}`)).body.status).toBe('ready');

    expect(await svc.json(['agents', 'stop', agent.id, '--yes'])).toMatchObject({ stopped: 1 });
    expect(await svc.json(['deploy', 'delete', deploymentId, '--yes'])).toEqual({ deleted: deploymentId });
    expect((await ada.api.get(`/deployments/${deploymentId}`)).body.status).toBe('killed');
    expect(await svc.succeeds(['agents', 'delete', agent.id, '-y'])).toContain(agent.id);
    expect((await ada.api.get(`/agents/${agent.id}`)).status).toBe(404);
  });

  it('names the next step if the agent does not exist', async () => {
    const outcome = await svc.run(['agents', 'status', UNKNOWN]);
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Error: Agent not found: check the id, for example with a list command\n',
    });
  });
});

describe('svc deploy', () => {
  it('creates a deployment with one replica, and warns that --replicas is ignored', async () => {
    const agent = await createAgent(app, ada);
    const args = ['deploy', 'create', '--agent-id', agent.id, '--replicas', '5', '-o', 'json'];
    const { code, stdout, stderr } = await svc.run(args);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ agent_id: agent.id, status: 'deploying', replicas: 1 });
    expect(stderr).toContain('--replicas is ignored');
    expect((await svc.run(['deploy', 'create', '--agent-id', agent.id])).stderr).toBe('');
    expect((await svc.run(['deploy', 'create'])).code).toBe(2);
  });

  it('lists, shows and scales deployments, and lists their commands', async () => {
    const { agent, deploymentId } = await readyDeployment('scaled');
    const listed = await svc.json(['deploy', 'list', '--agent-id', 'scaled', '--status', 'ready']);
    expect(listed).toEqual([expect.objectContaining({ id: deploymentId })]);
    expect(await svc.succeeds(['deploy', 'list', '--agent-id', agent.id])).toContain(deploymentId);
    expect(await svc.succeeds(['deploy', 'list'])).toMatch(/^DEPLOYMENT +AGENT +STATUS/);
    expect(await svc.json(['deploy', 'scale', 'scaled', '3'])).toMatchObject({ replicas: 3 });
    expect(await svc.json(['deploy', 'scale', deploymentId, '--replicas', '2'])).toMatchObject({
      replicas: 2,
    });
    expect(await svc.succeeds(['deploy', 'get', deploymentId])).toMatch(/^Replicas +1 of 2 ready$/m);
    const asked = await svc.json(['deploy', 'commands', deploymentId, '--state', 'pending']);
    expect(asked).toEqual([expect.objectContaining({ action: 'scale', generation: 3 })]);
    expect(await svc.succeeds(['deploy', 'commands', deploymentId])).toContain('waiting for the agent');
  });

  it('exits with 1 and the message of the service if the service refuses', async () => {
    const deploymentId = await deploy(ada, await createAgent(app, ada));
    const scale = await svc.run(['deploy', 'scale', deploymentId, '3']);
    expect(scale).toMatchObject({ code: 1, stdout: '' });
    expect(scale.stderr).toMatch(/^Error: Can only scale running deployments: .*svc deploy restart.*\n$/);
    const restart = await svc.run(['deploy', 'restart', deploymentId]);
    expect(restart.stderr).toMatch(
      /^Error: Can only restart stopped or failed deployments: .*svc agents stop.*\n$/,
    );
  });

  it('shows the history with the oldest first, and prints the JSON of the service unchanged', async () => {
    const { deploymentId } = await readyDeployment('remembered');
    const lines = (await svc.succeeds(['deploy', 'events', deploymentId])).trimEnd().split('\n');
    expect(lines.map((line) => /#\d+ +\S+/.exec(line)?.[0].replace(/ +/, ' '))).toEqual([
      '#1 deploy',
      '#2 running',
      '#3 ready',
    ]);
    const history = await svc.json(['deploy', 'events', deploymentId]);
    expect(history).toMatchObject({ deployment_id: deploymentId, deployment_status: 'ready', total: 3 });
    expect(history.items.map((it: { sequence: number }) => it.sequence)).toEqual([3, 2, 1]);
    const ready = await svc.json(['deploy', 'events', deploymentId, '--event-type', 'ready', '-n', '1']);
    expect(ready.items).toEqual([expect.objectContaining({ sequence: 3 })]);
  });
});
