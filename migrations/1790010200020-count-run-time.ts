import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The time that runs take, by the hour and by the day, as usage is counted: it belongs to the project for ever. The row of a run says
 * how much of it was counted.
 */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE run_time_hourly (
    project_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    run_ms bigint NOT NULL,
    CONSTRAINT run_time_hourly_pkey PRIMARY KEY (project_id, hour, agent_id)
  ) WITH (fillfactor = 70)`,
  'CREATE INDEX run_time_hourly_agent_id_hour_idx ON run_time_hourly (agent_id, hour)',
  'CREATE INDEX run_time_hourly_hour_idx ON run_time_hourly (hour)',
  `CREATE TABLE run_time_daily (
    project_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    day date NOT NULL,
    run_ms bigint NOT NULL,
    CONSTRAINT run_time_daily_pkey PRIMARY KEY (project_id, day, agent_id)
  ) WITH (fillfactor = 70)`,
  'CREATE INDEX run_time_daily_agent_id_day_idx ON run_time_daily (agent_id, day)',
  'CREATE INDEX run_time_daily_day_idx ON run_time_daily (day)',
  `ALTER TABLE runs
    ADD COLUMN counted_seconds double precision NOT NULL DEFAULT 0,
    ADD COLUMN counted_until timestamptz`,
];

const down = [
  'ALTER TABLE runs DROP COLUMN counted_until, DROP COLUMN counted_seconds',
  'DROP TABLE run_time_daily',
  'DROP TABLE run_time_hourly',
];

export class CountRunTime1790010200020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
