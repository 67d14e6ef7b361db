import { sendsWhatWaits } from '../../packages/conformance/src/checks/batches.js';
import { forgetsTheGone } from '../../packages/conformance/src/checks/commands.js';
import { observedNeverFalls } from '../../packages/conformance/src/checks/heartbeats.js';
import { tellsNoFuture } from '../../packages/conformance/src/checks/times.js';
import type { Call, CommandStory } from '../../packages/conformance/src/evidence.js';
import { isReportedReady } from '../../packages/conformance/src/readiness-reports.js';
import { call, evidence } from './seen-evidence.js';

const report = (at: number, change: object) =>
  call({ at, number: at, body: { deployments: [{ deployment_id: 'd', ...change }] } });

describe('The generation in reports', () => {
  const found = (...calls: Call[]) => observedNeverFalls.examine(evidence({ calls }));
  const registration = (at: number, generation: number) =>
    call({ at, route: 'register', reply: JSON.stringify({ deployments: [{ id: 'd', generation }] }) });
  const of = (at: number, generation: number) => report(at, { observed_generation: generation });

  it('may only fall after a registration that lists an earlier one', () => {
    expect(found(of(1_000, 2), of(2_000, 1))).toEqual([expect.stringContaining('Generation 1 after 2')]);
    expect(found(of(1_000, 2), registration(1_500, 2), of(2_000, 1))).toHaveLength(1);
    expect(found(of(1_000, 2), registration(1_500, 1), of(2_000, 1))).toEqual([]);
    // one that was on its way already
    expect(found(of(1_000, 2), registration(1_500, 1), of(1_600, 2), of(2_000, 1))).toEqual([]);
    expect(
      found(of(1_000, 2), registration(1_500, 1), of(2_000, 1), of(9_000, 3), of(9_500, 1)),
    ).toHaveLength(1);
  });

  it('may be missing from a report', () => {
    expect(found(report(1_000, { status: 'ready' }))).toEqual([]);
    expect(found(call({}))).toBeNull();
  });
});

describe('A deployment', () => {
  const command: CommandStory = {
    id: 'c',
    action: 'scale',
    deploymentId: 'd',
    generation: 2,
    replicas: 3,
    isImpossible: false,
    isRolling: false,
    isOfRuns: false,
    isGone: false,
    deliveries: [{ at: 1_000, call: 1 }],
    acknowledgements: [],
  };
  const deployment = { id: 'd', createdAt: new Date(), status: 'running', generation: 2, replicas: 3 };
  const isReady = (at: number, change: object, since?: number) =>
    isReportedReady({ calls: [report(at, change)], queue: { commands: [command] } }, deployment, since);

  it('is reported as ready with or without its generation and its count', () => {
    expect(isReady(500, { ready_replicas: 3, observed_generation: 2 })).toBe(true);
    expect(isReady(2_000, { ready_replicas: 3 })).toBe(true);
    expect(isReady(2_000, { status: 'ready', observed_generation: null, ready_replicas: null })).toBe(true);
  });

  it('is not reported as ready by an old report, an earlier generation, or fewer replicas', () => {
    expect(isReady(500, { ready_replicas: 3 })).toBe(false);
    expect(isReady(2_000, { ready_replicas: 3, observed_generation: 1 })).toBe(false);
    expect(isReady(2_000, { status: 'ready', ready_replicas: 2 })).toBe(false);
    expect(isReady(2_000, { status: 'running' })).toBe(false);
    expect(isReady(2_000, { status: 'ready' }, 2_500)).toBe(false);
  });
});

describe('A time', () => {
  const found = (...calls: Call[]) => tellsNoFuture.examine(evidence({ calls }));
  const log = (timestamp?: string) => call({ at: 60_000, route: 'logs', body: { logs: [{ timestamp }] } });

  it('may be a little ahead, and fails when it is hours ahead', () => {
    expect(found(log('2026-01-31T09:01:00.000Z'), log('2026-01-31T09:05:00Z'))).toEqual([]);
    expect(found(log('2026-01-31T18:01:00.000Z'))).toEqual([expect.stringContaining('is 9.0 hours ahead')]);
    expect(found(log('2026-01-31T18:01:00+09:00'))).toEqual([]);
  });

  it('is in UTC without a zone', () => {
    expect(found(log('2026-01-31T18:01:00'))).toHaveLength(1);
    expect(found(log('2026-01-31 09:01:00,5'))).toEqual([]);
  });

  it('is also that of a measurement and of the end of a replica', () => {
    const timestamp = '2026-01-31T11:00:00Z';
    expect(found(call({ route: 'metrics', body: { timestamp, cpu_usage: 1 } }))).toHaveLength(1);
    expect(found(report(1_000, { last_exit: { code: 1, at: timestamp } }))).toHaveLength(1);
    expect(found(call({}), log(), call({ route: 'logs', body: { message: 'without a time' } }))).toBeNull();
  });
});

describe('An acknowledgement', () => {
  it('is over with a 404', () => {
    const ack = (number: number, id: string, status = 404) =>
      call({ number, route: 'acknowledge', status, body: { command_id: id } });
    const found = (...calls: Call[]) => forgetsTheGone.examine(evidence({ calls }));
    expect(found(ack(1, 'c'), ack(2, 'e', 200))).toEqual([]);
    expect(found(ack(1, 'c'), ack(2, 'C'))).toEqual([expect.stringContaining('After the 404 of call 1')]);
    expect(found(ack(1, 'c', 500), ack(2, 'c', 200))).toBeNull();
  });
});

describe('A batch of logs that failed shortly before the end', () => {
  const sent = (at: number, status: number, ...messages: string[]) =>
    call({ at, route: 'logs', status, body: { logs: messages.map((message) => ({ message })) } });
  const found = (...calls: Call[]) => sendsWhatWaits.examine(evidence({ calls }));

  it('comes again before the agent ends, whole or in parts', () => {
    expect(found(sent(9_000, 500, 'a', 'b'), sent(10_050, 200, 'a', 'b'))).toEqual([]);
    expect(found(sent(9_000, 500, 'a', 'b'), sent(10_010, 200, 'a'), sent(10_050, 200, 'b'))).toEqual([]);
    expect(found(sent(9_000, 500, 'a', 'b'), sent(10_050, 200, 'a'))).toEqual([
      expect.stringContaining('1 of the log entries of call 1'),
    ]);
  });

  it('is not judged long before the end, or without an end', () => {
    expect(found(sent(1_000, 500, 'a'))).toBeNull();
    const calls = [sent(9_000, 500, 'a')];
    expect(sendsWhatWaits.examine(evidence({ calls, end: null }))).toBeNull();
  });
});
