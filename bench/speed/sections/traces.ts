import type { Bench } from '../bench.js';
import { agentsOf } from '../callers.js';
import { type LoadRequest, underLoad } from '../load.js';
import { atLeast, below, type Section } from '../section.js';
import { type BareSpan, SpanExport, spansOfRun } from '../span-export.js';
import { repeated } from '../timings.js';

/** Spans of a run, in one export. */
const SPANS = 100;
/** Few, because each request has many rows: with more of them a request waits for those of the others. */
const EXPORTERS = 8;
/** A run whose spans are drawn at once. */
const MANY_SPANS = 5_000;
const EXPORTED_AT_ONCE = 500;

export const traces: Section = {
  name: 'traces',
  asks: `\`POST /otlp/v1/traces\` with the ${SPANS} spans of a run; spans per second`,
  async contenders(bench) {
    const { agents } = bench.seed;
    const service = await bench.service();
    const limit = await bench.limit('node-http');
    const runs = await runsOf(bench, 'DESC');
    const spans = spansOfRun(SPANS);
    const ours = (connection: number) =>
      agentsOf(agents, connection).map(({ id, key }): LoadRequest => ({
        method: 'POST',
        path: '/otlp/v1/traces',
        headers: { authorization: `Bearer ${key}` },
        binary: new SpanExport(runs.get(id)!, spans),
      }));
    // The first export prepares what later ones find: prices, statements.
    await exportAll(service.url, agents[0]!.key, runs.get(agents[0]!.id)!, spans);
    const load = { counted: SPANS, connections: EXPORTERS };
    const bare = (connection: number) =>
      agentsOf(agents, connection).map(({ id }): LoadRequest => ({
        method: 'POST',
        path: '/spans',
        headers: { 'x-id': id },
        body: { runId: runs.get(id)!, spans },
      }));
    return [
      underLoad(bench, 'service', service, ours, load),
      underLoad(bench, 'one statement each', limit, bare, load),
    ];
  },
  targets: [atLeast(0.7, 'service', 'one statement each')],
};

export const spans: Section = {
  name: 'spans',
  asks: `\`GET /runs/{id}/spans\` of a run with ${MANY_SPANS.toLocaleString('en')} spans, all pages one after the other`,
  async contenders(bench) {
    const service = await bench.service();
    const headers = await bench.login(service);
    const agent = bench.seed.agents[0]!;
    const runId = (await runsOf(bench, 'ASC')).get(agent.id)!;
    await exportAll(service.url, agent.key, runId, spansOfRun(MANY_SPANS));
    const whole = async () => {
      const begunAt = performance.now();
      const count = await readAll(new URL(`/runs/${runId}/spans?limit=${MANY_SPANS}`, service.url), headers);
      if (count !== MANY_SPANS) throw new Error(`The run has ${count} spans instead of ${MANY_SPANS}`);
      return performance.now() - begunAt;
    };
    return [{ name: 'service', profiled: service, measure: (seconds) => repeated(seconds, whole) }];
  },
  targets: [below(300, 'service', 'p50Ms', 'p50 of the whole run, ms')],
};

/** One run of each agent that has a key: the newest or the oldest one. */
async function runsOf(
  { database, seed }: Bench,
  order: 'ASC' | 'DESC',
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.query<{ agent_id: string; id: string }>(
    `SELECT DISTINCT ON (agent_id) agent_id, id FROM runs WHERE agent_id = ANY ($1) ORDER BY agent_id, id ${order}`,
    [seed.agents.map(({ id }) => id)],
  );
  return new Map(rows.map(({ agent_id: agentId, id }) => [agentId, id]));
}

async function exportAll(url: string, key: string, runId: string, all: readonly BareSpan[]): Promise<void> {
  for (let first = 0; first < all.length; first += EXPORTED_AT_ONCE) {
    const part = new SpanExport(runId, all.slice(first, first + EXPORTED_AT_ONCE));
    const response = await fetch(`${url}/otlp/v1/traces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': part.type },
      body: new Uint8Array(part.next()),
    });
    if (!response.ok) throw new Error(`The export was answered with ${response.status}`);
  }
}

async function readAll(first: URL, headers: Readonly<Record<string, string>>): Promise<number> {
  let count = 0;
  for (let url: URL | undefined = first; url !== undefined;) {
    const response: Response = await fetch(url, { headers });
    count += ((await response.json()) as unknown[]).length;
    const [, next] = /<([^<>]*)>/.exec(response.headers.get('link') ?? '') ?? [];
    url = next === undefined ? undefined : new URL(next, url);
  }
  return count;
}
