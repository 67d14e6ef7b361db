import { StatementJudge } from './harness/judge-statements.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';

/** `TestApp.close` judges every statement that the service has sent; these are the forms that it must find. */

let database: TestDatabase;
let judge: StatementJudge;

beforeAll(async () => {
  database = await createTestDatabase();
  judge = await StatementJudge.of(database);
});

afterAll(async () => {
  await judge.end();
  await database.drop();
});

const forms = async (text: string): Promise<string[]> =>
  (await judge.refusals(text)).map(({ table, form }) => `${table}: ${form}`);

const CLOCK = 'FROM (VALUES (now())) AS clock (at)';

/** A subquery of what is spread, for each row of `agent`. */
const NEWEST_LINE = 'SELECT id FROM agent_logs WHERE agent_id = agent.id ORDER BY timestamp DESC LIMIT 1';

/** Triggers that write no other table: they refuse what would change or delete entries of the audit log. */
const REFUSING = ['append_only', 'no_truncate'].flatMap((suffix) => [
  `audit_chain_${suffix} on audit_chain`,
  `audit_log_${suffix} on audit_log`,
]);

describe('The schema', () => {
  it('has no trigger but those that refuse changes of the audit log', async () => {
    const found = await database.query<{ trigger: string }>(
      `SELECT tgname || ' on ' || tgrelid::regclass AS trigger FROM pg_trigger WHERE NOT tgisinternal`,
    );
    expect(found.map(({ trigger }) => trigger).sort()).toEqual(REFUSING.sort());
  });
});

describe('The judge of statements refuses', () => {
  it.each([
    ['COALESCE', 'UPDATE agents SET paused_at = coalesce(paused_at, now()) WHERE id = $1'],
    ['CASE', 'UPDATE agents SET paused_at = CASE WHEN paused_at IS NULL THEN now() ELSE paused_at END'],
    ['a keyword', 'UPDATE agents SET paused_at = COALESCE(paused_at, CURRENT_TIMESTAMP)'],
    ['WHERE', `DELETE FROM sessions WHERE coalesce(proven_at < clock_timestamp(), true)`],
    [
      'a write of WITH',
      'WITH held AS (UPDATE agents SET paused_at = coalesce(paused_at, now()) RETURNING id) SELECT id FROM held',
    ],
  ])('the time in CASE or COALESCE: %s', async (_where, text) => {
    expect(await forms(text)).toEqual([expect.stringMatching(/: the time in CASE or COALESCE$/)]);
  });

  it.each([
    ['SET', 'UPDATE runs SET timeout_at = now() + make_interval(secs => timeout_seconds)'],
    ['WHERE', 'DELETE FROM runs WHERE queued_at + make_interval(secs => timeout_seconds) < now()'],
  ])('the time, computed with a column: %s', async (_where, text) => {
    expect(await forms(text)).toEqual(['runs: the time, computed with a column']);
  });

  it.each([
    ['SET', 'DO UPDATE SET created_at = now()'],
    ['WHERE', 'DO UPDATE SET token_hash = excluded.token_hash WHERE link.expires_at < now()'],
  ])('the time in ON CONFLICT: %s', async (_where, action) => {
    const insert = `INSERT INTO password_links AS link (user_id, token_hash, expires_at) VALUES ($1, $2, now())
      ON CONFLICT (user_id) ${action}`;
    expect(await forms(insert)).toEqual(['password_links: the time in ON CONFLICT']);
  });

  it('the time in RETURNING', async () => {
    const text = 'UPDATE sessions SET generation = 1 RETURNING expires_at > now()';
    expect(await forms(text)).toEqual(['sessions: the time in RETURNING']);
  });

  it.each([
    ['VALUES', `VALUES ($1, (SELECT max(model) FROM model_prices))`],
    ['several VALUES', `VALUES ($1, 'a'), ($2, (SELECT max(model) FROM model_prices))`],
    ['RETURNING', `VALUES ($1, 'a') RETURNING (SELECT name FROM agents WHERE id = agent_id)`],
  ])('a subquery in an INSERT: %s', async (_where, values) => {
    const insert = `INSERT INTO usage_sources (agent_id, model) ${values}`;
    expect(await forms(insert)).toEqual(['usage_sources: a subquery in VALUES or RETURNING']);
  });

  it('constants that come from no VALUES or unnest', async () => {
    const insert =
      'INSERT INTO usage_sources (agent_id, model) SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM usage_sources)';
    expect(await forms(insert)).toEqual(['usage_sources: INSERT of constants without VALUES or unnest']);
  });

  it('ctid', async () => {
    const text = 'DELETE FROM agents WHERE ctid = ANY (ARRAY(SELECT ctid FROM agents LIMIT 1))';
    expect(await forms(text)).toEqual(['agents: ctid']);
  });

  it.each([
    [
      'LATERAL',
      `SELECT line.id FROM unnest($1::uuid[]) AS agent (id) CROSS JOIN LATERAL (${NEWEST_LINE}) AS line`,
    ],
    ['a SELECT', `SELECT (${NEWEST_LINE}) FROM unnest($1::uuid[]) AS agent (id)`],
    ['a condition', `SELECT FROM unnest($1::uuid[]) AS agent (id) WHERE EXISTS (${NEWEST_LINE})`],
    ['WITH', `WITH agent AS (SELECT id FROM agents) SELECT (${NEWEST_LINE}) FROM agent`],
  ])('a subquery for each row of what is not spread: in %s', async (_where, text) => {
    expect(await forms(text)).toEqual(['agent_logs: a subquery for each row of what is not spread']);
  });
});

describe('The judge of statements takes', () => {
  it.each([
    [
      'the time of FROM',
      `UPDATE agents SET paused_at = coalesce(paused_at, clock.at) ${CLOCK} WHERE id = $1`,
    ],
    ['the time alone', 'UPDATE agents SET paused_at = now(), updated_at = now() + make_interval(secs => $1)'],
    [
      'a time shifted in UTC',
      `UPDATE runs SET timeout_at = (now() AT TIME ZONE 'UTC' + make_interval(secs => timeout_seconds)) AT TIME ZONE 'UTC'`,
    ],
    [
      'the time of the inserted row',
      `INSERT INTO password_links (user_id, token_hash, created_at, expires_at) VALUES ($1, $2, now(), now())
       ON CONFLICT (user_id) DO UPDATE SET created_at = excluded.created_at`,
    ],
    [
      'a condition on other rows',
      `INSERT INTO usage_sources (agent_id, model) SELECT given.* FROM (VALUES ($1::uuid, $2)) AS given
       WHERE NOT EXISTS (SELECT FROM usage_sources)`,
    ],
    [
      'the time in the condition of a subquery',
      `DELETE FROM quota_uses WHERE day IN (SELECT day FROM quota_uses WHERE day < now() - make_interval(days => $1))`,
    ],
    [
      'a subquery for each row of what is spread',
      `SELECT line.id FROM agent_log_positions AS agent (id)
       CROSS JOIN LATERAL (${NEWEST_LINE}) AS line WHERE agent.id = ANY ($1::uuid[])`,
    ],
    [
      'a subquery of what is spread, once for all rows',
      'SELECT FROM unnest($1::uuid[]) AS agent (id) WHERE id IN (SELECT agent_id FROM agent_logs)',
    ],
    ['a read', 'SELECT coalesce(paused_at, now()) FROM agents WHERE created_at > now() FOR UPDATE'],
  ])('%s', async (_what, text) => {
    expect(await forms(text)).toEqual([]);
  });
});
