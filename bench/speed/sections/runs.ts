import { setTimeout as delay } from 'node:timers/promises';
import { withKeys } from '../callers.js';
import { callJson } from '../json-calls.js';
import { underLoad } from '../load.js';
import { notifyRoundTrip } from '../notify-round-trip.js';
import type { Program } from '../program.js';
import { atLeast, atMostMore, type Section } from '../section.js';
import type { KeyedAgent } from '../seed.js';
import { repeated } from '../timings.js';

/** Time after which the idle agent's claim is waiting. */
const CLAIM_WAITS_MS = 25;

interface Claimed {
  readonly runs: readonly { readonly run_id: string }[];
}

export const claim: Section = {
  name: 'claim',
  asks: '`POST /agents/runs/claim` of an empty queue and no `wait`',
  async contenders(bench) {
    const { agents } = bench.seed;
    const service = await bench.service();
    const path = '/agents/runs/claim';
    return [
      underLoad(bench, 'service', service, withKeys(agents, { method: 'POST', path, body: { limit: 1 } })),
      underLoad(bench, 'its own hello', service, () => [{ method: 'GET', path: '/' }]),
    ];
  },
  targets: [atLeast(0.6, 'service', 'its own hello')],
};

export const run: Section = {
  name: 'run',
  asks: '`POST /agents/{id}/runs` on one instance, until the agent whose claim waits at another one has the run',
  async contenders(bench) {
    const [asked, claimed] = [await bench.service(), await bench.service()];
    const person = await bench.login(asked);
    let turn = 0;
    const next = () => bench.seed.agents[turn++ % bench.seed.agents.length]!;
    const roundTrip = await notifyRoundTrip(bench);
    return [
      {
        name: 'service',
        measure: (seconds) => repeated(seconds, () => askAndTake(asked, person, claimed, next())),
      },
      { name: 'notify of PostgreSQL', measure: (seconds) => repeated(seconds, roundTrip) },
    ];
  },
  targets: [
    atMostMore(10, 'service', 'notify of PostgreSQL', 'p50Ms'),
    atMostMore(50, 'service', 'notify of PostgreSQL', 'p99Ms'),
  ],
};

async function askAndTake(
  asked: Program,
  person: Readonly<Record<string, string>>,
  claimed: Program,
  agent: KeyedAgent,
): Promise<number> {
  const headers = { authorization: `Bearer ${agent.key}` };
  const post = <Reply>(path: string, body: object) =>
    callJson<Reply>(`${claimed.url}${path}`, { method: 'POST', headers, body });
  const take = async () => {
    const taken = await post<Claimed>('/agents/runs/claim', { wait: 30 });
    return { taken, at: performance.now() };
  };
  const ask = async () => {
    await delay(CLAIM_WAITS_MS);
    const begunAt = performance.now();
    await callJson(`${asked.url}/agents/${agent.id}/runs`, { method: 'POST', headers: person, body: {} });
    return begunAt;
  };
  const [{ taken, at }, begunAt] = await Promise.all([take(), ask()]);
  await post('/agents/runs', {
    runs: taken.runs.map(({ run_id }) => ({ run_id, status: 'succeeded' })),
  });
  return at - begunAt;
}
