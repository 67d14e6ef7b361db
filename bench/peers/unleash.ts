import { setTimeout as delay } from 'node:timers/promises';
import { agentsOf } from '../speed/callers.js';
import { callJson } from '../speed/json-calls.js';
import type { Program } from '../speed/program.js';
import { installedFolder, openDatabase, type Peer, POOL_SIZE, startPeer, WRITTEN_ROWS } from './peer.js';

const ADMIN_TOKEN = '*:*.a-token-of-the-bench-and-of-nobody-else';
const CLIENT_TOKEN = 'default:development.a-token-of-the-bench-and-of-nobody-else';
const LIST = '/api/admin/metrics/applications?limit=50';
const REGISTER = '/api/client/register';
const APPLICATIONS = 50;
const STORED_WITHIN_MS = 60_000;
const STORED_CHECK_MS = 500;
const UNLIMITED = '1000000000';

/**
 * A service for feature flags. Its list of the applications that have registered ranks all of them for each page, so there
 * are no more than one page has. The list of flags that its clients read is no equal: it comes from memory. A
 * registration is answered before it is stored; it is kept in memory for some seconds.
 */
export const unleash: Peer = {
  name: 'Unleash',
  async start(bench) {
    const folder = installedFolder('unleash-server');
    const { connection } = await openDatabase(bench);
    const program = await startPeer(
      bench,
      { folder, main: 'unleash-server/dist/server.js', readyPath: '/health' },
      {
        HTTP_HOST: '127.0.0.1',
        DATABASE_HOST: connection.host,
        DATABASE_USERNAME: connection.user,
        DATABASE_NAME: connection.database,
        DATABASE_SSL: 'false',
        DATABASE_POOL_MAX: String(POOL_SIZE),
        CHECK_VERSION: 'false',
        SEND_TELEMETRY: 'false',
        INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
        INIT_BACKEND_API_TOKENS: CLIENT_TOKEN,
        // one of them limits registrations, though it is named after metrics
        REGISTER_CLIENT_RATE_LIMIT_PER_MINUTE: UNLIMITED,
        CLIENT_METRICS_RATE_LIMIT_PER_MINUTE: UNLIMITED,
        TOKEN_AUTHENTICATION_RATE_LIMIT_PER_MINUTE: UNLIMITED,
        SDK_API_RATE_LIMIT_PER_MINUTE: UNLIMITED,
      },
    );
    for (let number = 0; number < APPLICATIONS; number++) {
      await callJson(program.url + REGISTER, registration(`application-${number}`, 'instance'));
    }
    await untilStored(program);
    const instances = Array.from({ length: WRITTEN_ROWS }, (_, number) => `instance-${number}`);
    return {
      program,
      list: () => [{ method: 'GET', path: LIST, headers: { authorization: ADMIN_TOKEN } }],
      write: (nth) =>
        agentsOf(instances, nth).map((instanceId) => ({
          path: REGISTER,
          ...registration('application-0', instanceId),
        })),
    };
  },
};

function registration(appName: string, instanceId: string) {
  return {
    method: 'POST',
    headers: { authorization: CLIENT_TOKEN },
    body: {
      appName,
      instanceId,
      sdkVersion: 'unleash-client-node:6.0.0',
      strategies: ['default'],
      started: new Date().toISOString(),
      interval: 10_000,
    },
  } as const;
}

async function untilStored({ url }: Program): Promise<void> {
  const end = performance.now() + STORED_WITHIN_MS;
  for (;;) {
    const { total } = await callJson<{ total: number }>(url + LIST, {
      headers: { authorization: ADMIN_TOKEN },
    });
    if (total === APPLICATIONS) return;
    if (performance.now() > end)
      throw new Error(`Unleash has stored ${total} of ${APPLICATIONS} applications`);
    await delay(STORED_CHECK_MS);
  }
}
