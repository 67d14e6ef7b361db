import { withIds, withKeys } from '../callers.js';
import { type LoadRequest, underLoad } from '../load.js';
import { atLeast, below, type Section } from '../section.js';

const body = { status: 'running', message: 'all is well' };
const post = (path: string): LoadRequest => ({ method: 'POST', path, body });

export const heartbeat: Section = {
  name: 'heartbeat',
  asks: "`POST /agents/heartbeat`, an agent's key, 500 agents",
  async contenders(bench) {
    const { agents } = bench.seed;
    const limit = await bench.limit('node-http');
    return [
      underLoad(bench, 'service', await bench.service(), withKeys(agents, post('/agents/heartbeat'))),
      underLoad(bench, 'one statement each', limit, withIds(agents, post('/heartbeat'))),
    ];
  },
  targets: [
    atLeast(0.9, 'service', 'one statement each'),
    below(0.03, 'service', 'databaseMs', 'PostgreSQL, ms'),
  ],
};
