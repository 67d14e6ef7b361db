import { callJson } from '../json-calls.js';
import type { Program } from '../program.js';
import { CONNECTIONS, load, underLoad } from '../load.js';
import { atLeast, atMost, type Contender, type Section } from '../section.js';
import { PASSWORD } from '../seed.js';

const UNLIMITED = { RATE_LIMIT_LOGIN_PER_ACCOUNT: '1000000', RATE_LIMIT_LOGIN_PER_ADDRESS: '1000000' };
/** People who look at their agents while others log in. */
const OTHERS = 4;

export const login: Section = {
  name: 'login',
  asks: '`POST /auth/login` at cost 12; and `GET /agents?limit=50` of four others while 64 log in',
  async contenders(bench) {
    const service = await bench.service(UNLIMITED);
    const limit = await bench.limit('node-http');
    const headers = await bench.login(service);
    const { email, passwordHash } = bench.seed;
    const logins = () =>
      [{ method: 'POST', path: '/auth/login', body: { email, password: PASSWORD } }] as const;
    const compared = { password: PASSWORD, hash: passwordHash };
    const lists = () => [{ method: 'GET', path: '/agents?limit=50', headers }] as const;
    const alone = underLoad(bench, 'others alone', service, lists, { connections: OTHERS });
    // Passwords are compared in the order in which they came: an answer says that nothing is left of the load.
    const settled = () => bench.login(service);
    const settledLimit = () => callJson(`${limit.url}/bcrypt`, { method: 'POST', body: compared });
    return [
      followedBy(settled, underLoad(bench, 'service', service, logins)),
      followedBy(
        settledLimit,
        underLoad(bench, 'bcrypt alone', limit, () => [{ method: 'POST', path: '/bcrypt', body: compared }]),
      ),
      followedBy(settled, amidLogins(alone, service, logins)),
      alone,
    ];
  },
  targets: [
    atLeast(0.95, 'service', 'bcrypt alone'),
    atMost(1.2, 'others amid logins', 'others alone', 'p99Ms'),
  ],
};

function amidLogins(others: Contender, service: Program, logins: Parameters<typeof load>[1]): Contender {
  return {
    name: 'others amid logins',
    async measure(seconds) {
      const [{ perSecond, p50Ms, p99Ms }] = await Promise.all([
        others.measure(seconds),
        load(service.url, logins, seconds, CONNECTIONS),
      ]);
      // CPU is left out: the process used it for the logins, too.
      return { perSecond, p50Ms, p99Ms };
    },
  };
}

/** The load leaves requests behind when it ends, and what they cost must not fall into the next contender's turn. */
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
