import { v7 as uuidv7 } from 'uuid';
import { createAgent, deploy, obey, type TestAgent } from './builders/agents.js';
import { askApproval, decided } from './builders/approvals.js';
import { endPause, pause } from './builders/pauses.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { createProject, registerMember } from './builders/projects.js';
import { ask } from './builders/runs.js';
import { createSchedule } from './builders/schedules.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { scansOf, statementsOf } from './harness/statements.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

/** Enough entries of others that a plan that reads all of them is seen. */
const OTHERS = 4_000;

let app: TestApp;
let operator: Person;

beforeAll(async () => {
  app = await startTestApp();
  operator = await registerOperator(app);
});

afterAll(async () => {
  await expectCleanAudit(app.database);
  await app.close();
});

const entriesOf = async (person: Person, { id }: { readonly id: string }, query = '') =>
  (await person.api.get(`/audit?agent_id=${id}${query || '&limit=100'}`)).body as Record<string, any>[];
const actionsOf = async (person: Person, agent: { readonly id: string }, query = '') =>
  (await entriesOf(person, agent, query)).map(({ action }) => action).reverse();

/** Does something to each kind of what belongs to an agent. */
async function actOnAll(owner: Person, agent: TestAgent): Promise<void> {
  const { api } = owner;
  const deployment = await deploy(owner, agent);
  await obey(agent);
  await api.post(`/deployments/${deployment}/scale`, { replicas: 2 });
  const run = await ask(owner, agent);
  await api.post(`/runs/${run.id}/cancel`);
  await api.post(`/runs/${run.id}/retry`);
  const key = (await api.post('/api-keys', { name: 'second', agent_id: agent.id })).body;
  const next = (await api.post(`/api-keys/${key.id}/rotate`)).body;
  await api.delete(`/api-keys/${next.id}`);
  const schedule = await createSchedule(owner, agent);
  await api.patch(`/schedules/${schedule.id}`, { is_active: false });
  await api.post(`/schedules/${schedule.id}/trigger`);
  await api.delete(`/schedules/${schedule.id}`);
  await decided(owner, await askApproval(agent), { decision: 'approve' });
  const terms = { name: 'calls', agent_id: agent.id, period: 'day', limit: { llm_calls: 4 } };
  const budget = (await api.post('/budgets', terms)).body;
  await api.patch(`/budgets/${budget.id}`, { name: 'more calls' });
  await api.delete(`/budgets/${budget.id}`);
  await endPause(owner, await pause(owner, agent));
  await api.delete(`/deployments/${deployment}`);
}

const ALL = [
  ...['agent.create', 'agent.deploy', 'deployment.scale', 'run.create', 'run.cancel', 'run.retry'],
  ...['api_key.create', 'api_key.rotate', 'api_key.revoke'],
  ...['schedule.create', 'schedule.update', 'schedule.trigger', 'schedule.delete'],
  ...['approval.request', 'approval.decide', 'budget.create', 'budget.update', 'budget.delete'],
  ...['agent.pause', 'pause.end', 'deployment.kill'],
];

describe('The audit log of an agent', () => {
  it('has the acts on it and on all that belongs to it, also after its deletion', async () => {
    const ann = await registerPerson(app);
    const agent = await createAgent(app, ann, { name: 'sorter' });
    const other = await createAgent(app, ann, { name: 'other' });
    for (const each of [other, agent]) await actOnAll(ann, each);
    expect(await actionsOf(ann, agent)).toEqual(ALL);
    const named = (await entriesOf(ann, agent)).map((entry) => [entry.target_type, entry.target_name]);
    expect(new Set(named.filter(([type]) => type !== 'api_key').map(([, name]) => name))).toEqual(
      new Set(['sorter']),
    );
    expect(await actionsOf(ann, agent, `&actor=agent:${agent.id}`)).toEqual(['approval.request']);

    await ann.api.delete(`/agents/${agent.id}`);
    await until(async () => (await ann.api.get(`/agents/${agent.id}`)).status === 404);
    expect(await actionsOf(operator, { id: agent.id.toUpperCase() })).toEqual([...ALL, 'agent.delete']);
  });

  it('shows owners of its project all of that, and other members what they did', async () => {
    const owner = await registerPerson(app);
    const projectId = await createProject(owner);
    const deployer = await registerMember(app, projectId, 'deployer');
    const agent = await createAgent(app, owner, { project_id: projectId });
    const run = await ask(deployer, agent);
    expect(await actionsOf(owner, agent)).toEqual(['agent.create', 'run.create']);
    expect((await entriesOf(deployer, agent)).map(({ target_id: id }) => id)).toEqual([run.id]);
    expect(await actionsOf(await registerPerson(app), agent)).toEqual([]);
  });

  it('has the reads of its runs and deployments by operators, and the use of its keys that have ended', async () => {
    const owner = await registerPerson(app);
    const agent = await createAgent(app, owner);
    const { id: runId } = await ask(owner, agent);
    await operator.api.get(`/runs/${runId}`);
    const key = (await owner.api.post('/api-keys', { name: 'k', agent_id: agent.id })).body;
    await owner.api.delete(`/api-keys/${key.id}`);
    await app.api.as(key.key).post('/agents/heartbeat', {});
    await until(async () => {
      const actions = await actionsOf(owner, agent);
      return actions.includes('run.read') && actions.includes('api_key.use');
    });
  });

  it('reads no more entries than a page has, by an index', async () => {
    const owner = await registerPerson(app);
    const agent = await createAgent(app, owner);
    const insert = (agentId: string, entries: number) =>
      app.database.query(
        `INSERT INTO audit_log (id, at, actor, action, target_type, target_id, outcome, details, owner_id)
         SELECT make_uuidv7(), now(), 'service', 'run.cancel', 'run', make_uuidv7(), 'success',
           jsonb_build_object('agent_id', $2::text), $1 FROM generate_series(1, $3::int)`,
        [owner.id, agentId, entries],
      );
    await insert(agent.id, 30);
    for (let other = 0; other < 4; other++) await insert(uuidv7(), OTHERS / 4);
    await insert(agent.id, 30);
    await app.database.query('ANALYZE audit_log');
    for (const reader of [operator, owner]) {
      const sent = await statementsOf(app, async () => {
        const page = await entriesOf(reader, agent, '&limit=10');
        const next = await entriesOf(reader, agent, `&limit=50&before=${page.at(-1)!.id}`);
        expect([page.length, next.length]).toEqual([10, 50]);
      });
      const reads = sent.filter(({ text }) => text.includes('FROM audit_log'));
      const scans = (await Promise.all(reads.map((read) => scansOf(app, read)))).flat();
      const rows = scans.filter(({ table }) => table === 'audit_log').map((scan) => scan.rows);
      expect(reads).toHaveLength(2);
      expect(Math.max(...rows)).toBeLessThan(100);
    }
  });
});
