import { withIds, withKeys } from '../callers.js';
import { type LoadRequest, underLoad } from '../load.js';
import { atLeast, type Section } from '../section.js';

const BATCH = 100;
const entry = { cpu_usage: 12.5, memory_usage: 48.2, uptime_seconds: 86_400 };
const post = (path: string, entries: number): LoadRequest => ({
  method: 'POST',
  path,
  body: { metrics: Array.from({ length: entries }, () => entry) },
});

export const metrics: Section = {
  name: 'metrics',
  asks: '`POST /agents/metrics` with one entry, and with 100; entries per second',
  async contenders(bench) {
    const { agents } = bench.seed;
    const service = await bench.service();
    const limit = await bench.limit('node-http');
    return [
      underLoad(bench, 'one: service', service, withKeys(agents, post('/agents/metrics', 1))),
      underLoad(bench, 'one: limit', limit, withIds(agents, post('/metrics', 1))),
      underLoad(bench, '100: service', service, withKeys(agents, post('/agents/metrics', BATCH)), {
        counted: BATCH,
      }),
      underLoad(bench, '100: limit', limit, withIds(agents, post('/metrics', BATCH)), { counted: BATCH }),
    ];
  },
  targets: [atLeast(0.9, 'one: service', 'one: limit'), atLeast(0.7, '100: service', '100: limit')],
};
