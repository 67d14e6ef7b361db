import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What agents and projects have used of their limits by the day. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE quota_uses (
    subject_id uuid NOT NULL,
    day date NOT NULL,
    kind text NOT NULL,
    project_id uuid NOT NULL,
    amount bigint NOT NULL,
    maximum bigint NOT NULL,
    exceeded_at timestamptz,
    CONSTRAINT quota_uses_pkey PRIMARY KEY (subject_id, day, kind)
  )`,
  'CREATE INDEX quota_uses_day_idx ON quota_uses (day)',
  'CREATE INDEX quota_uses_exceeded_at_idx ON quota_uses (exceeded_at) WHERE exceeded_at IS NOT NULL',
];

export class CountQuotas1790010900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE quota_uses');
  }
}
