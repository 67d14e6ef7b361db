import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `ALTER TABLE deployments
    ADD COLUMN ready_generation integer,
    ADD COLUMN restart_count integer NOT NULL DEFAULT 0,
    ADD COLUMN recent_restarts jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN last_restart_at timestamptz,
    ADD COLUMN restart_pace text,
    ADD COLUMN last_exit jsonb,
    ADD CONSTRAINT deployments_restart_pace_check CHECK (restart_pace IN ('frequent', 'crash_looping'))`,
  `CREATE INDEX deployments_restart_pace_last_restart_at_idx ON deployments (last_restart_at)
    WHERE restart_pace IS NOT NULL`,
  `ALTER TABLE agents
    ADD COLUMN workload text NOT NULL DEFAULT 'idle',
    ADD COLUMN workload_reason text NOT NULL DEFAULT 'Nothing is meant to run',
    ADD CONSTRAINT agents_workload_check
      CHECK (workload IN ('idle', 'ready', 'progressing', 'degraded', 'crash_looping', 'lost', 'failed'))`,
  'CREATE INDEX agents_user_id_workload_id_idx ON agents (user_id, workload, id)',
];

const DOWN = [
  'DROP INDEX agents_user_id_workload_id_idx',
  `ALTER TABLE agents DROP CONSTRAINT agents_workload_check, DROP COLUMN workload_reason, DROP COLUMN workload`,
  'DROP INDEX deployments_restart_pace_last_restart_at_idx',
  `ALTER TABLE deployments
    DROP CONSTRAINT deployments_restart_pace_check,
    DROP COLUMN last_exit,
    DROP COLUMN restart_pace,
    DROP COLUMN last_restart_at,
    DROP COLUMN recent_restarts,
    DROP COLUMN restart_count,
    DROP COLUMN ready_generation`,
];

/** The facts of an agent's health: restarts of deployments, and the sum of its deployments with each agent. */
export class KeepHealth1790001110000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
