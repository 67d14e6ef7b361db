import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Content of spans, which agents may keep: sealed, and partitioned by day as the spans are. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE agent_span_contents (
    agent_id uuid NOT NULL,
    "timestamp" timestamptz NOT NULL,
    id uuid NOT NULL,
    content text,
    CONSTRAINT agent_span_contents_pkey PRIMARY KEY (agent_id, "timestamp", id)
  ) PARTITION BY RANGE ("timestamp")`,
  'CREATE TABLE agent_span_contents_default PARTITION OF agent_span_contents DEFAULT',
  `CREATE TABLE agent_content_sizes (
    agent_id uuid CONSTRAINT agent_content_sizes_pkey PRIMARY KEY
      CONSTRAINT agent_content_sizes_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    day date NOT NULL,
    bytes bigint NOT NULL
  )`,
  `ALTER TABLE agents ADD COLUMN capture text NOT NULL DEFAULT 'none'`,
  `ALTER TABLE agents ADD CONSTRAINT agents_capture_check CHECK (capture IN ('none', 'tools', 'all')) NOT VALID`,
];

const down = [
  'ALTER TABLE agents DROP COLUMN capture',
  'DROP TABLE agent_content_sizes',
  'DROP TABLE agent_span_contents',
];

export class KeepSpanContents1790010100020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
