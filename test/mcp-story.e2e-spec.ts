import { createAgent, obey, report, type TestAgent } from './builders/agents.js';
import { askApproval } from './builders/approvals.js';
import { Assistant, type Revision, REVISIONS } from './builders/mcp.js';
import { type Person, registerPerson } from './builders/people.js';
import { claim, tell } from './builders/runs.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let service: TestApp;

beforeAll(async () => {
  service = await startTestApp();
});

afterAll(() => service.close());

/** An agent whose first version works, and whose second one fails. */
async function failingAgent(person: Person): Promise<TestAgent> {
  const agent = await createAgent(service, person, { name: 'invoices', config: '{"command": ["good"]}' });
  const works = (await person.api.post(`/agents/${agent.id}/deploy`)).body.id;
  await obey(agent);
  await report(agent, works, { status: 'ready', ready_replicas: 1, observed_generation: 1 });
  await person.api.patch(`/agents/${agent.id}`, { config: '{"command": ["bad"]}' });
  const fails = (await person.api.post(`/agents/${agent.id}/deploy`, { replaces: 'active' })).body.id;
  await obey(agent);
  await report(agent, fails, { status: 'ready', ready_replicas: 1, observed_generation: 1 });
  // The command that stops the version before.
  await obey(agent);
  const exit = { code: 3, signal: null, message: 'no such module: pdf', at: new Date().toISOString() };
  await report(agent, fails, { restart_count: 1, last_exit: exit });
  await report(agent, fails, { status: 'failed', error_message: 'exit code 3' });
  await agent.runtime.post('/agents/logs', {
    logs: [
      { level: 'error', message: 'no such module: pdf', deployment_id: fails },
      { level: 'info', message: 'starting', deployment_id: fails },
    ],
  });
  return agent;
}

describe.each(Object.keys(REVISIONS) as Revision[])('An assistant, in the revision %s', (revision) => {
  it('finds failures and their reasons, rolls back, waits for health, starts a run and reads its output', async () => {
    const person = await registerPerson(service);
    const agent = await failingAgent(person);
    const assistant = await Assistant.connect(service, person.accessToken, { revision });

    const { failing_agents: failures, agents_by_health: health } = await assistant.call('overview');
    expect([health.failing, failures[0].agent_id, failures[0].error]).toEqual([1, agent.id, 'exit code 3']);

    const why = await assistant.call('why', { agent_id: agent.id });
    expect(why).toMatchObject({
      agent: { health: { state: 'failing' } },
      deployments: [
        { status: 'failed', config_version: 2, error_message: 'exit code 3' },
        { status: 'stopped', config_version: 1 },
      ],
      last_exits: [
        { deployment_id: failures[0].deployment_id, last_exit: { code: 3, message: 'no such module: pdf' } },
      ],
      errors: [{ message: 'no such module: pdf' }],
      waiting_commands: [],
      waiting_runs: [],
      failed_runs: [],
    });
    expect(why.events[0]).toMatchObject({ event_type: 'failed', error_message: 'exit code 3' });

    const { id } = await assistant.call('deploy_agent', {
      agent_id: agent.id,
      config_version: why.deployments[1].config_version,
      replaces: 'active',
    });
    const waiting = await assistant.call('why', { agent_id: agent.id });
    expect(waiting.waiting_commands).toMatchObject([
      { action: 'deploy', state: 'pending', deployment_id: id },
    ]);
    await obey(agent);
    await report(agent, id, { status: 'ready', ready_replicas: 1, observed_generation: 1 });
    await assistant.callUntil('get_deployment', { deployment_id: id }, ({ status }) => status === 'ready');
    const well = await assistant.call('get_agent', { agent_id: agent.id });
    expect(well.health.state).toBe('healthy');

    const asked = await assistant.call('start_run', { agent_id: agent.id, input: { invoices: [4711] } });
    const reading = assistant.call('get_run', { run_id: asked.id, wait: 30 });
    const [run] = await claim(agent);
    expect(run!.input).toEqual({ invoices: [4711] });
    await tell(agent, { run_id: asked.id, status: 'succeeded', output: { open: 42 } });
    expect(await reading).toMatchObject({ id: asked.id, status: 'succeeded', output: { open: 42 } });
    await assistant.close();
  });

  it('uses every other tool', async () => {
    const person = await registerPerson(service);
    const agent = await createAgent(service, person);
    const assistant = await Assistant.connect(service, person.accessToken, { revision });
    const { id } = await assistant.call('deploy_agent', { agent_id: agent.id });
    const given = { deployment_id: id };
    await obey(agent);
    expect(await assistant.call('scale_deployment', { ...given, replicas: 3 })).toMatchObject({
      replicas: 3,
    });
    const { items } = await assistant.call('list_events', given);
    expect(items.map(({ event_type: type }: { event_type: string }) => type)).toEqual([
      'scale',
      'running',
      'deploy',
    ]);

    const { id: queued } = await assistant.call('start_run', { agent_id: agent.id, name: 'report' });
    expect(await assistant.call('list_runs', { agent_id: agent.id, status: ['queued'] })).toMatchObject([
      { id: queued },
    ]);
    expect(await assistant.call('cancel_run', { run_id: queued, reason: 'a test' })).toMatchObject({
      status: 'cancelled',
    });

    await assistant.call('pause_agent', { agent_id: agent.id, reason: 'a test' });
    const paused = await assistant.call('find_agents', { health: 'paused' });
    expect(paused).toMatchObject([{ id: agent.id, paused: { reason: 'a test' } }]);
    await assistant.call('resume_agent', { agent_id: agent.id });
    expect(await assistant.call('get_agent', { agent_id: agent.id })).toMatchObject({ paused: null });

    expect(await assistant.call('restart_deployment_rolling', given)).toMatchObject({ id });
    expect(await assistant.call('stop_agent', { agent_id: agent.id })).toMatchObject({ stopped: 1 });
    expect(await assistant.call('restart_deployment', given)).toMatchObject({ id, status: 'deploying' });
    await agent.runtime.post('/agents/logs', { level: 'warning', message: 'slow', deployment_id: id });
    expect(await assistant.call('search_logs', { q: 'slow', agent_id: [agent.id] })).toMatchObject([
      { message: 'slow' },
    ]);
    await askApproval(agent, { title: 'Pay invoice 4711' });
    expect(await assistant.call('list_approvals', { state: 'pending' })).toMatchObject([
      { title: 'Pay invoice 4711' },
    ]);
    expect(await assistant.call('get_usage', { group_by: 'agent' })).toMatchObject({
      total: { llm_calls: 0 },
    });
  });
});
