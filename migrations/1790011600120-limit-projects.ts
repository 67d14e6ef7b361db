import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits of single projects, in place of those of the installation. A row without a value is a limit that was taken away. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE project_limits (
    project_id uuid NOT NULL CONSTRAINT project_limits_project_id_fkey REFERENCES projects (id) ON DELETE CASCADE,
    kind text NOT NULL,
    maximum bigint,
    changed_at timestamptz NOT NULL,
    CONSTRAINT project_limits_pkey PRIMARY KEY (project_id, kind),
    CONSTRAINT project_limits_maximum_check CHECK (maximum >= 1)
  )`,
  'CREATE INDEX project_limits_changed_at_idx ON project_limits (changed_at)',
];

export class LimitProjects1790011600120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE project_limits');
  }
}
