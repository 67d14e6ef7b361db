import type { Call, Evidence } from '../../packages/conformance/src/evidence.js';

/** Evidence of a correct call and of a correct scenario. */
export function call(change: Partial<Call>): Call {
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
    reply: null,
    trouble: null,
    retryAfterMs: null,
    endedAt: at + 5,
    hungUp: false,
    ...change,
  };
}

export function evidence(change: Partial<Evidence>): Evidence {
  return {
    agentId: 'an agent',
    begunAt: Date.parse('2026-01-31T09:00:00Z'),
    calls: [],
    commands: [],
    replicas: [],
    runs: [],
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
