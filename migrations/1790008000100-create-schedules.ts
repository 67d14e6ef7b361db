import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Schedules, and what a run of a schedule says of it. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE schedules (
    id uuid CONSTRAINT schedules_pkey PRIMARY KEY,
    agent_id uuid NOT NULL CONSTRAINT schedules_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    project_id uuid NOT NULL,
    name text,
    cron text,
    every_seconds integer,
    timezone text NOT NULL,
    anchored_at timestamptz NOT NULL,
    input jsonb,
    labels jsonb NOT NULL DEFAULT '{}',
    priority smallint NOT NULL DEFAULT 5,
    timeout_seconds integer,
    max_attempts integer NOT NULL DEFAULT 1,
    first_delay_seconds integer NOT NULL DEFAULT 0,
    retries_abandoned boolean NOT NULL DEFAULT false,
    overlap text NOT NULL,
    catch_up text NOT NULL,
    is_active boolean NOT NULL DEFAULT true,
    next_run_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT schedules_clock_check CHECK ((cron IS NULL) <> (every_seconds IS NULL)),
    CONSTRAINT schedules_overlap_check CHECK (overlap IN ('skip', 'queue', 'allow')),
    CONSTRAINT schedules_catch_up_check CHECK (catch_up IN ('none', 'one')),
    CONSTRAINT schedules_priority_check CHECK (priority BETWEEN 0 AND 9),
    CONSTRAINT schedules_next_run_at_check CHECK (is_active OR next_run_at IS NULL)
  )`,
  'CREATE INDEX schedules_project_id_id_idx ON schedules (project_id, id)',
  'CREATE INDEX schedules_agent_id_id_idx ON schedules (agent_id, id)',
  'CREATE INDEX schedules_next_run_at_idx ON schedules (next_run_at) WHERE next_run_at IS NOT NULL',
  `ALTER TABLE runs
    ADD COLUMN schedule_id uuid,
    ADD COLUMN due_at timestamptz,
    ADD COLUMN is_serial boolean NOT NULL DEFAULT false`,
];

const down = [
  'ALTER TABLE runs DROP COLUMN is_serial, DROP COLUMN due_at, DROP COLUMN schedule_id',
  'DROP TABLE schedules',
];

export class CreateSchedules1790008000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
