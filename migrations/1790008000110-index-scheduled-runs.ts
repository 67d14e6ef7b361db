import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  // Each due time of a schedule makes one run.
  runs_schedule_id_due_at_idx: ['UNIQUE INDEX', '(schedule_id, due_at) WHERE due_at IS NOT NULL'],
  runs_schedule_id_queued_at_idx: ['INDEX', '(schedule_id, queued_at) WHERE schedule_id IS NOT NULL'],
  runs_open_schedule_id_idx: [
    'INDEX',
    `(schedule_id, queued_at, id) WHERE schedule_id IS NOT NULL AND status IN ('queued', 'running', 'waiting')`,
  ],
};

const up = [
  'SET lock_timeout = 0',
  ...Object.entries(INDEXES).flatMap(([name, [kind, definition]]) => [
    `DROP INDEX CONCURRENTLY IF EXISTS ${name}`,
    `CREATE ${kind} CONCURRENTLY IF NOT EXISTS ${name} ON runs ${definition}`,
  ]),
];

const down = Object.keys(INDEXES).map((name) => `DROP INDEX ${name}`);

export class IndexScheduledRuns1790008000110 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
