import { repeatsUnderItsKey } from '../../packages/conformance/src/checks/batches.js';
import { acknowledgesEverything, acknowledgesOnce } from '../../packages/conformance/src/checks/commands.js';
import { backsOff, dropsThePoison, obeysRetryAfter } from '../../packages/conformance/src/checks/failures.js';
import {
  beatsAtInterval,
  beatsInTime,
  takesTheInterval,
} from '../../packages/conformance/src/checks/heartbeats.js';
import { areConstant, areTooShort } from '../../packages/conformance/src/checks/pauses.js';
import { noHammering, pollsWithPatience } from '../../packages/conformance/src/checks/requests.js';
import type { Call, CommandStory } from '../../packages/conformance/src/evidence.js';
import { RequestSchemas } from '../../packages/conformance/src/service/request-schemas.js';
import { call, evidence } from './seen-evidence.js';

const beatsAt = (...times: number[]) => times.map((at) => call({ at }));
const everySecond = beatsAt(0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000);

describe('Heartbeats', () => {
  it('pass when they arrive every second, and fail with a gap', () => {
    expect(beatsInTime.examine(evidence({ calls: everySecond }))).toEqual([]);
    expect(beatsAtInterval.examine(evidence({ calls: everySecond }))).toEqual([]);
    const calls = beatsAt(0, 1_000, 6_000, 7_000, 8_000, 9_000);
    expect(beatsInTime.examine(evidence({ calls }))).toEqual([expect.stringContaining('Silent for 5.0 s')]);
    expect(beatsAtInterval.examine(evidence({ calls }))).toEqual([expect.stringContaining('No heartbeat')]);
  });

  it('may be missing during an outage, a failure or a refusal', () => {
    const calls = beatsAt(0, 1_000, 6_000, 7_000, 8_000, 9_000);
    expect(beatsInTime.examine(evidence({ calls, outages: [{ from: 1_500, to: 3_000 }] }))).toEqual([]);
    expect(beatsInTime.examine(evidence({ calls, refusedAt: 2_000 }))).toEqual([]);
    const failed = [...calls, call({ at: 2_000, route: 'poll', status: 503, retryAfterMs: 2_000 })];
    expect(beatsAtInterval.examine(evidence({ calls: failed }))).toEqual([]);
  });

  it('may be as late as the script itself was', () => {
    const calls = beatsAt(0, 1_000, 6_000, 7_000, 8_000, 9_000);
    for (const check of [beatsInTime, beatsAtInterval]) {
      expect(check.examine(evidence({ calls, lateMs: 900 }))).toHaveLength(1);
      expect(check.examine(evidence({ calls, lateMs: 2_100 }))).toEqual([]);
    }
  });

  it('fail with a gap that only a waiting poll explains', () => {
    const calls = [...beatsAt(0, 1_000), call({ at: 1_001, route: 'poll', status: null, endedAt: null })];
    expect(beatsInTime.examine(evidence({ calls }))).not.toEqual([]);
  });

  it('fail when they arrive early without a change', () => {
    const hasty = Array.from({ length: 40 }, (_, index) => call({ at: index * 200 }));
    expect(takesTheInterval.examine(evidence({ calls: hasty }))).not.toEqual([]);
    const news = hasty.map((beat, index) => ({ ...beat, body: { message: `${index}` } }));
    expect(takesTheInterval.examine(evidence({ calls: news }))).toEqual([]);
    // a replica that dies as soon as it is started leaves the report as it was
    const replicas = hasty.map(({ at }) => ({
      startedAt: at - 120,
      endedAt: at - 100,
      isProgram: false,
      askedAt: null,
    }));
    expect(takesTheInterval.examine(evidence({ calls: hasty, replicas }))).toEqual([]);
    expect(takesTheInterval.examine(evidence({ calls: everySecond }))).toEqual([]);
  });
});

describe('Acknowledgements', () => {
  const command = (deliveries: number[], acknowledgements: Call[]): CommandStory => ({
    id: 'a command',
    action: 'scale',
    deploymentId: 'a deployment',
    generation: 2,
    replicas: 3,
    isImpossible: false,
    isRolling: false,
    isOfRuns: false,
    isGone: false,
    deliveries: deliveries.map((at) => ({ at, call: 1 })),
    acknowledgements: acknowledgements.map((it) => ({ call: it, success: true })),
  });
  const ack = (at: number, change: Partial<Call> = {}) => call({ at, route: 'acknowledge', ...change });

  it('are due for each delivery, and count only if they were answered', () => {
    const found = (...args: Parameters<typeof command>) =>
      acknowledgesEverything.examine(evidence({ commands: [command(...args)] }));
    expect(found([100], [ack(200)])).toEqual([]);
    expect(found([100, 500], [ack(200), ack(600)])).toEqual([]);
    expect(found([100], [])).toEqual([expect.stringContaining('scale (generation 2, 3 replicas)')]);
    expect(found([100], [ack(200, { status: null, trouble: 'the reply was lost' })])).toHaveLength(1);
    expect(found([100, 500], [ack(200)])).toEqual([expect.stringContaining('2th time')]);
    expect(found([], [])).toBeNull();
  });

  it('fail when they continue after a 200', () => {
    const found = (acknowledgements: Call[]) =>
      acknowledgesOnce.examine(evidence({ commands: [command([100], acknowledgements)] }));
    expect(found([ack(200), ack(300)])).toEqual([]);
    expect(found([ack(200), ack(300), ack(400)])).toHaveLength(1);
  });
});

