import {
  type AgentRun,
  type ApprovalDecision,
  ArgumentsChangedError,
  NotApprovedError,
  RunInterruptedError,
} from '@agent-control-plane/client/runtime';
import { bodyOf, decided, fetchAnswer, type TestApproval } from '../builders/approvals.js';
import { type Person, registerPerson } from '../builders/people.js';
import { ask, eventsOf, readRun } from '../builders/runs.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { AgentStage } from './agent-stage.js';

/** Questions of the library in this process, the real service, and a gateway between them that can misbehave. */
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ settings: { HEARTBEAT_INTERVAL_SECONDS: '1' } });
});

afterAll(() => app.close());

/** A test with a person, an agent and a gateway of its own. */
function itOnStage(title: string, test: (on: AgentStage, person: Person) => Promise<void>): void {
  it.concurrent(title, async () => {
    const person = await registerPerson(app);
    const on = await AgentStage.open(app, person);
    try {
      await on.deploy();
      await test(on, person);
    } finally {
      await on.close();
    }
  });
}

const ARGS = { to: 'DE02', euros: 120 };
const payment = (args: object = ARGS) => ({
  title: 'Pay invoice 4711',
  action: { name: 'send_payment', args },
});
const becomes = (person: Person, id: string, status: string) =>
  until(async () => (await readRun(person, id)).status === status);

/** The questions of the person's agent, when there are so many: those that wait, then the others. */
function questionsOf({ api }: Person, count = 1): Promise<TestApproval[]> {
  return until(async () => {
    const listed = bodyOf(await api.get('/approvals'), 200);
    return listed.length >= count && listed;
  });
}

describe('A run of the library', () => {
  itOnStage(
    'waits for the decision, and goes on with the arguments that were approved',
    async (on, person) => {
      on.start({
        onRun: async (run) => {
          const decision = await run.approve({ ...payment(), risk: 'high', description: 'It is due' });
          return { state: decision.state, args: decision.args, by: decision.decidedBy };
        },
      });
      const { id } = await ask(person, on.agent);
      const [asked] = await questionsOf(person);
      expect(asked).toMatchObject({ run_id: id, risk: 'high', description: 'It is due', state: 'pending' });
      await becomes(person, id, 'waiting');
      await decided(person, asked!);
      await becomes(person, id, 'succeeded');
      const output = { state: 'approved', args: ARGS, by: `user:${person.id}` };
      expect((await readRun(person, id)).output).toEqual(output);
      const steps = ['queued', 'started', 'waiting', 'approval_decided', 'resumed', 'succeeded'];
      expect(await eventsOf(person, id)).toEqual(steps);
    },
  );

  itOnStage('that is cancelled ends its wait, and takes its question back', async (on, person) => {
    let goOn!: () => void;
    const released = new Promise<void>((resolve) => (goOn = resolve));
    const thrown: unknown[] = [];
    on.start({
      onRun: async (run) => {
        await run.approve(payment()).catch((error: unknown) => thrown.push(error));
        await released;
      },
    });
    const { id } = await ask(person, on.agent);
    const [asked] = await questionsOf(person);
    await person.api.post(`/runs/${id}/cancel`);
    // before its run has ended
    await until(async () => (await person.api.get(`/approvals/${asked!.id}`)).body.state === 'withdrawn');
    expect(thrown).toEqual([expect.any(RunInterruptedError)]);
    goOn();
    await becomes(person, id, 'succeeded');
  });

  itOnStage('of its own asks for the run that the service has named', async (on, person) => {
    const { runtime } = on.start();
    const work = async (run: AgentRun) => (await run.approve(payment())).state;
    const done = runtime.run('nightly', work);
    const [asked] = await questionsOf(person);
    await decided(person, asked!, { decision: 'reject' });
    expect(await done).toBe('rejected');
    expect((await readRun(person, asked!.run_id)).name).toBe('nightly');
  });
});

