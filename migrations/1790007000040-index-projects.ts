import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  projects_created_by_idx: '(created_by) WHERE NOT is_personal AND deleted_at IS NULL',
  projects_deleted_at_idx: '(deleted_at) WHERE deleted_at IS NOT NULL',
};

const up = [
  'SET lock_timeout = 0',
  ...Object.entries(INDEXES).flatMap(([name, definition]) => [
    `DROP INDEX CONCURRENTLY IF EXISTS ${name}`,
    `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON projects ${definition}`,
  ]),
];

const down = Object.keys(INDEXES).map((name) => `DROP INDEX ${name}`);

export class IndexProjects1790007000040 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
