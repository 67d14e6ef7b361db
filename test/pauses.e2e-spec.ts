import { acknowledge, deploy, obey, poll, report, type TestAgent } from './builders/agents.js';
import { pause, readAgent, readDeployment, reportReady, resume, stepsOf } from './builders/pauses.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { MonitoredFleet } from './harness/monitored-fleet.js';

let fleet: MonitoredFleet;

beforeAll(async () => {
  fleet = await MonitoredFleet.start();
});

afterAll(async () => {
  await expectCleanAudit(fleet.app.database);
  await fleet.close();
});

/** A deployment with three ready replicas. */
async function readyDeployment(): Promise<{ agent: TestAgent; id: string }> {
  const running = await fleet.runningDeployment();
  await fleet.person.api.post(`/deployments/${running.id}/scale`, { replicas: 3 });
  await obey(running.agent);
  await reportReady(running.agent, running.id, 3, 2);
  return running;
}

/** The wanted state of the next command, which is then carried out. */
async function nextCommand(agent: TestAgent) {
  const [command, ...more] = await poll(agent);
  if (!command || more.length > 0) throw new Error(`There are ${command ? more.length + 1 : 0} commands`);
  await acknowledge(agent, command.command_id);
  const { action, parameters } = command;
  return { action, replicas: parameters.replicas, generation: parameters.generation };
}

