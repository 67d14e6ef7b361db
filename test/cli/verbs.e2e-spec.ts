import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { createAgent, deploy, obey, report, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { ask } from '../builders/runs.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
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

async function readyAgent(name: string, labels = {}): Promise<{ agent: TestAgent; deploymentId: string }> {
  const agent = await createAgent(app, ada, { name, labels });
  const deploymentId = await deploy(ada, agent);
  await makeReady(agent, deploymentId, 1);
  return { agent, deploymentId };
}

async function makeReady(agent: TestAgent, deploymentId: string, generation: number): Promise<void> {
  await obey(agent);
  await report(agent, deploymentId, {
    status: 'ready',
    ready_replicas: 1,
    observed_generation: generation,
  });
}

const statusOf = async (id: string) => (await ada.api.get(`/deployments/${id}`)).body.status;

describe('svc why', () => {
  it('answers with health, deployments, exits, events, errors, and waiting work', async () => {
    const { agent, deploymentId } = await readyAgent('troubled');
    await agent.runtime.post('/agents/logs', { level: 'error', message: 'no such module: pdf' });
    await report(agent, deploymentId, {
      status: 'failed',
      error_message: 'exit code 3',
      last_exit: { code: 3, message: 'no such module: pdf', at: '2026-01-31T09:30:00Z' },
    });
    const waiting = await deploy(ada, agent);
    const { id: runId } = await ask(ada, agent);

    const answer = await svc.json(['why', 'troubled']);
    expect(answer).toMatchObject({
      agent: { name: 'troubled' },
      deployments: [{ id: waiting }, { id: deploymentId, status: 'failed' }],
      last_exits: [{ deployment_id: deploymentId, last_exit: { code: 3 } }],
      errors: [{ message: 'no such module: pdf' }],
      waiting_commands: [{ action: 'deploy' }],
      waiting_runs: [{ id: runId, status: 'queued' }],
      failed_runs: [],
    });
    const { stdout, stderr, code } = await svc.run(['why', agent.id]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Health +\S+\n/m);
    for (const title of [
      'Deployments',
      'Last exits',
      'Last events',
      'Last errors',
      'Waiting commands',
      'Waiting runs',
    ])
      expect(stdout).toContain(`\n\n${title}\n`);
    expect(stdout).not.toContain('Failed runs');
    expect(stdout).toMatch(new RegExp(`^${deploymentId} +exit code 3 at .*: no such module: pdf$`, 'm'));
    expect(stderr).toMatch(/^Next: svc /);
  });

  it('names the next step for an absent agent in one line', async () => {
    const outcome = await svc.run(['why', '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d']);
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/^Error: .*Agent not found: .*svc ls.*\n$/);
  });
});

