import type { MigrationInterface, QueryRunner } from 'typeorm';

const CHOICES = `('auto', 'spans', 'metrics', 'reports')`;

/**
 * From what the usage of an agent is counted, as its owner chooses, and since when. Of each model the time at which each source was first told
 * is kept, so that a source that appears later changes nothing of earlier hours.
 */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `ALTER TABLE agents ADD COLUMN usage_from text NOT NULL DEFAULT 'auto'`,
  `ALTER TABLE agents ADD CONSTRAINT agents_usage_from_check CHECK (usage_from IN ${CHOICES}) NOT VALID`,
  `CREATE TABLE usage_choices (
    agent_id uuid NOT NULL CONSTRAINT usage_choices_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    since timestamptz NOT NULL,
    usage_from text NOT NULL,
    CONSTRAINT usage_choices_pkey PRIMARY KEY (agent_id, since),
    CONSTRAINT usage_choices_usage_from_check CHECK (usage_from IN ${CHOICES})
  )`,
  `ALTER TABLE usage_sources ADD COLUMN reports_since timestamptz`,
  `ALTER TABLE usage_sources ADD COLUMN metrics_since timestamptz`,
  `ALTER TABLE usage_sources ADD COLUMN spans_since timestamptz`,
  `-- rows: none in a version that has been released: the first one that counts usage has these columns
  UPDATE usage_sources SET reports_since = CASE WHEN usage_from = 'reports' THEN '-infinity'::timestamptz END,
    metrics_since = CASE WHEN usage_from = 'metrics' THEN '-infinity'::timestamptz END,
    spans_since = CASE WHEN usage_from = 'spans' THEN '-infinity'::timestamptz END`,
  `-- No version that has been released reads it.
  -- squawk-ignore ban-drop-column
  ALTER TABLE usage_sources DROP COLUMN usage_from`,
  `-- No version that has been released reads it.
  -- squawk-ignore ban-drop-column
  ALTER TABLE usage_sources DROP COLUMN since`,
  `ALTER TABLE usage_hourly DROP CONSTRAINT usage_hourly_pkey`,
  `-- No version that has been released has the table.
  -- squawk-ignore constraint-missing-not-valid, adding-serial-primary-key-field
  ALTER TABLE usage_hourly ADD CONSTRAINT usage_hourly_pkey
    PRIMARY KEY (project_id, hour, agent_id, model, config_version, usage_from)`,
  `ALTER TABLE run_usage ADD COLUMN hour timestamptz NOT NULL DEFAULT 'epoch'`,
  `ALTER TABLE run_usage ALTER COLUMN hour DROP DEFAULT`,
  `ALTER TABLE run_usage DROP CONSTRAINT run_usage_pkey`,
  `-- No version that has been released has the table.
  -- squawk-ignore constraint-missing-not-valid, adding-serial-primary-key-field
  ALTER TABLE run_usage ADD CONSTRAINT run_usage_pkey PRIMARY KEY (run_id, model, hour, usage_from)`,
];

/** What was counted from several sources stays. */
const down = [
  'ALTER TABLE usage_sources ADD COLUMN usage_from text',
  'ALTER TABLE usage_sources ADD COLUMN since timestamptz NOT NULL DEFAULT now()',
  `UPDATE usage_sources SET usage_from = CASE WHEN spans_since IS NOT NULL THEN 'spans'
    WHEN metrics_since IS NOT NULL THEN 'metrics' ELSE 'reports' END`,
  'ALTER TABLE usage_sources ALTER COLUMN usage_from SET NOT NULL',
  `ALTER TABLE usage_sources ADD CONSTRAINT usage_sources_usage_from_check CHECK (usage_from IN ('reports', 'metrics', 'spans'))`,
  'ALTER TABLE usage_sources DROP COLUMN reports_since, DROP COLUMN metrics_since, DROP COLUMN spans_since',
  'DROP TABLE usage_choices',
  'ALTER TABLE agents DROP COLUMN usage_from',
];

export class ChooseUsageSources1790010000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
