import { CHECKS, RULES } from '../../packages/conformance/src/checks/all-checks.js';
import { repeatsUnderItsKey } from '../../packages/conformance/src/checks/batches.js';
import { acknowledgesEverything, acknowledgesOnce } from '../../packages/conformance/src/checks/commands.js';
import { dropsThePoison, obeysRetryAfter } from '../../packages/conformance/src/checks/failures.js';
import {
  beatsAtInterval,
  beatsInTime,
  takesTheInterval,
} from '../../packages/conformance/src/checks/heartbeats.js';
import { registers } from '../../packages/conformance/src/checks/milestones.js';
import { noHammering, pollsWithPatience } from '../../packages/conformance/src/checks/requests.js';
import type { Call, CommandStory, Evidence } from '../../packages/conformance/src/evidence.js';
import { readOptions } from '../../packages/conformance/src/options.js';
import { asJson, summary, told, totalsOf } from '../../packages/conformance/src/report.js';
import { verdictsOn } from '../../packages/conformance/src/run-scenario.js';
import { story } from '../../packages/conformance/src/scenarios/story.js';
import { RequestSchemas } from '../../packages/conformance/src/service/request-schemas.js';

function call(change: Partial<Call>): Call {
  const at = change.at ?? 0;
  return {
    number: 1,
    route: 'heartbeat',
    method: 'POST',
    target: '/agents/heartbeat',
    at,
    body: {},
    problems: [],
    showsKey: false,
    hasKey: true,
    idempotencyKey: null,
    status: 200,
    trouble: null,
    retryAfterMs: null,
    endedAt: at + 5,
    hungUp: false,
    ...change,
  };
}

function evidence(change: Partial<Evidence>): Evidence {
  return {
    agentId: 'an agent',
    calls: [],
    commands: [],
    replicas: [],
    intervals: [{ at: 0, seconds: 1 }],
    outages: [],
    refusedAt: null,
    lateMs: 0,
    overAt: 10_000,
    end: { at: 10_100, code: 0, signal: null },
    ownsAgent: true,
    ...change,
  };
}

const beatsAt = (...times: number[]) => times.map((at) => call({ at }));
const everySecond = beatsAt(0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000);

