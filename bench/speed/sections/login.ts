import { callJson } from '../json-calls.js';
import { underLoad } from '../load.js';
import { atLeast, type Contender, type Section } from '../section.js';
import { PASSWORD } from '../seed.js';

/** Fewer passwords than the service checks of one address at once: it would refuse more (`PLACES_OF_ADDRESS`). */
const CONNECTIONS = 16;
const UNLIMITED = { RATE_LIMIT_LOGIN_PER_ACCOUNT: '1000000', RATE_LIMIT_LOGIN_PER_ADDRESS: '1000000' };

export const login: Section = {
  name: 'login',
  asks: '`POST /auth/login` at cost 12',
  async contenders(bench) {
    const service = await bench.service(UNLIMITED);
    const limit = await bench.limit('node-http');
    const { email, passwordHash } = bench.seed;
    const logins = () =>
      [{ method: 'POST', path: '/auth/login', body: { email, password: PASSWORD } }] as const;
    const compared = { password: PASSWORD, hash: passwordHash };
    // Passwords are compared in order of arrival, so this answer proves that the load's requests are done.
    const settled = () => bench.login(service);
    const settledLimit = () => callJson(`${limit.url}/bcrypt`, { method: 'POST', body: compared });
    return [
      followedBy(settled, underLoad(bench, 'service', service, logins, { connections: CONNECTIONS })),
      followedBy(
        settledLimit,
        underLoad(
          bench,
          'bcrypt alone',
          limit,
          () => [{ method: 'POST', path: '/bcrypt', body: compared }] as const,
          { connections: CONNECTIONS },
        ),
      ),
    ];
  },
  targets: [atLeast(0.95, 'service', 'bcrypt alone')],
};

/** The load leaves requests behind when it ends. Their cost must not fall into the next contender's turn. */
function followedBy(settled: () => Promise<unknown>, contender: Contender): Contender {
  return {
    ...contender,
    async measure(seconds) {
      const sample = await contender.measure(seconds);
      await settled();
      return sample;
    },
  };
}