describe('Failures', () => {
  it('delay the next call of the same kind by their Retry-After', () => {
    const busy = call({ at: 0, status: 503, retryAfterMs: 2_000 });
    const found = (next: Call) => obeysRetryAfter.examine(evidence({ calls: [busy, next] }));
    expect(found(call({ at: 1_000 }))).toHaveLength(1);
    expect(found(call({ at: 2_100 }))).toEqual([]);
    expect(found(call({ at: 1_000, route: 'poll' }))).toEqual([]);
    expect(obeysRetryAfter.examine(evidence({ calls: everySecond }))).toBeNull();
  });

  it('of an entry break the rule at the fourth repetition', () => {
    const refused = Array.from({ length: 4 }, (_, index) =>
      call({
        at: index * 1_000,
        route: 'logs',
        status: 422,
        body: { logs: [{ message: 'poison' }, { n: index }] },
      }),
    );
    expect(dropsThePoison.examine(evidence({ calls: refused }))).toEqual([
      expect.stringContaining('4 times'),
    ]);
    expect(dropsThePoison.examine(evidence({ calls: refused.slice(1) }))).toEqual([]);
  });

  it('break the rule when eleven calls follow within half a second', () => {
    const calls = Array.from({ length: 11 }, (_, index) => call({ at: index * 50, route: 'poll' }));
    expect(noHammering.examine(evidence({ calls }))).toHaveLength(1);
    expect(noHammering.examine(evidence({ calls: calls.slice(1) }))).toEqual([]);
  });
});

describe('Pauses', () => {
  /** Park and Miller's generator: the same series in every run. */
  function generator(seed: number) {
    let state = seed;
    return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  }
  const series = (count: number, pauseAfter: (failures: number) => number) =>
    Array.from({ length: count }, (_, failures) => pauseAfter(failures));
  const POLLS_MS = 30_000;

  it('pass with jitter in 20,000 random series', () => {
    const random = generator(7);
    const full = () => series(8, (failures) => Math.max(100, random() * 500 * 2 ** failures));
    const polls = () =>
      series(14, (failures) => Math.max(100, random() * Math.min(5_000, 500 * 2 ** failures)));
    const accused = Array.from({ length: 20_000 }, full).filter(
      (pauses) => areTooShort(pauses, POLLS_MS) || areConstant(pauses),
    );
    expect(accused.length).toBeLessThan(2);
    expect(Array.from({ length: 20_000 }, polls).filter((pauses) => areTooShort(pauses, 2_000))).toEqual([]);
  });

  it('fail when they do not grow, with and without jitter', () => {
    const random = generator(11);
    for (const pauseMs of [1, 120, 300, 600])
      expect(
        areTooShort(
          series(10, () => pauseMs),
          POLLS_MS,
        ),
      ).toBe(true);
    expect(
      areTooShort(
        series(10, () => 100 + random() * 600),
        POLLS_MS,
      ),
    ).toBe(true);
    expect(areConstant(series(5, () => 4_000 + random() * 200))).toBe(true);
    expect(areConstant([500, 1_000, 2_000, 4_000, 8_000])).toBe(false);
  });

  it('fail when they are too short, even if one long pause is among them', () => {
    expect(areTooShort([120, 120, 2_500, ...series(10, () => 120)], 2_000)).toBe(true);
  });

  it('count again from a success or a broken connection', () => {
    const fails = { route: 'poll', status: 500, target: '/agents/commands' } as const;
    const found = (...changes: Partial<Call>[]) =>
      backsOff.examine(
        evidence({
          calls: changes.map((change, index) => call({ at: index * 110, number: index, ...change })),
        }),
      );
    const many = Array.from({ length: 8 }, () => fails);
    expect(found(...many)).toEqual([expect.stringContaining('with pauses of 0.1')]);
    const broken = { ...fails, status: null, trouble: 'the reply was lost' };
    expect(found(...Array.from({ length: 8 }, (_, at) => (at % 3 === 2 ? broken : fails)))).toEqual([]);
    expect(
      found(...Array.from({ length: 8 }, (_, at) => (at % 3 === 2 ? { ...fails, status: 200 } : fails))),
    ).toEqual([]);
    expect(found(...Array.from({ length: 8 }, () => broken))).toBeNull();
  });

  it('are not judged at the end of the agent, which ends them', () => {
    const fails = { route: 'logs', status: 500, target: '/agents/logs' } as const;
    const calls = series(8, (number) => number).map((number) => call({ ...fails, number, at: number * 110 }));
    expect(backsOff.examine(evidence({ calls, overAt: 10_000 }))).toHaveLength(1);
    expect(backsOff.examine(evidence({ calls, overAt: 200 }))).toEqual([]);
  });
});

