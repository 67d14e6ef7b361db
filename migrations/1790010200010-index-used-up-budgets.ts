import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A claim for an agent with queued runs looks for the budgets that keep them from being begun. */
const up = [
  'SET lock_timeout = 0',
  'DROP INDEX CONCURRENTLY IF EXISTS budgets_exceeded_project_id_idx',
  `CREATE INDEX CONCURRENTLY IF NOT EXISTS budgets_exceeded_project_id_idx ON budgets (project_id) WHERE state = 'exceeded'`,
];

const down = ['DROP INDEX budgets_exceeded_project_id_idx'];

export class IndexUsedUpBudgets1790010200010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
