import { jest } from '@jest/globals';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { SvcHere } from '../cli/running-svc.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { runDoctor } from '../harness/run-doctor.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import type { TestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';
import { PgBouncer } from '../postgres/pgbouncer.js';
import { makeHome } from '../runner/runner-process.js';
import { Runner } from '../runner/runner.js';
import { AcknowledgedWrites } from './acknowledged-writes.js';
import { ReplicatedPostgres } from './replicated-postgres.js';

/** Two servers are started, and copied several times. */
jest.setTimeout(180_000);

/** Enough to be killed in the middle of them. */
const SOME = 20;

const LIMITS = {
  timezone: 'UTC',
  statement_timeout: '15s',
  lock_timeout: '15s',
  idle_in_transaction_session_timeout: '15s',
};

let pair: ReplicatedPostgres;
let database: TestDatabase;
let app: TestApp;
let person: Person;
let agent: TestAgent;

/** An instance of the service whose database is the primary, whichever it is. */
const startInstance = (target: { readonly url: string; readonly directUrl?: string }) =>
  startTestApp({ database, target, settings: { HEARTBEAT_INTERVAL_SECONDS: '1', DATABASE_POOL_SIZE: '6' } });

beforeAll(async () => {
  pair = await ReplicatedPostgres.start();
  database = pair.database;
  app = await startInstance({ url: pair.url });
  person = await registerPerson(app);
  agent = await createAgent(app, person);
});

afterAll(async () => {
  await app.close();
  await pair.clear();
});

/** The doctor's findings about the servers. */
async function doctorsWord(): Promise<string> {
  const { findings } = await runDoctor({ DATABASE_URL: pair.url });
  const { status, message } = findings.find(({ check }) => check === 'servers')!;
  return `${status}: ${message}`;
}

const readiness = async () => (await app.api.get('/ready')).status;

/**
 * Kills the primary and promotes the standby while clients write. @returns the fates of what each client takes for
 * written
 */
async function failOver(agents: readonly TestAgent[], promoted: () => void = () => undefined) {
  const writes = agents.map((it, at) => new AcknowledgedWrites(it, `client ${at} of ${pair.primary.host}`));
  try {
    await until(() => writes.every(({ lines }) => lines.length >= SOME));
    await pair.crash();
    const before = writes.map(({ lines }) => lines.length);
    await until(async () => (await readiness()) === 503);
    await pair.promote();
    promoted();
    await until(() => writes.every(({ lines }, at) => lines.length >= before[at]! + SOME));
    await until(async () => (await readiness()) === 200);
  } finally {
    await Promise.all(writes.map((it) => it.end()));
  }
  return Promise.all(writes.map((it) => it.fates(pair.database)));
}

/** The same agent, as another instance serves it. */
const through = (instance: TestApp) => ({ ...agent, runtime: instance.api.as(agent.key) });

describe('A failover from a primary that was killed', () => {
  it('to an asynchronous standby is found by an address of several hosts, and loses at most the newest writes', async () => {
    expect(await doctorsWord()).toMatch(/^ok: .+ is the primary, .+ a standby$/);
    for (const fates of await failOver([agent, agent])) expect(fates).toMatch(/^k+l*k{20,}$/);
    expect(app.log()).toContain('The connection for notifications (LISTEN) was lost');
    expect(await doctorsWord()).toMatch(/^warn: .+ can't be reached/);
  });

  it('is not undone by the former primary when that takes writes again, and the doctor names both', async () => {
    await pair.bringBack();
    expect(await doctorsWord()).toMatch(/^failed: .+ and .+ both accept writes$/);
    await database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'agent-control-plane%'",
    );
    const writes = new AcknowledgedWrites(agent, 'with two primaries');
    await until(() => writes.lines.length >= SOME);
    await writes.end();
    expect(await writes.fates(pair.database)).toMatch(/^k+$/);
    await pair.crashOther();
  });

  it('to a synchronous standby loses nothing, by an address of several hosts and behind a pooler', async () => {
    await pair.addStandby();
    await pair.makeSynchronous();
    for (const [name, value] of Object.entries(LIMITS))
      await database.query(`ALTER ROLE postgres SET ${name} = '${value}'`);
    // PgBouncer is not installed everywhere
    const pooler = PgBouncer.isInstalled ? await PgBouncer.start('postgres', pair.primary) : undefined;
    const pooled =
      pooler && (await startInstance({ url: pooler.url('postgres', 'postgres'), directUrl: pair.url }));
    try {
      const agents = pooled ? [agent, through(pooled)] : [agent];
      const fates = await failOver(agents, () => pooler?.leadTo(pair.primary));
      for (const it of fates) expect(it).toMatch(/^k+$/);
    } finally {
      await pooled?.close();
      await pooler?.stop();
    }
  });

  it('that lost writes is followed by a registration of the agent, after which svc run does the rest', async () => {
    await pair.addStandby();
    const work = await createAgent(app, person, {
      config: { command: ['sleep', '600'], readiness: { seconds: 0.1 }, stop_grace_seconds: 1 },
    });
    const kept = await deploy(person, work);
    const home = makeHome();
    const runner = new Runner(
      new SvcHere(
        ['run'],
        '',
        {
          PATH: process.env.PATH,
          HOME: home.path,
          SERVICE_API_URL: app.url,
          SERVICE_AGENT_KEY: work.key,
        },
        () => undefined,
      ),
    );
    const read = async (id: string) => (await person.api.get(`/deployments/${id}`)).body;
    try {
      await until(async () => (await read(kept)).status === 'ready');
      await pair.untilReplayed();
      await pair.cut();
      await person.api.post(`/deployments/${kept}/scale`, { replicas: 2 });
      const lost = await deploy(person, work);
      await until(
        async () => (await read(kept)).ready_replicas === 2 && (await read(lost)).status === 'ready',
      );
      const registrations = runner.count('registered');

      await pair.crash();
      await pair.promote();
      await until(async () => (await person.api.get(`/deployments/${lost}`)).status === 404);
      await until(() => runner.count('registered') > registrations);
      await until(async () => {
        const { generation, ready_replicas: ready, status } = await read(kept);
        return generation === 1 && ready === 1 && status === 'ready';
      });
      await expectCleanAudit(pair.database);
    } finally {
      await runner.dismiss();
      home.remove();
    }
  });
});
