import { MAXIMUM_ATTEMPTS } from '../../src/commands/queue-statements.repository.js';
import { check, INVARIANTS, type Query } from '../../src/audit/audit.js';
import { DELIVERIES_OF_A_COMMAND } from '../../src/audit/invariants/command-invariants.js';
import { RELATIONS } from '../../src/audit/invariants/relation-invariants.js';
import { auditOf, expectCleanAudit } from '../harness/clean-audit.js';
import { playStory, type Story } from './story.js';
import { VIOLATIONS } from './violations.js';

/** Bounds as if the service had run for long: only then is work late. */
const BOUNDS = {
  runningSeconds: 1_000_000,
  marginSeconds: 900,
  historySeconds: 1_000_000,
  auditSeconds: 1_000_000,
};

let story: Story;
let query: Query;

beforeAll(async () => {
  story = await playStory();
  query = story.app.database.query;
});

afterAll(() => story.close());

/** Runs statements that the service never runs, calls `look`, and rolls them back. */
async function whileViolated<Result>(statements: string, look: () => Promise<Result>): Promise<Result> {
  await query('BEGIN');
  try {
    // Foreign keys are not checked in this mode, and triggers don't run.
    await query('SET LOCAL session_replication_role = replica');
    await query(statements);
    return await look();
  } finally {
    await query('ROLLBACK');
  }
}

describe('The audit', () => {
  it('finds no violation after all operations of people and agents', async () => {
    await expectCleanAudit(story.app.database);
    for (const invariant of INVARIANTS) {
      expect(await check(query, invariant, BOUNDS)).toMatchObject({
        name: invariant.name,
        count: 0,
        ids: [],
      });
    }
  });

  it('has a unique name and sentence for each invariant, and a test that violates it', () => {
    const names = INVARIANTS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(INVARIANTS.map(({ sentence }) => sentence)).size).toBe(names.length);
    expect(Object.keys(VIOLATIONS).sort()).toEqual([...names].sort());
    for (const { name, sentence } of INVARIANTS) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
      expect(sentence).toMatch(/^[A-Z][^\n]+\.$/);
    }
  });

  it.each(INVARIANTS.map((invariant) => [invariant.name, invariant] as const))(
    'names %s when it is violated',
    async (name, invariant) => {
      const finding = await whileViolated(VIOLATIONS[name]!, () => check(query, invariant, BOUNDS));
      expect(finding.count).toBeGreaterThan(0);
      expect(finding.ids).toHaveLength(Math.min(finding.count!, 10));
      expect(await check(query, invariant, BOUNDS)).toMatchObject({ count: 0 });
    },
  );

  it('lists at most ten violating rows, and counts all of them', async () => {
    const invariant = INVARIANTS.find(({ name }) => name === 'agents-have-a-presence')!;
    const copies = `INSERT INTO agents SELECT (jsonb_populate_record(NULL::agents, to_jsonb(agent)
      || jsonb_build_object('id', make_uuidv7()))).* FROM (SELECT * FROM agents WHERE status <> 'deleting' LIMIT 1) AS agent, generate_series(1, 1000)`;
    const finding = await whileViolated(copies, () => check(query, invariant, BOUNDS));
    expect([finding.count, finding.ids.length]).toEqual([1_000, 10]);
  });

  it('counts nothing as late if no service runs', async () => {
    const late = [
      'removals-end',
      'project-events-get-their-numbers',
      'commands-given-up-in-time',
      'deliveries-attempted',
      'deliveries-released',
      'deliveries-cancelled',
      'idempotency-records-expire',
      'telemetry-batches-expire',
    ];
    for (const name of late) {
      const invariant = INVARIANTS.find((it) => it.name === name)!;
      const finding = await whileViolated(VIOLATIONS[name]!, () =>
        check(query, invariant, { ...BOUNDS, runningSeconds: 0 }),
      );
      expect([name, finding.count]).toEqual([name, 0]);
    }
  });

  it('reports for how long a service has been connected', async () => {
    const { runningSeconds, database, findings } = await auditOf(story.app.database);
    expect(runningSeconds).toBeGreaterThanOrEqual(0);
    expect(database).toBe(story.app.database.target.database);
    expect(findings.map(({ name }) => name)).toEqual(INVARIANTS.map(({ name }) => name));
  });

  it('checks every foreign key that the database has', async () => {
    const constraints = await query<{ table: string; column: string; parent: string }>(
      `SELECT conrelid::regclass::text AS table, attname AS column, confrelid::regclass::text AS parent
       FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
       WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
    );
    const known = new Set(RELATIONS.map(({ table, column, parent }) => `${table}.${column} -> ${parent}`));
    const missing = constraints
      .map(({ table, column, parent }) => `${table}.${column} -> ${parent}`)
      .filter((relation) => !known.has(relation));
    expect(missing).toEqual([]);
  });

  it('allows a command as many deliveries as the queue does', () => {
    expect(DELIVERIES_OF_A_COMMAND).toBe(MAXIMUM_ATTEMPTS);
  });
});