describe('The pause of an agent', () => {
  it('asks its runtime for no replica, and its end for the former ones', async () => {
    const { agent, id } = await readyDeployment();
    const made = await pause(fleet.person, agent, { reason: 'It spends too much' });
    expect(made).toMatchObject({
      by: 'user',
      agent_id: agent.id,
      actor: `user:${fleet.person.id}`,
      runs: 'finish',
      agents: 1,
      holding: 1,
      confirmed: 0,
      ended_at: null,
    });
    const paused = { pause_id: made.id, by: 'user', reason: 'It spends too much', at: made.created_at };
    expect((await readAgent(fleet.person, agent)).paused).toEqual({ ...paused, confirmed_at: null });

    expect(await nextCommand(agent)).toEqual({ action: 'scale', replicas: 0, generation: 3 });
    expect(await readDeployment(fleet.person, id)).toMatchObject({ replicas: 3, ready_replicas: 0 });
    await reportReady(agent, id, 0, 3);
    expect(await readAgent(fleet.person, agent)).toMatchObject({
      paused: { ...paused, confirmed_at: expect.any(String) },
      health: { state: 'paused', reason: 'Paused: It spends too much' },
      status: 'running',
    });
    expect(await readDeployment(fleet.person, id)).toMatchObject({
      status: 'running',
      replicas: 3,
      ready_replicas: 0,
      generation: 3,
      observed_generation: 3,
    });

    await resume(fleet.person, agent);
    expect(await readAgent(fleet.person, agent)).toMatchObject({
      paused: null,
      health: { state: 'progressing' },
    });
    expect(await nextCommand(agent)).toEqual({ action: 'scale', replicas: 3, generation: 4 });
    await reportReady(agent, id, 3, 4);
    expect((await readAgent(fleet.person, agent)).health.state).toBe('healthy');
    expect((await stepsOf(fleet.person, id)).slice(-3)).toEqual(['paused', 'resumed', 'ready']);
    const { body } = await fleet.person.api.get(`/pauses?agent_id=${agent.id}`);
    expect(body).toMatchObject([{ id: made.id, holding: 0, ended_at: expect.any(String) }]);
    expect((await fleet.person.api.get(`/pauses?agent_id=${agent.id}&is_open=true`)).body).toEqual([]);
  });

  it('withholds the command of a deploy until its end', async () => {
    const { agent, id } = await readyDeployment();
    await pause(fleet.person, agent);
    await obey(agent);
    const second = await deploy(fleet.person, agent);
    expect(await poll(agent)).toEqual([]);
    expect((await readAgent(fleet.person, agent)).health.state).toBe('paused');
    await resume(fleet.person, agent);
    const commands = await poll(agent);
    expect(commands.map(({ deployment_id, action }) => [deployment_id, action])).toEqual([
      [id, 'scale'],
      [second, 'deploy'],
    ]);
    for (const { command_id } of commands) await acknowledge(agent, command_id);
    expect(await readDeployment(fleet.person, second)).toMatchObject({ status: 'running', generation: 2 });
  });

  it('withholds a scale, and its end asks for the new number', async () => {
    const { agent, id } = await readyDeployment();
    await pause(fleet.person, agent);
    expect((await fleet.person.api.post(`/deployments/${id}/scale`, { replicas: 5 })).status).toBe(200);
    expect(await nextCommand(agent)).toMatchObject({ action: 'scale', replicas: 0 });
    expect(await poll(agent)).toEqual([]);
    await resume(fleet.person, agent);
    expect(await nextCommand(agent)).toMatchObject({ action: 'scale', replicas: 5, generation: 5 });
  });

  it('withholds a restart, and its end restarts the stopped deployment', async () => {
    const { agent, id } = await readyDeployment();
    await pause(fleet.person, agent);
    await fleet.person.api.post(`/deployments/${id}/stop`);
    await fleet.person.api.post(`/deployments/${id}/restart`);
    expect((await obey(agent)).at(-1)).toBe('stop');
    expect(await readDeployment(fleet.person, id)).toMatchObject({ status: 'deploying', replicas: 3 });
    await resume(fleet.person, agent);
    expect(await nextCommand(agent)).toMatchObject({ action: 'restart', replicas: 3 });
    expect((await readDeployment(fleet.person, id)).status).toBe('running');
  });

  it('lets a stop and a delete through', async () => {
    const { agent, id } = await readyDeployment();
    await pause(fleet.person, agent);
    await obey(agent);
    await fleet.person.api.post(`/deployments/${id}/stop`);
    expect(await nextCommand(agent)).toMatchObject({ action: 'stop' });
    await fleet.person.api.delete(`/deployments/${id}`);
    expect(await nextCommand(agent)).toMatchObject({ action: 'kill' });
    await resume(fleet.person, agent);
    expect(await poll(agent)).toEqual([]);
    expect((await readAgent(fleet.person, agent)).health.state).toBe('idle');
  });

  it('withdraws a deploy that was not delivered, and its end sends it', async () => {
    const { agent } = await fleet.runningDeployment();
    const second = await deploy(fleet.person, agent);
    await pause(fleet.person, agent);
    expect((await poll(agent)).map(({ deployment_id }) => deployment_id)).not.toContain(second);
    await obey(agent);
    await resume(fleet.person, agent);
    const commands = await poll(agent);
    expect(commands.find(({ deployment_id }) => deployment_id === second)).toMatchObject({
      action: 'deploy',
    });
  });

  it('is delivered after an earlier deploy, and keeps a replacement from becoming ready', async () => {
    const { agent, id } = await readyDeployment();
    const { body } = await fleet.person.api.post(`/agents/${agent.id}/deploy`, { replaces: 'active' });
    const [started] = await poll(agent);
    await pause(fleet.person, agent);
    // The runtime has begun it, and says so; the pause stands behind.
    await acknowledge(agent, started!.command_id);
    await reportReady(agent, body.id, 1, 1);
    expect((await obey(agent)).sort()).toEqual(['scale', 'scale']);
    expect(await readDeployment(fleet.person, id)).toMatchObject({ status: 'running', replicas: 3 });
    await resume(fleet.person, agent);
    await obey(agent);
    await reportReady(agent, body.id, 1, (await readDeployment(fleet.person, body.id)).generation);
    expect((await readDeployment(fleet.person, id)).status).toBe('stopped');
  });

  it('is not undone by reports, also late ones and those of other systems', async () => {
    const { agent, id } = await readyDeployment();
    await pause(fleet.person, agent);
    await reportReady(agent, id, 3, 2);
    await fleet.person.api.post('/webhooks/deployment', { deployment_id: id, event: 'up', status: 'ready' });
    await fleet.person.api.post('/webhooks/agent-status', { agent_id: agent.id, status: 'running' });
    expect(await readDeployment(fleet.person, id)).toMatchObject({ status: 'running', replicas: 3 });
    expect(await nextCommand(agent)).toMatchObject({ replicas: 0 });
    expect(await readAgent(fleet.person, agent)).toMatchObject({
      paused: { confirmed_at: expect.any(String) },
      health: { state: 'paused' },
    });
  });

  it('tells a runtime that starts again to have no replica', async () => {
    const { agent, id } = await readyDeployment();
    await pause(fleet.person, agent);
    await obey(agent);
    const started = await agent.runtime.post('/agents/register', {});
    expect(started.body.deployments).toMatchObject([{ id, status: 'running', replicas: 0 }]);
    const own = await agent.runtime.get(`/agents/${agent.id}/status`);
    expect(own.body.deployments).toMatchObject([{ id, replicas: 0 }]);
    await resume(fleet.person, agent);
    const again = await agent.runtime.post('/agents/register', {});
    expect(again.body.deployments).toMatchObject([{ id, replicas: 3 }]);
  });

  it('fails nothing for a time that is over or a command that is not answered', async () => {
    const { agent } = await readyDeployment();
    const second = await deploy(fleet.person, agent);
    await pause(fleet.person, agent);
    await fleet.app.database.query(
      `UPDATE deployments SET started_at = now() - interval '1 day' WHERE agent_id = $1`,
      [agent.id],
    );
    for (let delivery = 0; delivery < 7; delivery++) {
      await poll(agent);
      await fleet.app.database.query('UPDATE commands SET leased_until = now() WHERE leased_until > now()');
      await fleet.round();
    }
    expect((await readDeployment(fleet.person, second)).status).toBe('deploying');
    expect((await readAgent(fleet.person, agent)).paused.confirmed_at).toBeNull();
    // The command of the pause comes until it is acknowledged.
    expect(await obey(agent)).toEqual(['scale']);
    expect((await readAgent(fleet.person, agent)).paused.confirmed_at).not.toBeNull();
    await resume(fleet.person, agent);
    await fleet.round();
    expect((await readDeployment(fleet.person, second)).status).toBe('deploying');
  });

  it.each([
    ['begins', async () => {}, async (agent: TestAgent) => void (await pause(fleet.person, agent)), 0],
    [
      'ends',
      async (agent: TestAgent) => {
        await pause(fleet.person, agent);
        await obey(agent);
      },
      (agent: TestAgent) => resume(fleet.person, agent),
      3,
    ],
  ])('that %s while the agent is lost reaches what recovers', async (_, before, meanwhile, replicas) => {
    const { agent, id } = await readyDeployment();
    await before(agent);
    await fleet.heartbeat(agent);
    await fleet.silence(agent, 3_600);
    await fleet.round();
    expect((await readDeployment(fleet.person, id)).status).toBe('failed');
    await meanwhile(agent);
    await report(agent, id, { status: 'running' });
    expect((await readDeployment(fleet.person, id)).status).toBe('running');
    expect(await nextCommand(agent)).toMatchObject({ action: 'scale', replicas });
  });

  it('is confirmed at once without running replicas, and after a failure that ends them', async () => {
    const { agent, id } = await readyDeployment();
    await fleet.person.api.post(`/agents/${agent.id}/stop`);
    await obey(agent);
    expect(await pause(fleet.person, agent)).toMatchObject({ confirmed: 1 });
    await resume(fleet.person, agent);
    await fleet.person.api.post(`/deployments/${id}/restart`);
    await obey(agent);
    await pause(fleet.person, agent);
    await report(agent, id, { status: 'failed', error_message: 'exit code 1' });
    expect((await readAgent(fleet.person, agent)).paused.confirmed_at).not.toBeNull();
    await resume(fleet.person, agent);
    expect((await readAgent(fleet.person, agent)).health.state).toBe('failing');
  });
});
