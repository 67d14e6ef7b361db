import { createAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { exportSpans, llmSpan } from '../builders/traces.js';
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

describe('svc budgets', () => {
  it('creates a budget, and shows its spending', async () => {
    const agent = await createAgent(app, ada, { name: 'spender' });
    const made = await svc.json([
      ...['budgets', 'create', 'calls', '--agent-id', 'spender', '--period', 'day', '--llm-calls', '4'],
      ...['--warn-at', '50%', '--on-exceeded', 'pause', '--timezone', 'Europe/Berlin'],
    ]);
    expect(made).toMatchObject({
      name: 'calls',
      agent_id: agent.id,
      period: 'day',
      timezone: 'Europe/Berlin',
      limit: { llm_calls: 4 },
      warn_at: 0.5,
      on_exceeded: 'pause',
    });
    await exportSpans(agent, [llmSpan(), llmSpan()]);
    await until(async () => (await svc.json(['budgets', 'get', 'calls'])).state === 'warning');
    const shown = await svc.succeeds(['budgets', 'get', made.id.slice(0, 30)]);
    expect(shown).toMatch(
      /^Period +day in Europe\/Berlin\nSpent +2 llm calls\nLimit +4 llm calls\nState +warning$/m,
    );
    expect(shown).toMatch(/^Warns at +50 %\nThen +pause$/m);
    expect(await svc.succeeds(['complete', 'budget', 'ca'])).toBe('calls\tcalls, day, warning\n');
  });

  it('lists budgets by agent and state', async () => {
    await createAgent(app, ada, { name: 'listed' });
    const create = (...options: string[]) => svc.json(['budgets', 'create', ...options]);
    const own = await create('own', '--agent-id', 'listed', '--period', 'hour', '--tokens', '2000000');
    const team = await create('of the team', '--label', 'team=billing', '--period', 'month', '--usd', '20.5');
    const runs = await create('runs', '--period', 'run', '--minutes', '1.5');
    expect(team).toMatchObject({ label: 'team:billing', limit: { usd: '20.500000' }, on_exceeded: 'notify' });
    const idsOf = async (...filters: string[]) =>
      (await svc.json(['budgets', 'list', ...filters])).map(({ id }: { id: string }) => id);
    expect((await idsOf()).slice(0, 3)).toEqual([runs.id, team.id, own.id]);
    expect(await idsOf('--agent-id', 'listed')).toEqual([own.id]);
    expect(await idsOf('--state', 'exceeded')).toEqual([]);
    const table = await svc.succeeds(['budgets', 'list', '-n', '3']);
    expect(table).toMatch(/^BUDGET +NAME +AGENTS +PERIOD +SPENT +LIMIT +STATE +THEN +RESETS\n/);
    expect(table).toMatch(/ runs +all +run +0 minutes +1\.5 minutes +ok +notify\n/);
    expect(table).toMatch(/ of the team +label team:billing +month +\$0\.00 +\$20\.50 +ok +notify +in /);
    expect(table).toMatch(/ own +listed +hour +0 tokens +2,000,000 tokens +ok /);
  });

  it('changes the named properties, and deletes', async () => {
    const { id } = await svc.json(['budgets', 'create', 'changed', '--period', 'day', '--usd', '1']);
    const update = (...options: string[]) => svc.json(['budgets', 'update', 'changed', ...options]);
    expect(await update('--usd', '5', '--on-exceeded', 'stop')).toMatchObject({
      id,
      limit: { usd: '5.000000' },
      on_exceeded: 'stop',
      warn_at: 0.8,
    });
    expect(await update('--warn-at', '0.9', '--name', 'renamed')).toMatchObject({
      warn_at: 0.9,
      on_exceeded: 'stop',
    });
    const asked = await svc.run(['budgets', 'delete', 'renamed']);
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await svc.json(['budgets', 'delete', 'renamed', '--yes'])).toEqual({ deleted: id });
    const gone = await svc.run(['budgets', 'get', 'renamed']);
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('"svc budgets list"') });
  });

  it.each([
    [['create', 'x', '--usd', '1'], '--period'],
    [['create', 'x', '--period', 'day'], '--usd'],
    [['create', 'x', '--period', 'day', '--usd', '1', '--tokens', '1'], 'one limit'],
    [['create', 'x', '--period', 'day', '--usd', 'much'], 'a number like'],
    [['create', 'x', '--period', 'day', '--usd', '1', '--agent-id', 'a', '--label', 'a=b'], 'one of them'],
    [['create', 'x', '--period', 'day', '--usd', '1', '--warn-at', '120%'], '80%'],
    [['update', 'x'], 'Say what to change'],
  ])('refuses a wrong command line: %j', async (args, expected) => {
    const outcome = await svc.run(['budgets', ...args]);
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining(expected) });
  });
});
