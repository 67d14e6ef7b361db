import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often each run has called a tool with the same arguments and the same result, and what an agent's owner wants for a loop. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE run_tool_calls (
    run_id uuid NOT NULL CONSTRAINT run_tool_calls_run_id_fkey REFERENCES runs (id) ON DELETE CASCADE,
    fingerprint bytea NOT NULL,
    tool text,
    calls integer NOT NULL,
    last_called_at timestamptz NOT NULL DEFAULT now(),
    told_at timestamptz,
    CONSTRAINT run_tool_calls_pkey PRIMARY KEY (run_id, fingerprint)
  )`,
  'CREATE INDEX run_tool_calls_last_called_at_idx ON run_tool_calls (last_called_at) WHERE told_at IS NULL',
  'CREATE INDEX run_tool_calls_loops_idx ON run_tool_calls (run_id) WHERE told_at IS NULL AND calls >= 10',
  `ALTER TABLE agents ADD COLUMN on_loop text NOT NULL DEFAULT 'notify'`,
  `ALTER TABLE agents ADD CONSTRAINT agents_on_loop_check CHECK (on_loop IN ('notify', 'cancel')) NOT VALID`,
];

const down = ['ALTER TABLE agents DROP COLUMN on_loop', 'DROP TABLE run_tool_calls'];

export class CountToolCalls1790010100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
