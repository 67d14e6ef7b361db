import { withIds, withKeys } from '../callers.js';
import { type LoadRequest, underLoad } from '../load.js';
import { atLeast, type Section } from '../section.js';

const entry = { level: 'info', message: 'The mailbox answers slowly, the next try is in a minute' };
const post = (path: string, entries: number): LoadRequest => ({
  method: 'POST',
  path,
  body: { logs: Array.from({ length: entries }, () => ({ ...entry, metadata: { took_ms: 2_350 } })) },
});

export const oneLog: Section = {
  name: 'logs-1',
  asks: '`POST /agents/logs` with one entry',
  async contenders(bench) {
    const { agents } = bench.seed;
    const limit = await bench.limit('node-http');
    return [
      underLoad(bench, 'service', await bench.service(), withKeys(agents, post('/agents/logs', 1))),
      underLoad(bench, 'one statement each', limit, withIds(agents, post('/logs', 1))),
    ];
  },
  targets: [atLeast(0.9, 'service', 'one statement each')],
};

const BATCH = 100;

export const hundredLogs: Section = {
  name: 'logs-100',
  asks: '`POST /agents/logs` with 100 entries; entries per second',
  async contenders(bench) {
    const { agents } = bench.seed;
    const limit = await bench.limit('node-http');
    const ours = withKeys(agents, post('/agents/logs', BATCH));
    const bare = withIds(agents, post('/logs', BATCH));
    return [
      underLoad(bench, 'service', await bench.service(), ours, { counted: BATCH }),
      underLoad(bench, 'one statement each', limit, bare, { counted: BATCH }),
    ];
  },
  targets: [atLeast(0.7, 'service', 'one statement each')],
};