describe('The verbs at the beginning', () => {
  it('deploy, scale, show, restart, roll back and stop an agent by its name', async () => {
    const { agent, deploymentId } = await readyAgent('verbal');
    expect(await svc.json(['scale', 'verbal', '2'])).toMatchObject({ id: deploymentId, replicas: 2 });
    expect(await svc.json(['status', 'verbal'])).toMatchObject({ id: agent.id });
    await svc.json(['agents', 'update', 'verbal', '--config', '{"command": ["other"]}']);
    const deployed = await svc.json(['deploy', 'verbal', '--replace']);
    expect(deployed).toMatchObject({ config_version: 2, status: 'deploying' });
    await makeReady(agent, deployed.id, 1);
    const back = await svc.run(['rollback', 'verbal', '-o', 'json']);
    expect(JSON.parse(back.stdout)).toMatchObject({ config_version: 1 });
    expect(back.stderr).toBe('Deploying config version 1; the newest deployment has 2\n');
    expect(await svc.json(['stop', 'verbal', '--yes'])).toMatchObject({ agent_id: agent.id });
    await obey(agent);
    const again = await svc.json(['restart', 'verbal']);
    expect(again).toMatchObject({ status: 'deploying', config_version: 1 });
    // the words behind `svc deploy` decide what it means
    expect(await svc.json(['deploy', 'get', again.id])).toMatchObject({ id: again.id });
  });

  it('replace the replicas of a running deployment one after another', async () => {
    const { agent, deploymentId } = await readyAgent('turns');
    const restarting = svc.start(['restart', 'turns', '--wait', '-o', 'json']);
    const [command] = await until(async () => {
      const { commands } = (await agent.runtime.get('/agents/commands')).body;
      return commands.length > 0 && commands;
    });
    expect(command).toMatchObject({ action: 'restart', parameters: { generation: 2, rolling: true } });
    await agent.runtime.post('/agents/commands/acknowledge', {
      command_id: command.command_id,
      success: true,
    });
    await report(agent, deploymentId, { status: 'ready', ready_replicas: 1, observed_generation: 2 });
    expect(JSON.parse((await restarting.ended()).stdout)).toMatchObject({ status: 'ready', generation: 2 });
    expect(await svc.json(['deploy', 'restart', deploymentId])).toMatchObject({
      status: 'ready',
      generation: 3,
    });
  });

  it('stop a starting deployment before they restart it', async () => {
    const agent = await createAgent(app, ada, { name: 'again' });
    const deploymentId = await deploy(ada, agent);
    const restarting = svc.start(['restart', 'again', '--wait', '-o', 'json']);
    await until(async () => (await statusOf(deploymentId)) === 'stopped');
    await obey(agent);
    await until(async () => (await statusOf(deploymentId)) === 'deploying');
    await makeReady(agent, deploymentId, 2);
    expect(JSON.parse((await restarting.ended()).stdout)).toMatchObject({
      id: deploymentId,
      status: 'ready',
    });
  });

  it('stop all agents with a label, and only those', async () => {
    const labels = { wave: 'one' };
    const all = [await readyAgent('first-of-wave', labels), await readyAgent('second-of-wave', labels)];
    const other = await readyAgent('of-no-wave');
    const unconfirmed = await svc.run(['agents', 'stop', '--label', 'wave=one']);
    expect(unconfirmed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') });
    const stopped = await svc.json(['agents', 'stop', '--label', 'wave=one', '--yes']);
    expect(stopped.map((it: { agent_id: string }) => it.agent_id).sort()).toEqual(
      all.map(({ agent }) => agent.id).sort(),
    );
    for (const { deploymentId } of all) expect(await statusOf(deploymentId)).toBe('stopped');
    expect(await statusOf(other.deploymentId)).toBe('ready');
    expect(await svc.run(['stop', '--label', 'wave=two', '--yes'])).toMatchObject({
      code: 1,
      stderr: 'Error: No agent has wave=two: "svc ls -o wide" shows the labels\n',
    });
    expect((await svc.run(['stop', '--yes'])).code).toBe(2);
  });
});

describe('Short forms', () => {
  it('list the same as their long forms', async () => {
    await svc.succeeds([
      'agents',
      'create',
      '--name',
      'labelled',
      '--label',
      'team=billing',
      '--label',
      'env=test',
    ]);
    const listed = await svc.succeeds(['agents', 'list', '--label', 'team=billing', '-o', 'wide']);
    expect(listed).toMatch(/^ID +NAME .*LABELS/);
    expect(listed).toMatch(/ labelled .* env=test, team=billing| labelled .* team=billing, env=test/);
    const names = ['--label', 'team=billing', '-o', 'name'];
    for (const words of [['ls'], ['get'], ['get', 'agents'], ['agents', 'ls'], ['agents', 'list']])
      expect(await svc.succeeds([...words, ...names])).toBe('labelled\n');
    const yaml = await svc.succeeds(['agents', 'status', 'labelled', '-o', 'yaml']);
    expect(load(yaml)).toEqual(await svc.json(['agents', 'status', 'labelled']));
    expect(load(yaml)).toEqual(await svc.json(['get', 'agent', 'labelled']));
    const some = await svc.succeeds(['ls', '--label', 'team=billing', '--json', 'name', '-o', 'yaml']);
    expect(load(some)).toEqual([{ name: 'labelled' }]);
  });

  it('show active deployments, and the last lines', async () => {
    const { agent, deploymentId } = await readyAgent('short');
    const stopped = await deploy(ada, agent);
    await ada.api.post(`/deployments/${stopped}/stop`);
    const ids = (await svc.succeeds(['ps', '--agent-id', 'short', '-o', 'name'])).trim().split('\n');
    expect(ids).toEqual([deploymentId]);
    expect((await svc.json(['get', 'deployment', 'short'])).id).toBe(deploymentId);
    for (const message of ['one', 'two', 'three'])
      await agent.runtime.post('/agents/logs', { level: 'info', message });
    expect(await svc.succeeds(['logs', 'short', '--tail', '2', '--jq', '.[].message'])).toBe('three\ntwo\n');
    expect((await svc.run(['logs', 'short', '--tail', '2', '--all'])).code).toBe(2);
  });
});

describe('svc export', () => {
  it('writes files that apply takes, and apply then changes nothing', async () => {
    await readyAgent('exported', { team: 'export', kind: 'x:y' });
    const config = '{"command": ["run"], "env": {"API_TOKEN": "sesame", "PIN": "01234"}}';
    await svc.succeeds(['agents', 'update', 'exported', '--config', config, '--description', 'two\nlines']);
    await svc.succeeds(['deploy', 'exported', '--replace']);
    const file = join(svc.home, 'exported.yaml');
    const written = await svc.succeeds(['export', '--label', 'team=export']);
    expect(written).not.toContain('sesame');
    await writeFile(file, written);
    expect(load(written)).toEqual({
      agents: [expect.objectContaining({ name: 'exported', description: 'two\nlines', replicas: 1 })],
    });
    const applied = await svc.json(['apply', '-f', file, '--dry-run']);
    expect(applied).toEqual([]);
    expect((await svc.run(['export', '--label', 'team=nobody'])).code).toBe(1);
  });
});

describe('svc edit', () => {
  const edit = (name: string, EDITOR: string) => svc.run(['edit', name], { env: { EDITOR } });

  it("saves the editor's result as a new version, and keeps a text that can not be saved", async () => {
    const { id } = await createAgent(app, ada, { name: 'edited', config: '{"command": ["one"]}' });
    const configOf = async () => JSON.parse((await ada.api.get(`/agents/${id}`)).body.config);
    expect(await edit('edited', 'sed -i s/one/two/')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('two'),
    });
    expect(await configOf()).toEqual({ command: ['two'] });
    expect(await edit('edited', 'true')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Nothing was saved'),
    });
    const broken = await edit('edited', 'sed -i s/]//');
    expect(broken).toMatchObject({ code: 1, stdout: '' });
    const [, kept] = /is kept in (\S+);/.exec(broken.stderr)!;
    expect(await readFile(kept!, 'utf8')).toContain('two');
    await rm(dirname(kept!), { recursive: true });
    expect((await edit('edited', 'false')).stderr).toContain('the editor "false" has failed');
    expect((await edit('edited', '')).code).toBe(2);
    expect(await configOf()).toEqual({ command: ['two'] });
  });
});