describe('A question of the library', () => {
  itOnStage('tells every end apart, and gives arguments only to what was approved', async (on, person) => {
    const { runtime } = on.start();
    const allowedDecisions = ['approve', 'edit', 'reject', 'respond'] as const;
    const asking = async (
      key: string,
      more: object = {},
    ): Promise<[TestApproval, Promise<ApprovalDecision>]> => {
      const decision = runtime.approve({ ...payment(), key, allowedDecisions, ...more });
      const find = async () =>
        (await person.api.get('/approvals')).body.find((each: TestApproval) => each.approval_key === key);
      return [await until(find), decision];
    };
    const [edited, edit] = await asking('edited');
    await decided(person, edited, { decision: 'edit', edited_args: { to: 'DE02', euros: 20 } });
    expect(await edit).toMatchObject({ state: 'edited', isApproved: true, args: { euros: 20 } });
    const [rejected, no] = await asking('rejected');
    await decided(person, rejected, { decision: 'reject', reason: 'too much' });
    expect(await no).toMatchObject({ state: 'rejected', isApproved: false, reason: 'too much' });
    const [responded, words] = await asking('responded');
    await decided(person, responded, { decision: 'respond', response: 'Ask the supplier' });
    expect(await words).toMatchObject({ state: 'responded', response: 'Ask the supplier' });
    const [, late] = await asking('expired', { expiresInSeconds: 1 });
    expect(await late).toMatchObject({ state: 'expired', decidedBy: null });
    const [gone, back] = await asking('withdrawn');
    await on.agent.runtime.post(`/agents/approvals/${gone.id}/withdraw`);
    expect(await back).toMatchObject({ state: 'withdrawn', isApproved: false });
    for (const [decision, message] of [
      [await no, `send_payment is rejected by user:${person.id}: too much`],
      [await words, `send_payment is responded by user:${person.id}: Ask the supplier`],
      [await late, 'send_payment is expired: nobody has decided in time'],
      [await back, 'send_payment is withdrawn'],
    ] as const) {
      expect(() => decision.args).toThrow(new NotApprovedError(decision.state, message));
      expect(() => decision.check(ARGS)).toThrow(message);
    }
  });

  itOnStage('lets nothing run but what was approved', async (on, person) => {
    const { runtime } = on.start();
    const args = { to: 'DE02', euros: 120 };
    const decision = runtime.approve(payment(args));
    await decided(person, (await questionsOf(person))[0]!);
    const approved = await decision;
    approved.check({ euros: 120, to: 'DE02' });
    for (const changed of [{ to: 'DE02', euros: 121 }, { to: 'DE02' }, [args], null])
      expect(() => approved.check(changed)).toThrow(ArgumentsChangedError);
    expect(() => ((approved.args as typeof args).euros = 121)).toThrow(TypeError);
    // while it waits
    const second = runtime.approve(payment(args));
    const refused = expect(second).rejects.toThrow(ArgumentsChangedError);
    const [asked] = (await questionsOf(person, 2)).filter(({ state }) => state === 'pending');
    args.euros = 121;
    await decided(person, asked!);
    await refused;
  });

  itOnStage('is asked once through lost replies, refusals and an outage', async (on, person) => {
    const seen = { asks: 0, polls: 0 };
    on.gateway.treat = ({ method, path }) => {
      if (path === '/agents/approvals') {
        seen.asks += 1;
        if (seen.asks === 1) return 'lose';
        if (seen.asks === 2) return { status: 429, headers: { 'retry-after': '1' } };
      }
      if (method === 'GET' && path.startsWith('/agents/approvals/')) {
        seen.polls += 1;
        if (seen.polls === 1) return { status: 503, headers: { 'retry-after': '1' } };
        // its answer was fetched, and never came
        if (seen.polls === 3) return 'lose';
      }
      return 'pass';
    };
    const { runtime } = on.start();
    const decision = runtime.approve(payment());
    const [asked] = await questionsOf(person);
    await until(() => seen.polls === 2);
    await on.gateway.down();
    await decided(person, asked!);
    await on.gateway.up();
    expect((await decision).state).toBe('approved');
    expect(seen.polls).toBeGreaterThan(3);
    expect(await questionsOf(person)).toHaveLength(1);
    const asks = on.gateway.of('POST /agents/approvals');
    expect(new Set(asks.map(({ text }) => text)).size).toBe(1);
    expect(asks[2]!.at - asks[1]!.at).toBeGreaterThan(1_000);
  });

  itOnStage('stays open when the runtime stops, and the next process finds it again', async (on, person) => {
    const { runtime } = on.start();
    const first = runtime.approve(payment());
    const ended = expect(first).rejects.toThrow('stopped');
    const [asked] = await questionsOf(person);
    await runtime.stop();
    await ended;
    expect((await fetchAnswer(on.agent, asked!.id)).state).toBe('pending');
    const next = on.start().runtime;
    const [one, two] = [next.approve(payment()), next.approve(payment())];
    const all = await questionsOf(person, 2);
    expect(all.map(({ id }) => id)).toContain(asked!.id);
    for (const each of all) await decided(person, each);
    expect(new Set((await Promise.all([one, two])).map(({ approvalId }) => approvalId))).toEqual(
      new Set(all.map(({ id }) => id)),
    );
    expect(await questionsOf(person)).toHaveLength(2);
  });

  itOnStage('is taken back by its signal, and refused where it breaks a rule', async (on, person) => {
    const { runtime } = on.start();
    const end = new AbortController();
    const decision = runtime.approve({ ...payment(), signal: end.signal });
    const ended = expect(decision).rejects.toThrow('no longer');
    const [asked] = await questionsOf(person);
    end.abort(new Error('no longer'));
    await ended;
    await until(async () => (await person.api.get(`/approvals/${asked!.id}`)).body.state === 'withdrawn');
    await expect(runtime.approve({ ...payment(), title: '' })).rejects.toMatchObject({ status: 422 });
    await expect(runtime.approve(payment({ euros: NaN }))).rejects.toThrow('JSON has no NaN');
    const key = { key: asked!.approval_key as string };
    await expect(runtime.approve({ ...payment({ euros: 1 }), ...key })).rejects.toMatchObject({
      status: 409,
    });
  });
});
