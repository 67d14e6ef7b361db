import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { vacuumFilled } from '../fleet/bench-database.js';
import { agentsOf } from '../speed/callers.js';
import {
  installedFolder,
  openDatabase,
  OWNERS,
  type Peer,
  POOL_SIZE,
  post,
  startPeer,
  TEXT_FIELDS,
  WRITTEN_ROWS,
} from './peer.js';

const TOKEN = 'a-token-of-the-bench-and-of-nobody-else';
const CLI = 'directus/cli.js';

/** A backend over one's own tables. The administrator's token spares it the check of permissions. */
export const directus: Peer = {
  name: 'Directus',
  async start(bench) {
    const folder = installedFolder('directus');
    const { database, connection } = await openDatabase(bench);
    const environment = {
      DB_CLIENT: 'pg',
      DB_HOST: connection.host,
      DB_PORT: '5432',
      DB_USER: connection.user,
      DB_DATABASE: connection.database,
      DB_POOL__MAX: String(POOL_SIZE),
      SECRET: 'a secret of the bench, and of nobody else',
      ADMIN_EMAIL: 'ada@example.com',
      ADMIN_PASSWORD: 'Correct-horse-7',
      ADMIN_TOKEN: TOKEN,
      TELEMETRY: 'false',
      LOG_LEVEL: 'error',
    };
    const installing = promisify(execFile)(process.execPath, [`node_modules/${CLI}`, 'bootstrap'], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
    });
    bench.atEndOfSection(async () => installing.child.kill('SIGKILL'));
    await installing;
    const program = await startPeer(
      bench,
      { folder, main: CLI, args: ['start'], readyPath: '/server/ping' },
      environment,
    );
    const headers = { authorization: `Bearer ${TOKEN}` };
    await post(program, '/collections', headers, collection());
    const [owner] = await database.query<{ id: string }>('SELECT id FROM directus_users');
    const rows = await database.query<{ id: string }>(
      `INSERT INTO agents (id, name, description, type, status, version, hostname, platform, last_heartbeat, owner)
       SELECT uuidv7(), 'agent-' || number, 'Reads a mailbox and answers what it can', 'worker', 'running', '1.4.2',
         'worker-' || number % 100, 'linux/x64', now(),
         CASE WHEN number % ${OWNERS} = 0 THEN $2 ELSE md5((number % ${OWNERS})::text)::uuid END
       FROM generate_series(0, $1::int - 1) AS number RETURNING id`,
      [bench.sizes.seed.agents, owner!.id],
    );
    await database.query('CREATE INDEX ON agents (owner, id)');
    await vacuumFilled(database);
    const written = rows.slice(0, WRITTEN_ROWS);
    const filter = encodeURIComponent(JSON.stringify({ owner: { _eq: owner!.id } }));
    return {
      program,
      list: () => [{ method: 'GET', path: `/items/agents?limit=50&sort=-id&filter=${filter}`, headers }],
      write: (nth) =>
        agentsOf(written, nth).map(({ id }) => ({
          method: 'PATCH',
          path: `/items/agents/${id}`,
          headers,
          body: { status: 'running', last_heartbeat: new Date().toISOString() },
        })),
    };
  },
};

/** No history is kept of its rows: a heartbeat has none. */
function collection(): object {
  return {
    collection: 'agents',
    meta: { accountability: null },
    schema: {},
    fields: [
      { field: 'id', type: 'uuid', schema: { is_primary_key: true } },
      ...TEXT_FIELDS.map((field) => ({ field, type: 'string' })),
      { field: 'last_heartbeat', type: 'timestamp' },
      { field: 'owner', type: 'uuid' },
    ],
  };
}