describe('Heartbeats', () => {
  it('are in time every second, and not with a hole', () => {
    expect(beatsInTime.examine(evidence({ calls: everySecond }))).toEqual([]);
    expect(beatsAtInterval.examine(evidence({ calls: everySecond }))).toEqual([]);
    const calls = beatsAt(0, 1_000, 6_000, 7_000, 8_000, 9_000);
    expect(beatsInTime.examine(evidence({ calls }))).toEqual([expect.stringContaining('Silent for 5.0 s')]);
    expect(beatsAtInterval.examine(evidence({ calls }))).toEqual([expect.stringContaining('No heartbeat')]);
  });

  it('may be missing where an outage, a failure or a refusal explains it', () => {
    const calls = beatsAt(0, 1_000, 6_000, 7_000, 8_000, 9_000);
    expect(beatsInTime.examine(evidence({ calls, outages: [{ from: 1_500, to: 3_000 }] }))).toEqual([]);
    expect(beatsInTime.examine(evidence({ calls, refusedAt: 2_000 }))).toEqual([]);
    const failed = [...calls, call({ at: 2_000, route: 'poll', status: 503, retryAfterMs: 2_000 })];
    expect(beatsAtInterval.examine(evidence({ calls: failed }))).toEqual([]);
  });

  it('may be late by as much as the script itself was', () => {
    const calls = beatsAt(0, 1_000, 6_000, 7_000, 8_000, 9_000);
    for (const check of [beatsInTime, beatsAtInterval]) {
      expect(check.examine(evidence({ calls, lateMs: 900 }))).toHaveLength(1);
      expect(check.examine(evidence({ calls, lateMs: 2_100 }))).toEqual([]);
    }
  });

  it('are not excused by a poll that waits', () => {
    const calls = [...beatsAt(0, 1_000), call({ at: 1_001, route: 'poll', status: null, endedAt: null })];
    expect(beatsInTime.examine(evidence({ calls }))).not.toEqual([]);
  });

  it('come early only with news', () => {
    const hasty = Array.from({ length: 40 }, (_, index) => call({ at: index * 200 }));
    expect(takesTheInterval.examine(evidence({ calls: hasty }))).not.toEqual([]);
    const news = hasty.map((beat, index) => ({ ...beat, body: { message: `${index}` } }));
    expect(takesTheInterval.examine(evidence({ calls: news }))).toEqual([]);
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
    deliveries: deliveries.map((at) => ({ at, call: 1 })),
    acknowledgements: acknowledgements.map((it) => ({ call: it, success: true })),
  });
  const ack = (at: number, change: Partial<Call> = {}) => call({ at, route: 'acknowledge', ...change });

  it('are due for each delivery, and count only when they were answered', () => {
    const found = (...args: Parameters<typeof command>) =>
      acknowledgesEverything.examine(evidence({ commands: [command(...args)] }));
    expect(found([100], [ack(200)])).toEqual([]);
    expect(found([100, 500], [ack(200), ack(600)])).toEqual([]);
    expect(found([100], [])).toEqual([expect.stringContaining('scale (generation 2, 3 replicas)')]);
    expect(found([100], [ack(200, { status: null, trouble: 'the reply was lost' })])).toHaveLength(1);
    expect(found([100, 500], [ack(200)])).toEqual([expect.stringContaining('2th time')]);
    expect(found([], [])).toBeNull();
  });

  it('end with a 200', () => {
    const found = (acknowledgements: Call[]) =>
      acknowledgesOnce.examine(evidence({ commands: [command([100], acknowledgements)] }));
    expect(found([ack(200), ack(300)])).toEqual([]);
    expect(found([ack(200), ack(300), ack(400)])).toHaveLength(1);
  });
});

