import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Numbered config versions, labels, and deployments that replace others. No config could be changed before, so what each
 * agent has is its version 1, and each deployment was made with it.
 */
const STATEMENTS = [
  `CREATE TABLE agent_configs (
    agent_id uuid NOT NULL CONSTRAINT agent_configs_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    config_version integer NOT NULL CONSTRAINT agent_configs_config_version_check CHECK (config_version >= 1),
    config text NOT NULL,
    actor text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT agent_configs_pkey PRIMARY KEY (agent_id, config_version)
  )`,
  `INSERT INTO agent_configs (agent_id, config_version, config, actor, created_at)
   SELECT id, 1, config, 'user:' || user_id, created_at FROM agents`,
  `ALTER TABLE agents DROP COLUMN config,
    ADD COLUMN config_version integer NOT NULL DEFAULT 1,
    ADD COLUMN labels jsonb NOT NULL DEFAULT '{}'`,
  `ALTER TABLE deployments
    ADD COLUMN config_version integer NOT NULL DEFAULT 1,
    ADD COLUMN replaces text NOT NULL DEFAULT 'none'
      CONSTRAINT deployments_replaces_check CHECK (replaces IN ('none', 'active'))`,
];

const UNDO = [
  'ALTER TABLE deployments DROP COLUMN replaces, DROP COLUMN config_version',
  `ALTER TABLE agents ADD COLUMN config text NOT NULL DEFAULT '{}'`,
  `UPDATE agents SET config = current.config FROM agent_configs AS current
   WHERE current.agent_id = agents.id AND current.config_version = agents.config_version`,
  `ALTER TABLE agents ALTER COLUMN config DROP DEFAULT, DROP COLUMN labels, DROP COLUMN config_version`,
  'DROP TABLE agent_configs',
];

export class CreateAgentConfigs1790001400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of UNDO) await runner.query(statement);
  }
}
