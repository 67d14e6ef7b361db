import type { Stand } from '../bench.js';
import { withKeys } from '../callers.js';
import { type LoadRequest, underLoad } from '../load.js';
import { atMost, type Contender, type Section } from '../section.js';

/** Few, so that a request waits for its rows and not for others. */
const CONNECTIONS = 8;
const SMALLEST = 1_000;
const SIZES = [SMALLEST, 100_000, 1_000_000];

type RequestsOf = (connection: number) => readonly LoadRequest[];

const read = ({ person }: Stand, path: string): RequestsOf => {
  return () => [{ method: 'GET', path, headers: person }];
};
const write = ({ seed }: Stand, path: string, body: object): RequestsOf => {
  return withKeys(seed.agents, { method: 'POST', path, body });
};

const WORKS: Readonly<Record<string, (stand: Stand) => RequestsOf>> = {
  agents: (stand) => read(stand, '/agents?limit=50'),
  deployments: (stand) => read(stand, '/deployments?limit=50'),
  events: (stand) => read(stand, `/deployments/${stand.seed.longDeploymentId}/events?limit=50`),
  logs: (stand) => read(stand, `/agents/${stand.seed.agents[0]!.id}/logs?limit=50`),
  heartbeat: (stand) => write(stand, '/agents/heartbeat', { status: 'running' }),
  log: (stand) => write(stand, '/agents/logs', { level: 'info', message: 'The mailbox answers slowly' }),
};

export const growth: Section = {
  name: 'growth',
  asks: 'each list and hot write in a database with 1,000, 100,000 and 1,000,000 agents, events and log rows',
  async contenders(bench) {
    const stands = new Map<number, Stand>();
    for (const rows of SIZES) {
      if (rows <= 10 * bench.sizes.seed.agents) stands.set(rows, await bench.ofSize(rows));
    }
    return Object.entries(WORKS).flatMap(([work, requestsOf]) =>
      [...stands].map(([rows, stand]): Contender =>
        underLoad(bench, nameOf(work, rows), stand.service, requestsOf(stand), {
          connections: CONNECTIONS,
        }),
      ),
    );
  },
  targets: Object.keys(WORKS).flatMap((work) =>
    SIZES.slice(1).map((rows) => ({
      ...atMost(1.2, nameOf(work, rows), nameOf(work, SMALLEST), 'p50Ms'),
      line: nameOf(work, rows),
      label: 'p50 of this / of 1,000 rows',
    })),
  ),
};

function nameOf(work: string, rows: number): string {
  return `${work}: ${rows.toLocaleString('en')} rows`;
}