describe('Failures', () => {
  it('are waited out for as long as Retry-After says, by the same kind of call', () => {
    const busy = call({ at: 0, status: 503, retryAfterMs: 2_000 });
    const found = (next: Call) => obeysRetryAfter.examine(evidence({ calls: [busy, next] }));
    expect(found(call({ at: 1_000 }))).toHaveLength(1);
    expect(found(call({ at: 2_100 }))).toEqual([]);
    expect(found(call({ at: 1_000, route: 'poll' }))).toEqual([]);
    expect(obeysRetryAfter.examine(evidence({ calls: everySecond }))).toBeNull();
  });

  it('of an entry are not repeated for ever', () => {
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

  it('are no reason to hammer', () => {
    const calls = Array.from({ length: 11 }, (_, index) => call({ at: index * 50, route: 'poll' }));
    expect(noHammering.examine(evidence({ calls }))).toHaveLength(1);
    expect(noHammering.examine(evidence({ calls: calls.slice(1) }))).toEqual([]);
  });
});

describe('A batch whose reply was lost', () => {
  const sent = (number: number, change: Partial<Call> = {}) =>
    call({ number, route: 'logs', body: { logs: [{ message: 'a' }] }, idempotencyKey: 'k', ...change });
  const lost = sent(1, { status: null, trouble: 'the reply was lost' });
  const found = (...calls: Call[]) => repeatsUnderItsKey.examine(evidence({ calls }));

  it('comes again as it was and under its key, or not at all', () => {
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

  it('is nothing to judge where no reply was lost and there is no key', () => {
    expect(found(sent(1, { idempotencyKey: null }), sent(2, { idempotencyKey: null }))).toBeNull();
    expect(found(sent(1), sent(2, { route: 'metrics', idempotencyKey: 'l' }))).toEqual([]);
  });
});

describe('A poll', () => {
  it('is not abandoned before its time', () => {
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
    // at its end, the agent hangs up
    expect(pollsWithPatience.examine(evidence({ calls: [poll], overAt: 3_000 }))).toEqual([]);
  });
});

describe('A request', () => {
  const schemas = new RequestSchemas();
  const problems = (
    ...[route, body, query = '']: [Parameters<RequestSchemas['problemsOf']>[0], unknown, string?]
  ) => schemas.problemsOf(route, body, new URLSearchParams(query));

  it('is held against the OpenAPI document', () => {
    expect(problems('heartbeat', { status: 'splendid' })).toEqual([
      'body.status must be equal to one of the allowed values (running, idle, stopped, error)',
    ]);
    expect(problems('acknowledge', { success: true })).toEqual([expect.stringContaining("'command_id'")]);
    expect(problems('poll', undefined, 'wait=90')).toEqual(['query.wait must be <= 60']);
    expect(problems('metrics', { metrics: [{ cpu_usage: -1 }] })).not.toEqual([]);
  });

  it('may say what the service takes beyond the document', () => {
    expect(problems('logs', { level: 'FATAL', message: 'x', timestamp: '2026-01-31 09:30' })).toEqual([]);
    expect(problems('logs', { logs: [{ level: 'Warn', message: 'x', deployment_id: null }] })).toEqual([]);
    expect(problems('heartbeat', { status: null, added: 1 })).toEqual([]);
    expect(problems('poll', undefined, 'wait=&limit=5')).toEqual([]);
  });
});

describe('The report', () => {
  const broken = { rule: registers, breaches: ['one', 'two', 'three', 'four'] };
  const passed = { rule: CHECKS[0]!, breaches: [] };
  const outcome = {
    scenario: story,
    verdicts: [passed, broken],
    calls: 7,
    seconds: 1.2,
    agentOutput: 'last words',
  };

  it('says what is wrong, how bad that is, and where to read on', () => {
    const text = told(outcome);
    expect(text).toMatch(/^FAILED story: .*\(1 of 2 checks, 7 calls, 1 s\)\n/);
    expect(text).toContain('MUST The agent registers');
    expect(text).toContain('three\n         ... and 1 more times');
    expect(text).toContain('docs/conformance.md#registers');
    expect(text).toContain('| last words');
  });

  it('counts', () => {
    expect(summary(totalsOf([outcome, outcome]))).toBe('2 checks passed, 2 failed (2 MUST, 0 SHOULD)');
    expect(JSON.parse(asJson([outcome]))).toMatchObject({
      passed: 1,
      failed: 1,
      scenarios: [{ scenario: 'story' }],
    });
  });

  it('has one verdict for each rule that was touched, in one order', () => {
    const verdicts = verdictsOn(evidence({ calls: everySecond }), [broken, { ...broken, breaches: [] }]);
    expect(verdicts.filter(({ rule }) => rule.id === 'registers')).toEqual([broken]);
    const order = verdicts.map(({ rule }) => RULES.indexOf(rule));
    expect(order).toEqual([...order].sort((one, other) => one - other));
  });
});

describe('The options', () => {
  it('are read', () => {
    expect(readOptions(['--scenario', 'story', '--strict', 'agent', '--flag'.slice(2)])).toMatchObject({
      scenarios: [story],
      command: ['agent', 'flag'],
      port: 0,
      jobs: 4,
      isStrict: true,
      wants: 'run',
    });
    expect(readOptions(['--port', '8500', '--', 'agent', '--verbose'])).toMatchObject({
      command: ['agent', '--verbose'],
      port: 8_500,
      jobs: 1,
    });
    expect(readOptions([])).toMatchObject({ command: undefined, jobs: 1 });
  });

  it.each([
    [['--scenario', 'none'], 'There is no scenario none'],
    [['--port', '70000'], '--port must be'],
    [['--patience', 'soon'], '--patience must be'],
    [['--jobs', '2'], '--jobs needs a command'],
    [['--wrong'], 'wrong'],
  ])('%j are refused', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});
