import type { AgentRun } from '@agent-control-plane/client/runtime';
import { type Person, registerPerson } from '../builders/people.js';
import { ask, eventsOf, readRun } from '../builders/runs.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { AgentStage } from './agent-stage.js';

/** Runs of the library when the service, the network or the process fails. */
let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: { HEARTBEAT_INTERVAL_SECONDS: '1' } });
  person = await registerPerson(app);
});

afterAll(() => app.close());

function itOnStage(title: string, test: (on: AgentStage) => Promise<void>): void {
  it.concurrent(title, async () => {
    const on = await AgentStage.open(app, person);
    try {
      await on.deploy();
      await test(on);
    } finally {
      await on.close();
    }
  });
}

const statusOf = async (id: string) => (await readRun(person, id)).status;
const becomes = (id: string, status: string) => until(async () => (await statusOf(id)) === status);
const begins = (on: AgentStage, id: string) => until(() => on.begun.includes(id));
const claims = (on: AgentStage) => on.gateway.calls.filter(({ path }) => path === '/agents/runs/claim');
const untilInterrupted = ({ signal }: AgentRun) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

describe('A run of the library', () => {
  itOnStage('is carried out once when the answer to its claim is lost', async (on) => {
    on.gateway.treat = ({ path }) => {
      const isFirst = path === '/agents/runs/claim' && claims(on).length === 1;
      return isFirst ? 'lose' : 'pass';
    };
    const { id } = await ask(person, on.agent);
    let count = 0;
    on.start({ onRun: async () => (count += 1) });
    await becomes(id, 'succeeded');
    expect(count).toBe(1);
    const [first, second] = claims(on);
    expect(second!.idempotencyKey).toBe(first!.idempotencyKey);
    expect(await eventsOf(person, id)).toEqual(['queued', 'started', 'succeeded']);
  });

  itOnStage('is not abandoned while a proxy answers its claim in place of the service', async (on) => {
    let isOpen = false;
    on.gateway.treat = ({ path }) => {
      if (path !== '/agents/runs/claim' || isOpen) return 'pass';
      return claims(on).length === 1 ? 'garble' : { status: 200, body: { login: 'required' } };
    };
    const { id } = await ask(person, on.agent);
    on.start({ onRun: async () => 'done' });
    await until(() => claims(on).length > 1);
    const named = () => on.gateway.of('POST /agents/heartbeat').map(({ body }) => body.runs as unknown);
    const before = named().length;
    const doubtful = await until(() => named().length > before + 1 && named().slice(before));
    expect(doubtful.filter((runs) => runs !== undefined)).toEqual([]);
    isOpen = true;
    await becomes(id, 'succeeded');
    expect(await eventsOf(person, id)).toEqual(['queued', 'started', 'succeeded']);
  });

  itOnStage('ends once when the answer to its report is lost', async (on) => {
    let lost = 0;
    on.gateway.treat = ({ path }) => (path === '/agents/runs' && ++lost === 1 ? 'lose' : 'pass');
    on.start({ onRun: async () => 'done' });
    const { id } = await ask(person, on.agent);
    await becomes(id, 'succeeded');
    const reports = await until(() => {
      const sent = on.gateway.calls.filter(({ path }) => path === '/agents/runs');
      return sent.length > 1 && sent;
    });
    expect(reports[1]!.idempotencyKey).toBe(reports[0]!.idempotencyKey);
    expect(reports[1]!.text).toBe(reports[0]!.text);
    expect(await eventsOf(person, id)).toEqual(['queued', 'started', 'succeeded']);
  });

  itOnStage('goes on while the service is away, and the next process reports its end', async (on) => {
    let end!: () => void;
    const ended = new Promise<string>((resolve) => (end = () => resolve('kept')));
    let isOver = false;
    const { runtime } = on.start({ onRun: () => ended.finally(() => (isOver = true)) });
    const { id } = await ask(person, on.agent);
    await begins(on, id);
    await on.gateway.down();
    end();
    await until(() => isOver);
    await runtime.stop(0);
    await on.gateway.up();
    on.start({ onRun: untilInterrupted });
    await becomes(id, 'succeeded');
    expect(await readRun(person, id)).toMatchObject({ output: 'kept' });
    expect(await eventsOf(person, id)).toEqual(['queued', 'started', 'succeeded']);
  });

  itOnStage('keeps its second attempt from the late end of the first one', async (on) => {
    const busy = { statusCode: 503, detail: 'Busy', request_id: 'r', code: 'overloaded' };
    let isBusy = true;
    on.gateway.treat = ({ path }) =>
      path === '/agents/runs' && isBusy ? { status: 503, body: busy } : 'pass';
    let end!: () => void;
    const ended = new Promise<string>((resolve) => (end = () => resolve('second')));
    const begun: number[] = [];
    on.start({
      onRun: async ({ attempt }) => {
        begun.push(attempt);
        if (attempt === 1) throw new Error('first');
        return ended;
      },
    });
    const { id } = await ask(person, on.agent, { retry: { max_attempts: 2, abandoned: true } });
    await until(() => on.gateway.calls.find(({ path }) => path === '/agents/runs'));
    // as if its process had started without the run
    await on.agent.runtime.post('/agents/register', {});
    await until(() => begun.length === 2);
    isBusy = false;
    end();
    await becomes(id, 'succeeded');
    expect(await readRun(person, id)).toMatchObject({ output: 'second', error: null, attempt: 2 });
    const steps = ['queued', 'started', 'abandoned', 'queued', 'started', 'succeeded'];
    expect(await eventsOf(person, id)).toEqual(steps);
  });

  itOnStage('ends an attempt that the service has given up before it begins the next one', async (on) => {
    const diary: string[] = [];
    on.start({
      concurrency: 2,
      onRun: async (run) => {
        diary.push(`begin ${run.attempt}`);
        if (run.attempt === 1) await untilInterrupted(run).finally(() => diary.push(`end ${run.attempt}`));
        return run.attempt;
      },
    });
    const { id } = await ask(person, on.agent, { retry: { max_attempts: 2, abandoned: true } });
    await until(() => diary.length === 1);
    await on.agent.runtime.post('/agents/register', {});
    await becomes(id, 'succeeded');
    expect(await readRun(person, id)).toMatchObject({ output: 2, attempt: 2 });
    expect(diary).toEqual(['begin 1', 'end 1', 'begin 2']);
  });

  itOnStage('is abandoned when its process has lost it', async (on) => {
    const { runtime } = on.start({ onRun: () => new Promise(() => undefined) });
    const { id } = await ask(person, on.agent);
    await begins(on, id);
    // as if it were killed: nothing that it still says arrives, and the next process has nothing from it
    await on.gateway.down();
    await runtime.stop(0);
    await on.gateway.up();
    on.start({ onRun: untilInterrupted, stateDir: undefined });
    await becomes(id, 'abandoned');
  });

  itOnStage('is given back unstarted when the runtime stops', async (on) => {
    on.gateway.treat = ({ path }) => (path === '/agents/runs/claim' ? 'lose' : 'pass');
    const { id } = await ask(person, on.agent);
    let count = 0;
    const { runtime } = on.start({ onRun: async () => (count += 1) });
    await becomes(id, 'running');
    on.gateway.treat = () => 'pass';
    await runtime.stop();
    expect(count).toBe(0);
    expect(await readRun(person, id)).toMatchObject({ status: 'queued', attempt: 1 });
  });

  itOnStage('is interrupted when the runtime stops, and its end is reported', async (on) => {
    const { runtime } = on.start({
      concurrency: 2,
      runGraceMs: 200,
      onRun: (run) => (run.name === 'polite' ? untilInterrupted(run) : new Promise(() => undefined)),
    });
    const { id: polite } = await ask(person, on.agent, { name: 'polite' });
    const { id: deaf } = await ask(person, on.agent, { name: 'deaf' });
    await Promise.all([begins(on, polite), begins(on, deaf)]);
    await runtime.stop();
    const end = { status: 'failed', error: 'The agent stopped before the run had ended' };
    expect(await readRun(person, polite)).toMatchObject(end);
    expect(await readRun(person, deaf)).toMatchObject(end);
  });

  itOnStage('is interrupted when its deployment is stopped', async (on) => {
    on.start({ onRun: untilInterrupted });
    const { id } = await ask(person, on.agent);
    await begins(on, id);
    await person.api.post(`/agents/${on.agent.id}/stop`);
    await becomes(id, 'failed');
  });

  itOnStage('is not asked for where the service knows no runs, and the agent goes on', async (on) => {
    const unknown = {
      status: 404,
      body: { statusCode: 404, detail: 'Route not found', request_id: 'r', code: 'route_not_found' },
    };
    on.gateway.treat = ({ path }) => (path.startsWith('/agents/runs') ? unknown : 'pass');
    const { runtime } = on.start({ onRun: untilInterrupted });
    await until(() => on.events.find(({ event }) => event === 'runs_unknown'));
    expect(await runtime.run('own', async () => 7)).toBe(7);
    await person.api.post(`/agents/${on.agent.id}/stop`);
    await until(() => on.causes().includes('stop'));
    expect(claims(on)).toHaveLength(1);
  });
});
