import { CHALLENGE_PURPOSES } from '../src/auth/second-factor/second-factor.types.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { ROLES } from '../src/access/roles.js';
import { CAPTURES, LOOP_ACTIONS, USAGE_CHOICES } from '../src/agents/agent-settings.types.js';
import { COMMAND_STATES } from '../src/commands/command.types.js';
import { ADVISORY_LOCKS } from '../src/database/advisory-locks.js';
import { dataSourceOptions } from '../src/database/data-source-options.js';
import { migrate } from '../src/database/migrate.js';
import { AUDIT_OUTCOMES } from '../src/audit-log/audit-actions.js';
import { WORKLOADS } from '../src/lifecycle/agent-health.js';
import { PAUSED_BY, RUNS_OF_PAUSES } from '../src/lifecycle/deployment-pause.js';
import { RISKS } from '../src/approvals/approval.types.js';
import { APPROVAL_STATES } from '../src/lifecycle/approval-lifecycle.js';
import { RUN_STATUSES } from '../src/lifecycle/run-lifecycle.js';
import { RUN_SOURCES } from '../src/runs/run.types.js';
import { BUDGET_ACTIONS, BUDGET_LIMITS, BUDGET_PERIODS, BUDGET_STATES } from '../src/budgets/budget.types.js';
import { SPAN_KINDS, SPAN_STATUSES } from '../src/traces/span.types.js';
import { USAGE_SOURCES } from '../src/usage/usage.types.js';
import { CATCH_UPS, OVERLAPS } from '../src/runs/schedules/schedule.types.js';
import { RESTART_PACES } from '../src/lifecycle/restart-pace.js';
import { AGENT_STATUSES } from '../src/lifecycle/agent-lifecycle.js';
import {
  COMMAND_ACTIONS,
  DEPLOYMENT_STATUSES,
  FAILURE_CAUSES,
  REPLACEMENTS,
  STATUS_SOURCES,
} from '../src/lifecycle/deployment-lifecycle.js';
import { MEMBERSHIP_SOURCES } from '../src/projects/project-member.entity.js';
import { migrations } from '../src/schema-migrations.js';
import { entities } from '../src/schema.js';
import { DELIVERY_STATUSES } from '../src/webhooks/webhook-delivery.entity.js';
import { WEBHOOK_FORMATS } from '../src/webhooks/webhook.entity.js';
import { RUNTIME_PROTOCOLS } from '../src/agents/runtime-software.types.js';
import { urlOf } from './harness/child-service.js';
import { startTestApp } from './harness/test-app.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';

let empty: TestDatabase;
let migrated: TestDatabase;

beforeAll(async () => {
  empty = await createTestDatabase('template0');
  migrated = await createTestDatabase();
});

afterAll(async () => {
  await empty.drop();
  await migrated.drop();
});

const settingsFor = (database: TestDatabase) => ({
  target: database.target,
  entities,
  migrations,
});

async function withDataSource<T>(
  database: TestDatabase,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const dataSource = await new DataSource(dataSourceOptions(settingsFor(database))).initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

const IN_PUBLIC = `JOIN pg_namespace AS space ON space.oid = table_.relnamespace AND space.nspname = 'public'
  WHERE table_.relname <> 'migrations' AND table_.relname NOT LIKE 'migrations\\_%'`;

/** The whole schema, in PostgreSQL's own notation. */
async function schemaOf(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ line: string }>(
    `SELECT format('%s %s %s', table_.relname, table_.relkind, table_.reloptions) AS line
       FROM pg_class AS table_ ${IN_PUBLIC} AND relkind IN ('r', 'p')
     UNION ALL
     SELECT format('%s.%s %s %s %s', table_.relname, attname, format_type(atttypid, atttypmod), attnotnull,
         pg_get_expr(adbin, adrelid))
       FROM pg_attribute JOIN pg_class AS table_ ON table_.oid = attrelid
       LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum ${IN_PUBLIC} AND attnum > 0 AND relkind IN ('r', 'p')
     UNION ALL
     SELECT format('%s %s %s', table_.relname, conname, pg_get_constraintdef(pg_constraint.oid))
       FROM pg_constraint JOIN pg_class AS table_ ON table_.oid = conrelid ${IN_PUBLIC}
     UNION ALL
     SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class AS table_ ON table_.oid = indrelid ${IN_PUBLIC}
     UNION ALL
     SELECT pg_get_functiondef(table_.oid) FROM (SELECT oid, pronamespace AS relnamespace, proname AS relname FROM pg_proc) AS table_
       ${IN_PUBLIC}
     ORDER BY line`,
  );
  return rows.map(({ line }) => line);
}

