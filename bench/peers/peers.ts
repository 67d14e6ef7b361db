import type { Bench } from '../speed/bench.js';
import { withIds, withKeys } from '../speed/callers.js';
import { underLoad } from '../speed/load.js';
import { atLeastOfBest, compared, type Contender, type Section } from '../speed/section.js';
import { directus } from './directus.js';
import { parseServer } from './parse-server.js';
import type { Peer, PeerWork } from './peer.js';
import { unleash } from './unleash.js';

const PEERS: readonly Peer[] = [parseServer, unleash, directus];
const WORKS = ['list', 'write'] as const;
const TIMES_THE_BEST = { list: 1.5, write: 2 } as const;

type Work = (typeof WORKS)[number];

const heartbeat = (path: string) =>
  ({ method: 'POST', path, body: { status: 'running', message: 'all is well' } }) as const;

/** Other products on the closest equal work, next to the service and the limit server. */
export const peers: Section = {
  name: 'peers',
  asks:
    'a list of 50 with a credential; one row written with a credential, of the service a heartbeat. ' +
    'Unleash answers a registration before it is stored',
  async contenders(bench) {
    const service = await bench.service();
    const person = await bench.login(service);
    const limit = await bench.limit('node-http');
    const { agents, userId } = bench.seed;
    const started: { peer: Peer; work: PeerWork | Error }[] = [];
    for (const peer of PEERS) started.push({ peer, work: await startOrFail(peer, bench) });
    const own: Record<Work, Contender[]> = {
      list: [
        underLoad(bench, 'list: service', service, () => [
          { method: 'GET', path: '/agents?limit=50', headers: person },
        ]),
        underLoad(bench, 'list: plain limit', limit, () => [
          { method: 'GET', path: '/agents', headers: { 'x-id': userId } },
        ]),
      ],
      write: [
        underLoad(bench, 'write: service', service, withKeys(agents, heartbeat('/agents/heartbeat'))),
        underLoad(bench, 'write: plain limit', limit, withIds(agents, heartbeat('/heartbeat'))),
      ],
    };
    return WORKS.flatMap((work) => [
      ...own[work],
      ...started.map(({ peer, work: does }) => contenderOf(bench, `${work}: ${peer.name}`, does, work)),
    ]);
  },
  targets: WORKS.map((work) => atLeastOfBest(TIMES_THE_BEST[work], `${work}: service`, namesOf(work))),
  comparisons: WORKS.flatMap((work) => [
    compared(`${work}: service`, `${work}: plain limit`),
    ...namesOf(work).flatMap((name) => [
      compared(`${work}: service`, name),
      { ...compared(name, `${work}: plain limit`), line: name, label: 'this / plain limit' },
    ]),
  ]),
};

function namesOf(work: Work): string[] {
  return PEERS.map(({ name }) => `${work}: ${name}`);
}

async function startOrFail(peer: Peer, bench: Bench): Promise<PeerWork | Error> {
  return peer.start(bench).catch((error: unknown) => error as Error);
}

/** A peer that fails is reported in its line of the table, and the others are measured. */
function contenderOf(bench: Bench, name: string, does: PeerWork | Error, work: Work): Contender {
  if (does instanceof Error) return { name, measure: async () => ({ failure: does.message }) };
  const contender = underLoad(bench, name, does.program, does[work]);
  return {
    name,
    measure: (seconds) =>
      contender.measure(seconds).catch((error: unknown) => ({ failure: (error as Error).message })),
  };
}
