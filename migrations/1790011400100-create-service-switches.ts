import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Switches that operators turn while the service runs. A row is a switch that is on, or was on until `ends_at`. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE service_switches (
    name text NOT NULL CONSTRAINT service_switches_pkey PRIMARY KEY,
    value text NOT NULL,
    ends_at timestamptz,
    set_by text NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now()
  )`,
];

export class CreateServiceSwitches1790011400100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE service_switches');
  }
}