describe('The migrations', () => {
  it('create the schema, revert it completely, and create the same schema again', async () => {
    await migrate(settingsFor(empty));
    const made = await schemaOf(empty);
    expect(made.length).toBeGreaterThan(100);
    await withDataSource(empty, async (dataSource) => {
      for (let left = migrations.length; left > 0; left--) await dataSource.undoLastMigration();
    });
    expect(await schemaOf(empty)).toEqual([]);
    await migrate(settingsFor(empty));
    expect(await schemaOf(empty)).toEqual(made);
  });

  it('run once when two instances start at the same moment', async () => {
    const fresh = await createTestDatabase('template0');
    try {
      const apps = await Promise.all([startTestApp({ database: fresh }), startTestApp({ database: fresh })]);
      for (const app of apps) {
        expect((await app.api.get('/ready')).status).toBe(200);
        await app.close();
      }
      const rows = await fresh.query('SELECT name FROM migrations');
      expect(rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
    } finally {
      await fresh.drop();
    }
  });

  it('wait for their lock without a snapshot, so that the other instance can build an index', async () => {
    const fresh = await createTestDatabase('template0');
    const holder = new Client(fresh.target);
    await holder.connect();
    try {
      await holder.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
      const waiting = migrate(settingsFor(fresh));
      await until(async () => {
        const [row] = await fresh.query<{ count: number }>(
          `SELECT count(*)::int FROM pg_stat_activity
           WHERE datname = current_database() AND query LIKE 'SELECT pg%advisory_lock($1)%'`,
        );
        return row?.count === 2;
      });
      await fresh.query('CREATE TABLE indexed (id integer)');
      await fresh.query("SET statement_timeout = '20s'");
      await fresh.query('CREATE INDEX CONCURRENTLY indexed_id_idx ON indexed (id)');
      await holder.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.migration]);
      await waiting;
      expect(await fresh.query('SELECT FROM migrations')).toHaveLength(migrations.length);
    } finally {
      await holder.end();
      await fresh.drop();
    }
  });

  it('wait for a database that is not reachable yet when they run in their own program', async () => {
    const fresh = await createTestDatabase('template0');
    const folder = await mkdtemp(join(tmpdir(), 'migrate-'));
    const socket = join(folder, 'socket');
    try {
      const child = spawn(process.execPath, ['dist/src/migrate.js'], {
        env: { PATH: process.env.PATH, DATABASE_URL: urlOf({ ...fresh.target, host: socket }) },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const ended = once(child, 'exit');
      const [said] = (await once(child.stderr.setEncoding('utf8'), 'data')) as [string];
      expect(said).toMatch(/^Waiting for the database: .*ENOENT/);
      await symlink(fresh.target.host, socket);
      expect(await ended).toEqual([0, null]);
      expect(await fresh.query('SELECT FROM migrations')).toHaveLength(migrations.length);
    } finally {
      await rm(folder, { recursive: true });
      await fresh.drop();
    }
  });

  it('agree with the entities in both directions', async () => {
    const { upQueries, downQueries } = await withDataSource(migrated, (dataSource) => {
      // the schema builder asks everything at once over one connection, of which pg warns
      const runner = dataSource.createQueryRunner();
      const ask = runner.query.bind(runner) as (...statement: unknown[]) => Promise<unknown>;
      const inTurn = pLimit(1);
      runner.query = ((...statement: unknown[]) => inTurn(() => ask(...statement))) as typeof runner.query;
      dataSource.createQueryRunner = () => runner;
      return dataSource.driver.createSchemaBuilder().log();
    });
    expect([...upQueries, ...downQueries].map(({ query }) => query)).toEqual([]);
  });
});

describe('The constraints', () => {
  const lists: Readonly<Record<string, readonly string[]>> = {
    agents_capture_check: CAPTURES,
    agents_on_loop_check: LOOP_ACTIONS,
    agents_usage_from_check: USAGE_CHOICES,
    usage_choices_usage_from_check: USAGE_CHOICES,
    agents_status_check: AGENT_STATUSES,
    agent_spans_kind_check: SPAN_KINDS,
    agent_spans_status_check: SPAN_STATUSES,
    audit_log_outcome_check: AUDIT_OUTCOMES,
    deployments_status_check: DEPLOYMENT_STATUSES,
    deployments_status_source_check: STATUS_SOURCES,
    deployments_failure_cause_check: FAILURE_CAUSES,
    approvals_risk_check: RISKS,
    approvals_state_check: APPROVAL_STATES,
    budget_runs_state_check: BUDGET_STATES,
    budgets_limit_of_check: BUDGET_LIMITS,
    budgets_on_exceeded_check: BUDGET_ACTIONS,
    budgets_period_check: BUDGET_PERIODS,
    budgets_state_check: BUDGET_STATES,
    commands_action_check: COMMAND_ACTIONS,
    agents_workload_check: WORKLOADS,
    deployments_replaces_check: REPLACEMENTS,
    deployments_restart_pace_check: RESTART_PACES,
    commands_state_check: COMMAND_STATES,
    factor_challenges_purpose_check: CHALLENGE_PURPOSES,
    pauses_by_check: PAUSED_BY,
    pauses_runs_check: RUNS_OF_PAUSES,
    project_groups_role_check: ROLES,
    project_members_role_check: ROLES,
    project_members_source_check: MEMBERSHIP_SOURCES,
    run_events_status_check: RUN_STATUSES,
    run_usage_usage_from_check: USAGE_SOURCES,
    runs_source_check: RUN_SOURCES,
    runs_status_check: RUN_STATUSES,
    runs_status_source_check: STATUS_SOURCES,
    schedules_catch_up_check: CATCH_UPS,
    schedules_overlap_check: OVERLAPS,
    usage_hourly_usage_from_check: USAGE_SOURCES,
    webhook_deliveries_status_check: DELIVERY_STATUSES,
    webhooks_format_check: WEBHOOK_FORMATS,
  };

  it('allow exactly the values that the code declares', async () => {
    const rows = await migrated.query<{ conname: string; definition: string }>(
      `SELECT conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
       WHERE contype = 'c' AND connamespace = 'public'::regnamespace`,
    );
    const enumerations = rows.filter(({ definition }) => /^CHECK \(\(\w+ = ANY \(ARRAY\[/.test(definition));
    const held = enumerations.map(({ conname, definition }) => [
      conname,
      [...definition.matchAll(/'([^']+)'/g)].map(([, value]) => value).sort(),
    ]);
    const known = Object.entries(lists).map(([name, values]) => [name, [...values].sort()]);
    expect(Object.fromEntries(held)).toEqual(Object.fromEntries(known));
  });

  it('index the agents whose runtime is older than the oldest one that is supported', async () => {
    const [row] = await migrated.query<{ condition: string }>(
      `SELECT pg_get_expr(indpred, indrelid) AS condition FROM pg_index
       WHERE indexrelid = 'agents_outdated_idx'::regclass`,
    );
    expect(row!.condition).toContain(`< '${RUNTIME_PROTOCOLS.oldest}'::jsonb`);
  });

  it('have explicit names', async () => {
    const rows = await migrated.query<{ name: string }>(
      `SELECT format('%s.%s', table_.relname, conname) AS name
       FROM pg_constraint JOIN pg_class AS table_ ON table_.oid = conrelid ${IN_PUBLIC}
         AND contype <> 'n' AND conparentid = 0 AND NOT table_.relispartition
         AND conname !~ format('^%s_.*(pkey|fkey|key|check)$', table_.relname)
         AND conname <> table_.relname || '_pkey'`,
    );
    expect(rows.map(({ name }) => name)).toEqual([]);
  });

  /** Foreign keys whose referring side needs no index of its own, with the reasons. */
  const withoutIndex: Readonly<Record<string, string>> = {};

  it('have an index for every foreign key but the listed ones', async () => {
    const rows = await migrated.query<{ name: string }>(
      `SELECT conname AS name FROM pg_constraint
       WHERE contype = 'f' AND conparentid = 0 AND connamespace = 'public'::regnamespace AND NOT EXISTS (
         SELECT FROM pg_index WHERE indrelid = conrelid AND indpred IS NULL AND indisvalid
           AND (indkey::smallint[])[0:cardinality(conkey) - 1] = conkey)`,
    );
    expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(withoutIndex).sort());
  });
});