describe('svc ls --sort health', () => {
  it('begins with the agents that are in trouble', async () => {
    const labels = { order: 'health' };
    await readyAgent('well', labels);
    const { agent, deploymentId } = await readyAgent('unwell', labels);
    await report(agent, deploymentId, { status: 'failed', error_message: 'exit code 3' });
    await createAgent(app, ada, { name: 'never-used', labels });
    const listed = ['ls', '--label', 'order=health', '-o', 'name', '--sort', 'health'];
    expect(await svc.succeeds(listed)).toBe('unwell\nwell\nnever-used\n');
    expect(await svc.succeeds([...listed, '--skip', '1', '-n', '1'])).toBe('well\n');
  });
});

describe('--watch', () => {
  it('shows a list, and then each item that is new or changes', async () => {
    const labels = { watched: 'yes' };
    const { agent, deploymentId } = await readyAgent('seen', labels);
    const words = ['get', '--label', 'watched=yes', '--watch'];
    const [rows, items] = [
      svc.start(words),
      svc.start([...words, '--jq', '[.name, .health.state] | join(" ")']),
    ];
    expect((await rows.prints(2))[0]).toMatch(/^ID +NAME +HEALTH/);
    expect(await items.prints(1)).toEqual(['seen healthy']);
    await report(agent, deploymentId, { status: 'failed', error_message: 'exit code 3' });
    expect((await rows.prints(3))[2]).toMatch(/^\S+ +seen +failing /);
    await createAgent(app, ada, { name: 'new', labels });
    expect(await items.prints(3)).toEqual(['seen healthy', 'seen failing', 'new idle']);
    for (const watching of [rows, items]) await watching.interrupted();
  });
});

describe('svc man', () => {
  it('writes a page of all commands, or of some', async () => {
    expect(await svc.succeeds(['man'])).toContain('.SS "svc why <agent>"');
    expect(await svc.succeeds(['man', 'runs', 'retry'])).toMatch(/^\.TH "SVC-RUNS-RETRY"/);
    expect(await svc.run(['man', 'nothing'])).toMatchObject({ code: 2, stdout: '' });
  });
});