describe('A batch whose reply was lost', () => {
  const sent = (number: number, change: Partial<Call> = {}) =>
    call({ number, route: 'logs', body: { logs: [{ message: 'a' }] }, idempotencyKey: 'k', ...change });
  const lost = sent(1, { status: null, trouble: 'the reply was lost' });
  const found = (...calls: Call[]) => repeatsUnderItsKey.examine(evidence({ calls }));

  it('may be repeated unchanged under its key or be given up, and fails otherwise', () => {
    expect(found(lost, sent(2))).toEqual([]);
    expect(found(lost, sent(2, { body: { logs: [{ message: 'b' }] }, idempotencyKey: 'l' }))).toEqual([]);
    expect(found(lost, sent(2, { idempotencyKey: 'l' }))).toEqual([
      expect.stringContaining('under another key'),
    ]);
    expect(found(lost, sent(2, { idempotencyKey: null }))).toEqual([
      expect.stringContaining('without a key'),
    ]);
    const more = { body: { logs: [{ message: 'a' }, { message: 'b' }] } };
    expect(found(lost, sent(2, more))).toEqual([expect.stringContaining('another body')]);
    expect(found(lost, sent(2, { ...more, idempotencyKey: 'l' }))).toHaveLength(1);
  });

  it('is not judged if no reply was lost and there is no key', () => {
    expect(found(sent(1, { idempotencyKey: null }), sent(2, { idempotencyKey: null }))).toBeNull();
    expect(found(sent(1), sent(2, { route: 'metrics', idempotencyKey: 'l' }))).toEqual([]);
  });
});

describe('A poll', () => {
  it('fails when the agent ends it before its wait is over', () => {
    const poll = call({
      route: 'poll',
      target: '/agents/commands?wait=20',
      status: null,
      hungUp: true,
      endedAt: 3_000,
    });
    expect(pollsWithPatience.examine(evidence({ calls: [poll] }))).toHaveLength(1);
    expect(
      pollsWithPatience.examine(evidence({ calls: [{ ...poll, endedAt: 20_000 }], overAt: 30_000 })),
    ).toEqual([]);
    // an agent hangs up at its end
    expect(pollsWithPatience.examine(evidence({ calls: [poll], overAt: 3_000 }))).toEqual([]);
  });

  it('may be ended early while the service waits for a registration that it has asked for', () => {
    const poll = call({ route: 'poll', target: '/agents/commands?wait=20', hungUp: true, endedAt: 3_000 });
    const asked = call({ route: 'heartbeat', reply: '{"register":true}', endedAt: 2_900 });
    const registered = call({ route: 'register', reply: '{}', endedAt: 2_950 });
    expect(pollsWithPatience.examine(evidence({ calls: [poll, asked] }))).toEqual([]);
    expect(pollsWithPatience.examine(evidence({ calls: [poll, asked, registered] }))).toHaveLength(1);
  });
});

describe('A request', () => {
  const schemas = new RequestSchemas();
  const problems = (
    ...[route, body, query = '']: [Parameters<RequestSchemas['problemsOf']>[0], unknown, string?]
  ) => schemas.problemsOf(route, body, new URLSearchParams(query));

  it('is checked by the OpenAPI document', () => {
    expect(problems('heartbeat', { status: 'splendid' })).toEqual([
      'body.status must be equal to one of the allowed values (running, idle, stopped, error)',
    ]);
    expect(problems('acknowledge', { success: true })).toEqual([expect.stringContaining("'command_id'")]);
    expect(problems('poll', undefined, 'wait=90')).toEqual(['query.wait must be <= 60']);
    expect(problems('metrics', { metrics: [{ cpu_usage: -1 }] })).not.toEqual([]);
  });

  it('may contain values that the service accepts beyond the document', () => {
    expect(problems('logs', { level: 'FATAL', message: 'x', timestamp: '2026-01-31 09:30' })).toEqual([]);
    expect(problems('logs', { logs: [{ level: 'Warn', message: 'x', deployment_id: null }] })).toEqual([]);
    expect(problems('heartbeat', { status: null, added: 1 })).toEqual([]);
    expect(problems('poll', undefined, 'wait=&limit=5')).toEqual([]);
  });
});
