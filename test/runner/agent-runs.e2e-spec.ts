import { PeriodicJobs } from '../../src/database/periodic-jobs.js';
import type { AgentRun, ClaimedRun } from '@agent-control-plane/client/runtime';
import { type Person, registerPerson } from '../builders/people.js';
import { ask, eventsOf, readRun } from '../builders/runs.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { AgentStage } from './agent-stage.js';

/** Runs with the library in this process, the real service, and a gateway between them that can misbehave. */
let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: { HEARTBEAT_INTERVAL_SECONDS: '1' } });
  person = await registerPerson(app);
});

afterAll(() => app.close());

/** A test with a separate stage; they wait most of the time, so they run concurrently. */
function itOnStage(title: string, test: (on: AgentStage, deploymentId: string) => Promise<void>): void {
  it.concurrent(title, async () => {
    const on = await AgentStage.open(app, person);
    try {
      await test(on, await on.deploy());
    } finally {
      await on.close();
    }
  });
}

const statusOf = async (id: string) => (await readRun(person, id)).status;
const becomes = (id: string, status: string) => until(async () => (await statusOf(id)) === status);
/** A function that continues until its run is to end early. */
const untilInterrupted = ({ signal }: AgentRun) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

describe('An agent with onRun', () => {
  itOnStage(
    'does the work of a run, and its output comes back to whoever asked',
    async (on, deploymentId) => {
      const seen: ClaimedRun[] = [];
      on.start({
        apply: undefined,
        onRun: async (run) => {
          seen.push(run);
          run.log('looking it up');
          return { answer: 42 };
        },
      });
      const body = {
        input: { question: 6 },
        name: 'sum',
        labels: { a: 'b' },
        conversation_id: 'c',
        timeout_seconds: 60,
      };
      const headers = { Prefer: 'wait=30' };
      const reply = await person.api.post(`/agents/${on.agent.id}/runs`, body, { headers });
      expect(reply).toMatchObject({ status: 200, body: { status: 'succeeded', output: { answer: 42 } } });
      const { id } = reply.body;
      expect(seen).toMatchObject([
        { id, input: { question: 6 }, name: 'sum', labels: { a: 'b' }, conversationId: 'c', attempt: 1 },
      ]);
      expect(seen[0]).toMatchObject({ timeoutSeconds: 60, traceparent: expect.stringMatching(/^00-/) });
      const [line] = await until(async () => {
        const logs = await on.logs();
        return logs.length > 0 && logs;
      });
      expect(line).toMatchObject({ message: 'looking it up', run_id: id, deployment_id: deploymentId });
      expect(await eventsOf(person, id)).toEqual(['queued', 'started', 'succeeded']);
    },
  );

  itOnStage('says how far a run is, and for whom it waits', async (on) => {
    let goOn!: () => void;
    const approved = new Promise<void>((resolve) => (goOn = resolve));
    on.start({
      onRun: async (run) => {
        run.progress({ percent: 50, message: 'half' });
        run.wait('an approval');
        await approved;
        run.resume();
        await untilInterrupted(run).catch(() => undefined);
      },
    });
    const { id } = await ask(person, on.agent);
    await becomes(id, 'waiting');
    expect(await readRun(person, id)).toMatchObject({
      waiting_reason: 'an approval',
      progress: { percent: 50, message: 'half' },
    });
    goOn();
    await becomes(id, 'running');
    await person.api.post(`/runs/${id}/cancel`);
    // it ended well all the same, and that counts
    await becomes(id, 'succeeded');
  });

  itOnStage('reports what a run throws as its failure, and what is no output', async (on) => {
    const outputs: Record<string, () => unknown> = {
      throws: () => {
        throw new Error('no such invoice');
      },
      'is no JSON': () => 1n,
      'is too large': () => 'x'.repeat(300_000),
      'is far too large': () => 'x'.repeat(2_000_000),
    };
    on.start({ onRun: async ({ name }) => outputs[name!]!(), concurrency: 4 });
    const asked = Object.keys(outputs).map((name) => ask(person, on.agent, { name }));
    const errors = await Promise.all(
      asked.map(async (run) => {
        const { id } = await run;
        await becomes(id, 'failed');
        return (await readRun(person, id)).error;
      }),
    );
    expect(errors).toEqual([
      'no such invoice',
      expect.stringContaining('BigInt'),
      expect.stringMatching(/^The service refuses the report of its end: .*output/),
      expect.stringMatching(/^The service refuses the report of its end: /),
    ]);
  });

  itOnStage('hears at once that a run is cancelled', async (on) => {
    on.start({ onRun: untilInterrupted });
    const { id } = await ask(person, on.agent);
    await becomes(id, 'running');
    await person.api.post(`/runs/${id}/cancel`, { reason: 'no longer needed' });
    await becomes(id, 'cancelled');
    expect(await readRun(person, id)).toMatchObject({ error: 'The run was cancelled' });
  });

  itOnStage('leaves a run that it ends for its time to the service', async (on) => {
    const over: unknown[] = [];
    on.start({
      onRun: (run) => {
        run.signal.addEventListener('abort', () => over.push(run.signal.reason));
        return untilInterrupted(run);
      },
    });
    const { id } = await ask(person, on.agent, { timeout_seconds: 1 });
    await until(() => over.length === 1);
    const beats = on.gateway.of('POST /agents/heartbeat').length;
    const later = () => on.gateway.of('POST /agents/heartbeat').slice(beats);
    // it is named until the service has ended it, or it would count as abandoned
    await until(() => later().filter(({ body }) => body.runs.includes(id)).length >= 2);
    await until(() => app.app.get(PeriodicJobs).runOnce('runs'));
    expect(await statusOf(id)).toBe('timed_out');
    await until(() => later().some(({ body }) => !body.runs.includes(id)));
    expect(over).toMatchObject([{ interruption: 'timed_out' }]);
    const { id: next } = await ask(person, on.agent);
    await becomes(next, 'running');
    expect(await statusOf(id)).toBe('timed_out');
  });

  itOnStage('has as many runs at once as it may, and takes the next when one has ended', async (on) => {
    const ends: (() => void)[] = [];
    on.start({
      concurrency: 2,
      onRun: async () => new Promise<void>((resolve) => ends.push(resolve)),
    });
    const ids: string[] = [];
    for (let each = 0; each < 3; each++) ids.push((await ask(person, on.agent)).id);
    await until(() => ends.length === 2);
    const statuses = await Promise.all(ids.map(statusOf));
    expect(statuses).toEqual(['running', 'running', 'queued']);
    ends[0]!();
    await until(() => ends.length === 3);
    for (const end of ends) end();
    for (const id of ids) await becomes(id, 'succeeded');
    const limits = on.gateway.calls.filter(({ path }) => path === '/agents/runs/claim');
    expect(Math.max(...limits.map(({ body }) => body.limit))).toBe(2);
  });

  itOnStage('does work of its own as a run', async (on) => {
    const { runtime } = on.start();
    const output = await runtime.run('import', async (run) => `${run.name} of ${String(run.input)}`, {
      input: 'a.csv',
      labels: { kind: 'nightly' },
    });
    expect(output).toBe('import of a.csv');
    const failing = runtime.run('export', () => Promise.reject(new Error('disk full')));
    await expect(failing).rejects.toThrow('disk full');
    const runs = await until(async () => {
      const { body } = await person.api.get(`/runs?agent_id=${on.agent.id}`);
      return body.length === 2 && body.every((run: any) => run.ended_at !== null) && body;
    });
    const byName = Object.fromEntries(runs.map((run: any) => [run.name, run]));
    expect(await readRun(person, byName.import.id)).toMatchObject({
      status: 'succeeded',
      source: 'agent',
      input: 'a.csv',
      output,
      labels: { kind: 'nightly' },
    });
    expect(byName.export).toMatchObject({ status: 'failed', error: 'disk full' });
  });
});
