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

const APPLICATION = { 'x-parse-application-id': 'bench' };
const MASTER_KEY = 'a key of the bench, and of nobody else';

interface Account {
  readonly objectId: string;
  readonly sessionToken: string;
}

/** A backend for applications. A class of agents, which anybody with a session may read and update. */
export const parseServer: Peer = {
  name: 'Parse Server',
  async start(bench) {
    const folder = installedFolder('parse-server');
    const { database, connection } = await openDatabase(bench);
    const program = await startPeer(
      bench,
      { folder, main: 'parse-server/bin/parse-server', readyPath: '/parse/health' },
      {
        PARSE_SERVER_HOST: '127.0.0.1',
        PARSE_SERVER_URL: 'http://127.0.0.1/parse',
        PARSE_SERVER_VERIFY_SERVER_URL: 'false',
        PARSE_SERVER_APPLICATION_ID: APPLICATION['x-parse-application-id'],
        PARSE_SERVER_MASTER_KEY: MASTER_KEY,
        PARSE_SERVER_DATABASE_URI: `postgres://${connection.user}@localhost/${connection.database}?max=${POOL_SIZE}`,
        // a connection URL can't name a Unix socket
        PARSE_SERVER_DATABASE_OPTIONS: JSON.stringify({ host: connection.host }),
        SILENT: '1',
      },
    );
    await post(
      program,
      '/parse/schemas/Agent',
      { ...APPLICATION, 'x-parse-master-key': MASTER_KEY },
      schema(),
    );
    const account = await post<Account>(program, '/parse/users', APPLICATION, {
      username: 'ada',
      password: 'Correct-horse-7',
    });
    await database.query(
      `INSERT INTO "Agent" ("objectId", "createdAt", "updatedAt", name, description, type, status, version, hostname,
         platform, "lastHeartbeat", owner)
       SELECT lpad(number::text, 10, '0'), now(), now(), 'agent-' || number, 'Reads a mailbox and answers what it can',
         'worker', 'running', '1.4.2', 'worker-' || number % 100, 'linux/x64', now(),
         CASE WHEN number % ${OWNERS} = 0 THEN $2 ELSE 'owner-' || number % ${OWNERS} END
       FROM generate_series(0, $1::int - 1) AS number`,
      [bench.sizes.seed.agents, account.objectId],
    );
    await database.query('CREATE INDEX ON "Agent" (owner, "objectId")');
    await vacuumFilled(database);
    const headers = { ...APPLICATION, 'x-parse-session-token': account.sessionToken };
    const owner = { __type: 'Pointer', className: '_User', objectId: account.objectId };
    const where = encodeURIComponent(JSON.stringify({ owner }));
    const ids = Array.from({ length: WRITTEN_ROWS }, (_, number) => String(number).padStart(10, '0'));
    return {
      program,
      list: () => [
        { method: 'GET', path: `/parse/classes/Agent?limit=50&order=-objectId&where=${where}`, headers },
      ],
      write: (nth) =>
        agentsOf(ids, nth).map((id) => ({
          method: 'PUT',
          path: `/parse/classes/Agent/${id}`,
          headers,
          body: { status: 'running', lastHeartbeat: { __type: 'Date', iso: new Date().toISOString() } },
        })),
    };
  },
};

function schema(): object {
  return {
    className: 'Agent',
    fields: {
      ...Object.fromEntries(TEXT_FIELDS.map((name) => [name, { type: 'String' }])),
      lastHeartbeat: { type: 'Date' },
      owner: { type: 'Pointer', targetClass: '_User' },
    },
    classLevelPermissions: {
      find: { requiresAuthentication: true },
      get: { requiresAuthentication: true },
      update: { requiresAuthentication: true },
    },
  };
}
