import {
  carriesRunsOutOnce,
  claimsUnderItsKey,
  keepsToAnEnd,
  namesGivenRuns,
  namesItsRuns,
  namesTheAttempt,
} from '../../packages/conformance/src/checks/runs.js';
import type { Call, RunStory } from '../../packages/conformance/src/evidence.js';
import { call, evidence } from './seen-evidence.js';

const ID = '01997f3a-4444-7c11-8000-000000000001';

/** A run that was given in call 1, at the beginning. */
function run(change: Partial<RunStory> = {}): RunStory {
  return {
    id: ID,
    cancelledAt: null,
    abandonedAt: null,
    takes: [{ call: 1, at: 0, key: 'k' }],
    deliveries: [{ at: 0, call: 1, attempt: 1 }],
    ends: [],
    works: [],
    ...change,
  };
}

describe('Claims', () => {
  const claim = (number: number, change: Partial<Call> = {}) =>
    call({ number, route: 'claim', idempotencyKey: 'k', ...change });
  const lost = claim(1, { status: null, trouble: 'the reply was lost' });
  const found = (...calls: Call[]) => claimsUnderItsKey.examine(evidence({ calls, runs: [run()] }));

  it('are repeated under their key if they took a run and their reply was lost', () => {
    expect(found(lost, claim(2, { idempotencyKey: 'l' }), claim(3))).toEqual([]);
    expect(found(lost, claim(2, { idempotencyKey: 'l' }))).toEqual([
      expect.stringContaining('had the key of call 1'),
    ]);
    expect(found({ ...lost, idempotencyKey: null })).toEqual([expect.stringContaining('It had no key')]);
    // one that took nothing, and one that was answered
    expect(found(claim(1), claim(2, { trouble: 'the reply was lost' }))).toBeNull();
  });
});

describe('Heartbeats', () => {
  const beat = (at: number, ...runs: string[]) => call({ at, number: at, body: { runs } });
  const silent = (at: number) => call({ at, number: at, body: {} });
  const found = (calls: Call[], change: Partial<RunStory> = {}) =>
    namesItsRuns.examine(evidence({ calls, runs: [run(change)] }));

  it('name every run that the agent has, and may cross a claim', () => {
    const named = [beat(2_000, ID), beat(3_000, ID), beat(4_000, ID)];
    expect(found(named)).toEqual([]);
    expect(found([beat(100), beat(1_100), ...named])).toEqual([]);
    expect(found([...named, beat(5_000), beat(6_000, ID), beat(7_000)])).toEqual([]);
    expect(found([...named, beat(5_000), beat(6_000)])).toEqual([
      expect.stringContaining('twice in a row, last in call 6000'),
    ]);
  });

  it('name no run that has ended, or that another process had', () => {
    const calls = [2_000, 3_000, 4_000, 5_000].map((at) => beat(at));
    expect(found(calls)).toHaveLength(1);
    const end = { call: call({ at: 1_500 }), attempt: 1, status: 'failed', content: '' };
    expect(found(calls, { ends: [end] })).toBeNull();
    // the service does not know of this end
    const lost = { ...end, call: call({ at: 1_500, status: 500 }) };
    expect(found(calls, { ends: [lost] })).toHaveLength(1);
    const runs = [run()];
    expect(namesItsRuns.examine(evidence({ calls, runs, outages: [{ from: 1_500, to: 1_700 }] }))).toBeNull();
    const back = { route: 'reports', body: { runs: [{ run_id: ID, status: 'queued' }] } } as const;
    expect(found([call({ at: 1_500, ...back }), ...calls])).toBeNull();
  });

  it('fail if they never say anything of runs', () => {
    const calls = [2, 3, 4, 5, 6].map((second) => silent(second * 1_000));
    expect(found(calls)).toEqual([expect.stringContaining('It never named the run 0001 of call 1')]);
    expect(found(calls.slice(1))).toEqual([]);
  });
});

describe('A run', () => {
  it('is named only if it was given, or belongs to the agent', () => {
    const found = (calls: Call[], runs: RunStory[]) => namesGivenRuns.examine(evidence({ calls, runs }));
    const report = call({ route: 'reports', body: { runs: [{ run_id: ID, status: 'running' }] } });
    expect(found([report], [run()])).toEqual([]);
    expect(found([report], [run({ takes: [] })])).toEqual([
      expect.stringContaining(`the run ${ID} of call 1`),
    ]);
    const body = { runs: [{ run_key: 'import', status: 'running' }] };
    const reply = JSON.stringify({ runs: [{ run_id: ID, run_key: 'import' }] });
    expect(found([call({ route: 'reports', body, reply }), report], [])).toEqual([]);
    expect(found([call({})], [])).toBeNull();
  });

  it('is reported on with the attempt that was given', () => {
    const found = (entry: object, runs = [run()]) => {
      const body = { runs: [{ run_id: ID, status: 'running', ...entry }] };
      return namesTheAttempt.examine(evidence({ calls: [call({ route: 'reports', body })], runs }));
    };
    expect(found({ attempt: 1 })).toEqual([]);
    expect(found({})).toEqual([expect.stringContaining('given the attempts 1, and named null in call 1')]);
    expect(found({ attempt: 2 })).toHaveLength(1);
    expect(found({}, [])).toBeNull();
  });

  it('has one end, and its work is done once for each attempt', () => {
    const end = (status: string, content = '', attempt = 1) => ({ call: call({}), attempt, status, content });
    const kept = (...ends: RunStory['ends']) => keepsToAnEnd.examine(evidence({ runs: [run({ ends })] }));
    expect(kept(end('failed'), end('failed'))).toEqual([]);
    expect(kept(end('succeeded'), end('failed'))).toHaveLength(1);
    expect(kept(end('succeeded', '1'), end('succeeded', '2'))).toHaveLength(1);
    expect(kept(end('failed'), end('succeeded', '', 2))).toEqual([]);
    expect(kept()).toBeNull();
    const work = { startedAt: 0, endedAt: null, isProgram: false };
    const done = (change: Partial<RunStory>) => carriesRunsOutOnce.examine(evidence({ runs: [run(change)] }));
    expect(done({ works: [work] })).toEqual([]);
    expect(done({ works: [work, work] })).toHaveLength(1);
    const again = { at: 5, call: 2, attempt: 2 };
    expect(done({ works: [work, work], deliveries: [...run().deliveries, again] })).toEqual([]);
    expect(done({})).toBeNull();
  });
});
