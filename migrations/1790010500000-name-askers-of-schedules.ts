import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who has made or changed a schedule: where two people approve what its runs do, they are none of them. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `ALTER TABLE schedules ADD COLUMN asked_by text[] NOT NULL DEFAULT '{}'`,
];

export class NameAskersOfSchedules1790010500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE schedules DROP COLUMN asked_by');
  }
}
