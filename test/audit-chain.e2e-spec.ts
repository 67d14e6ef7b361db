import { Client } from 'pg';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { auditOf, expectCleanAudit } from './harness/clean-audit.js';
import { urlOf } from './harness/child-service.js';
import { runAudit } from './audit/run-audit.js';
import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const WRITERS = 200;

let one: TestApp;
let other: TestApp;
let person: Person;

beforeAll(async () => {
  one = await startTestApp();
  other = await startTestApp({ database: one.database });
  person = await registerPerson(one);
});

afterAll(async () => {
  await other.close();
  await one.close();
});

const round = (app: TestApp) => app.app.get(PeriodicJobs).runOnce('auditChain');
const unlinked = async () =>
  (
    await one.database.query<{ id: string }>(
      'SELECT id FROM audit_log WHERE NOT EXISTS (SELECT FROM audit_chain WHERE entry_id = audit_log.id)',
    )
  ).map(({ id }) => id);
const allLinked = () =>
  until(async () => {
    await round(one);
    return (await unlinked()).length === 0;
  });
const verify = (...heads: string[]) =>
  runAudit({ DATABASE_URL: urlOf(one.database.target) }, 'verify', ...heads.flatMap((it) => ['--head', it]));

/** Acts that only the owner of the tables can do. */
async function asOwner(...statements: string[]): Promise<void> {
  const client = new Client(one.database.target);
  await client.connect();
  try {
    for (const statement of ['SET session_replication_role = replica', ...statements])
      await client.query(statement);
  } finally {
    await client.end();
  }
}

describe('The chain of the audit log', () => {
  it('has each entry once when two hundred are written at once by two instances that both link', async () => {
    const linking = new AbortController();
    const links = [one, other].map(async (app) => {
      while (!linking.signal.aborted) await round(app);
    });
    const apis = [person.api, other.api.as(person.accessToken)];
    const make = (index: number) => apis[index % 2]!.post('/agents', { name: `agent ${index}` });
    // A busy machine refuses some with 503, and they come again.
    const makeAtLast = (index: number) => until(async () => (await make(index)).status === 201);
    await Promise.all(Array.from({ length: WRITERS }, (_, index) => makeAtLast(index)));
    linking.abort();
    await Promise.all(links);
    await allLinked();
    const [count] = await one.database.query<{ entries: number; links: number }>(
      `SELECT (SELECT count(*)::int FROM audit_log) AS entries, (SELECT count(*)::int FROM audit_chain) AS links`,
    );
    expect(count!.links).toBe(count!.entries);
    await expectCleanAudit(one.database);
  });

  it('includes an entry of a transaction that commits after newer ones were linked', async () => {
    const late = new Client(one.database.target);
    await late.connect();
    try {
      await late.query('BEGIN');
      await late.query(
        `INSERT INTO audit_log (id, at, actor, action, target_type, outcome, details)
         VALUES (make_uuidv7(), now(), 'service', 'user.update', 'user', 'success', '{}')`,
      );
      await createAgent(one, person);
      await allLinked();
      await late.query('COMMIT');
    } finally {
      await late.end();
    }
    expect(await unlinked()).toHaveLength(1);
    await allLinked();
    await expectCleanAudit(one.database);
  });

  it("can't be changed by an attacker who only writes rows", async () => {
    await allLinked();
    for (const statement of [
      'UPDATE audit_chain SET number = 7',
      'DELETE FROM audit_chain',
      'TRUNCATE audit_chain',
    ])
      await expect(one.database.query(statement)).rejects.toThrow(
        'The chain of the audit log is append-only',
      );
  });

  it('differs from the logged head after a change and new links', async () => {
    await allLinked();
    const told = /"audit_chain":"([^"]+)"/.exec(one.log() + other.log())![1]!;
    expect((await verify(told)).code).toBe(0);
    await asOwner(
      `UPDATE audit_log SET actor = 'service' WHERE action = 'user.register'`,
      'DELETE FROM audit_chain',
      'SELECT chain_audit_entries(1000)',
    );
    expect((await verify()).code).toBe(0);
    const { output, code } = await verify(told);
    expect([code, output]).toEqual([1, expect.stringContaining('audit-heads-are-links: 1')]);
  });

  it('says which entry the owner of the tables has changed, or taken away', async () => {
    const { id } = await createAgent(one, person);
    await allLinked();
    expect((await verify()).code).toBe(0);
    await asOwner(`UPDATE audit_log SET address = '192.0.2.1' WHERE target_id = '${id}'`);
    expect((await verify()).output).toMatch(/^OFFENDED {3}audit-chain-is-true: 1$/m);
    await asOwner(`DELETE FROM audit_log WHERE target_id = '${id}'`);
    const { output, code } = await verify();
    expect([code, output]).toEqual([1, expect.stringMatching(/^OFFENDED {3}audit-entries-are-kept: 1$/m)]);
    const { findings } = await auditOf(one.database);
    expect(findings.filter(({ count }) => count! > 0).map(({ name }) => name)).toEqual([
      'audit-entries-are-kept',
    ]);
  });
});
