import { Bench, SMALL_SIZES } from '../speed/bench.js';
import { withIds } from '../speed/callers.js';
import { underLoad } from '../speed/load.js';

const SECONDS = 5;
const SIZES = {
  ...SMALL_SIZES,
  requestsEach: undefined,
  seed: { ...SMALL_SIZES.seed, agents: 500, logs: 0 },
};

/**
 * The speed of this host: heartbeats a second of `bench/limits`, which is `node:http`, `pg` and one statement for each, at 64
 * connections, on a PostgreSQL of its own.
 */
export async function measureYardstick(interrupted: Promise<never>): Promise<number> {
  const bench = await Bench.open(SIZES, false, interrupted);
  try {
    const heartbeat = { method: 'POST', path: '/heartbeat', body: { status: 'running' } } as const;
    const requests = withIds(bench.seed.agents, heartbeat);
    const server = underLoad(bench, 'one statement each', await bench.limit('node-http'), requests);
    const { perSecond } = await Promise.race([server.measure(SECONDS), interrupted]);
    return perSecond!;
  } finally {
    await bench.close();
  }
}
