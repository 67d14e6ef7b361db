import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many agents of a project were online, by the hour: presence itself has no history. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE agents_online_hourly (
    project_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    online integer NOT NULL,
    CONSTRAINT agents_online_hourly_pkey PRIMARY KEY (project_id, hour)
  )`,
  'CREATE INDEX agents_online_hourly_hour_idx ON agents_online_hourly (hour)',
];

export class CountOnlineAgents1790011200110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE agents_online_hourly');
  }
}
