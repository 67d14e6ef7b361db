import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Questions of agents that people decide, and the rule of a project that two people decide. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  'ALTER TABLE projects ADD COLUMN two_approvers_for text',
  `ALTER TABLE projects ADD CONSTRAINT projects_two_approvers_for_check CHECK (two_approvers_for IN ('high')) NOT VALID`,
  `CREATE TABLE approvals (
    id uuid CONSTRAINT approvals_pkey PRIMARY KEY,
    project_id uuid NOT NULL,
    agent_id uuid NOT NULL CONSTRAINT approvals_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    run_id uuid CONSTRAINT approvals_run_id_fkey REFERENCES runs (id) ON DELETE SET NULL,
    approval_key text NOT NULL,
    title text NOT NULL,
    description text,
    action_name text NOT NULL,
    args jsonb,
    args_sha256 text NOT NULL,
    risk text NOT NULL,
    allowed_decisions text[] NOT NULL,
    state text NOT NULL DEFAULT 'pending',
    first_approved_by text,
    decided_by text,
    reason text,
    edited_args jsonb,
    response text,
    requested_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    decided_at timestamptz,
    fetched_at timestamptz,
    CONSTRAINT approvals_risk_check CHECK (risk IN ('low', 'medium', 'high')),
    CONSTRAINT approvals_state_check
      CHECK (state IN ('pending', 'approved', 'edited', 'rejected', 'responded', 'expired', 'withdrawn')),
    CONSTRAINT approvals_decided_check CHECK ((state = 'pending') = (decided_at IS NULL)),
    CONSTRAINT approvals_fetched_check CHECK (fetched_at IS NULL OR decided_at IS NOT NULL)
  )`,
  'CREATE UNIQUE INDEX approvals_agent_id_approval_key_idx ON approvals (agent_id, approval_key)',
  `CREATE INDEX approvals_project_id_decided_id_idx ON approvals (project_id, (state <> 'pending'), id)`,
  'CREATE INDEX approvals_run_id_idx ON approvals (run_id)',
  `CREATE INDEX approvals_pending_project_id_id_idx ON approvals (project_id, id) WHERE state = 'pending'`,
  `CREATE INDEX approvals_pending_agent_id_idx ON approvals (agent_id) WHERE state = 'pending'`,
  `CREATE INDEX approvals_pending_expires_at_idx ON approvals (expires_at) WHERE state = 'pending'`,
  `CREATE INDEX approvals_open_agent_id_id_idx ON approvals (agent_id, id) WHERE fetched_at IS NULL AND state <> 'withdrawn'`,
  'CREATE INDEX approvals_decided_at_idx ON approvals (decided_at) WHERE decided_at IS NOT NULL',
];

const down = [
  'DROP TABLE approvals',
  'ALTER TABLE projects DROP CONSTRAINT projects_two_approvers_for_check',
  'ALTER TABLE projects DROP COLUMN two_approvers_for',
];

export class CreateApprovals1790010300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
