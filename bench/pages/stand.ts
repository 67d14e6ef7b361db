import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { migrate } from '../../src/database/migrate.js';
import { migrations } from '../../src/schema-migrations.js';
import { entities } from '../../src/schema.js';
import { WebServer } from '../../src/web/web-server.js';
import { readWebSettings } from '../../src/web/web-settings.js';
import { BenchDatabase } from '../fleet/bench-database.js';
import { callJson } from '../speed/json-calls.js';
import { Program } from '../speed/program.js';
import { PASSWORD, seed, WEBHOOK_SECRET_KEY } from '../speed/seed.js';
import type { Ids } from './paths.js';

const SERVICE = fileURLToPath(new URL('../../service/main.js', import.meta.url));
/** Runs and logs of each agent. */
const ROWS_OF_AN_AGENT = 50;
const BCRYPT_COST = 4;

/** The dashboard, its service, and a database with so many agents of one operator. */
export interface Stand {
  readonly url: string;
  readonly login: { readonly email: string; readonly password: string };
  readonly ids: Ids;
  close(): Promise<void>;
}

export async function openStand(agents: number): Promise<Stand> {
  const database = await BenchDatabase.open();
  const ends = [() => database.close()];
  const close = async () => {
    for (let end = ends.pop(); end; end = ends.pop()) await end();
  };
  try {
    await migrate({ target: { url: database.url }, entities, migrations });
    const rows = agents * ROWS_OF_AN_AGENT;
    const seeded = await seed(database, {
      agents,
      events: rows,
      logs: rows,
      users: 1,
      bcryptCost: BCRYPT_COST,
    });
    await database.query('UPDATE users SET is_admin = true WHERE id = $1', [seeded.userId]);
    const service = await Program.start(SERVICE, {
      NODE_ENV: 'production',
      DATABASE_URL: database.url,
      HEARTBEAT_TIMEOUT_SECONDS: '86400',
      JWT_SECRET: 'a secret of the bench, and of nobody else',
      WEBHOOK_SECRET_KEY,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      TRUST_PROXY: 'loopback',
      LOG_LEVEL: 'warn',
      DRAIN_TIMEOUT_SECONDS: '1',
    });
    ends.push(() => service.stop());
    const settings = readWebSettings({
      WEB_PORT: '0',
      SERVICE_URL: service.url,
      LOG_LEVEL: 'warn',
      DRAIN_TIMEOUT_SECONDS: '1',
    });
    const web = new WebServer(settings, pino({ level: 'warn' }), {
      pages: 'dist/src/web/ui',
      guide: 'guide/dist',
    });
    const url = await web.start();
    ends.push(() => web.stop());
    const login = { email: seeded.email, password: PASSWORD };
    return { url, login, ids: await createOthers(service.url, login, seeded), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates one resource of each kind that the seed lacks. */
async function createOthers(
  service: string,
  login: Stand['login'],
  { agents: [agent], longDeploymentId }: Awaited<ReturnType<typeof seed>>,
): Promise<Ids> {
  const { access_token: token } = await callJson<{ access_token: string }>(`${service}/auth/login`, {
    method: 'POST',
    body: login,
  });
  const idOf = async (path: string, body: object, credential = token) => {
    const headers = { authorization: `Bearer ${credential}` };
    return (await callJson<{ id: string }>(`${service}${path}`, { method: 'POST', headers, body })).id;
  };
  const question = {
    approval_key: 'first',
    title: 'Pay invoice 4711',
    action: { name: 'send_payment', args: { euros: 120 } },
    allowed_decisions: ['approve', 'reject'],
  };
  return {
    agents: agent!.id,
    deployments: longDeploymentId,
    runs: await idOf(`/agents/${agent!.id}/runs`, { input: { question: 'How many invoices are open?' } }),
    approvals: await idOf('/agents/approvals', question, agent!.key),
    schedules: await idOf(`/agents/${agent!.id}/schedules`, { cron: '0 7 * * *' }),
    webhooks: await idOf('/webhooks', { url: 'http://127.0.0.1:9/', events: ['agent.deleted'] }),
    projects: await idOf('/projects', { name: 'Accounting' }),
  };
}
