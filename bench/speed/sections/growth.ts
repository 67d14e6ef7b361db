import type { Stand } from '../bench.js';
import { withKeys } from '../callers.js';
import { CONNECTIONS, type RequestsOf, underLoad } from '../load.js';
import { atMost, type Contender, type Section } from '../section.js';

/** Few connections, so that a request waits for its rows and not for other requests. */
const READERS = 8;
const SMALLEST = 1_000;
const SIZES = [SMALLEST, 100_000, 1_000_000];

const METRIC = { cpu_usage: 12.5, memory_usage: 48.2, uptime_seconds: 86_400 };

interface Work {
  readonly requestsOf: RequestsOf;
  readonly connections: number;
}

const read = ({ person }: Stand, path: string): Work => {
  return { requestsOf: () => [{ method: 'GET', path, headers: person }], connections: READERS };
};
/** Number of connections that fills a group before its pace ends; with fewer, p50 would be the pace. */
const write = ({ seed }: Stand, path: string, body: object): Work => {
  return { requestsOf: withKeys(seed.agents, { method: 'POST', path, body }), connections: CONNECTIONS };
};

const WORKS: Readonly<Record<string, (stand: Stand) => Work>> = {
  agents: (stand) => read(stand, '/agents?limit=50'),
  deployments: (stand) => read(stand, '/deployments?limit=50'),
  runs: (stand) => read(stand, '/runs?limit=50'),
  failures: (stand) => read(stand, '/runs?status=failed&limit=50'),
  events: (stand) => read(stand, `/deployments/${stand.seed.longDeploymentId}/events?limit=50`),
  logs: (stand) => read(stand, `/agents/${stand.seed.agents[0]!.id}/logs?limit=50`),
  agent: (stand) => read(stand, `/agents/${stand.seed.agents[0]!.id}`),
  heartbeat: (stand) => write(stand, '/agents/heartbeat', { status: 'running' }),
  log: (stand) => write(stand, '/agents/logs', { level: 'info', message: 'The mailbox answers slowly' }),
  metric: (stand) => write(stand, '/agents/metrics', METRIC),
};

export const growth: Section = {
  name: 'growth',
  asks: 'each list and hot write in a database with 1,000, 100,000 and 1,000,000 agents, events, runs and log rows',
  async contenders(bench) {
    const stands = new Map<number, Stand>();
    for (const rows of SIZES) {
      if (rows <= 10 * bench.sizes.seed.agents) stands.set(rows, await bench.ofSize(rows));
    }
    return Object.entries(WORKS).flatMap(([work, workOf]) =>
      [...stands].map(([rows, stand]): Contender => {
        const { requestsOf, connections } = workOf(stand);
        return underLoad(bench, nameOf(work, rows), stand.service, requestsOf, { connections });
      }),
    );
  },
  targets: Object.keys(WORKS).flatMap((work) =>
    SIZES.slice(1).map((rows) => ({
      ...atMost(1.2, nameOf(work, rows), nameOf(work, SMALLEST), 'p50Ms', 'p50 of this / of 1,000 rows'),
      line: nameOf(work, rows),
    })),
  ),
};

function nameOf(work: string, rows: number): string {
  return `${work}: ${rows.toLocaleString('en')} rows`;
}
