import { withIds, withKeys } from '../callers.js';
import { underLoad } from '../load.js';
import { atLeast, type Section } from '../section.js';

export const poll: Section = {
  name: 'poll',
  asks: '`GET /agents/commands` with nothing pending and no `wait`',
  async contenders(bench) {
    const { agents } = bench.seed;
    const service = await bench.service();
    return [
      underLoad(bench, 'service', service, withKeys(agents, { method: 'GET', path: '/agents/commands' })),
      underLoad(bench, 'its own hello', service, () => [{ method: 'GET', path: '/' }]),
      underLoad(
        bench,
        'node:http',
        await bench.limit('node-http'),
        withIds(agents, { method: 'GET', path: '/commands' }),
      ),
    ];
  },
  targets: [atLeast(0.6, 'service', 'its own hello')],
};
