import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pauses, the agents that each of them holds, and what the rows of agents and deployments say of it. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE pauses (
    id uuid CONSTRAINT pauses_pkey PRIMARY KEY,
    project_id uuid NOT NULL CONSTRAINT pauses_project_fkey REFERENCES projects (id) ON DELETE CASCADE,
    by text NOT NULL,
    agent_id uuid,
    label text,
    type text,
    budget_id uuid,
    reason text,
    runs text NOT NULL,
    actor text NOT NULL,
    agents integer NOT NULL,
    is_settled boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    ended_by text,
    CONSTRAINT pauses_by_check CHECK (by IN ('user', 'budget')),
    CONSTRAINT pauses_runs_check CHECK (runs IN ('finish', 'cancel')),
    CONSTRAINT pauses_budget_id_check CHECK ((by = 'budget') = (budget_id IS NOT NULL))
  )`,
  'CREATE INDEX pauses_project_id_id_idx ON pauses (project_id, id)',
  'CREATE INDEX pauses_unsettled_idx ON pauses (id) WHERE NOT is_settled',
  'CREATE INDEX pauses_ended_at_idx ON pauses (ended_at) WHERE ended_at IS NOT NULL',
  `CREATE TABLE agent_pauses (
    agent_id uuid NOT NULL CONSTRAINT agent_pauses_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    pause_id uuid NOT NULL CONSTRAINT agent_pauses_pause_id_fkey REFERENCES pauses (id) ON DELETE CASCADE,
    applied_at timestamptz,
    CONSTRAINT agent_pauses_pkey PRIMARY KEY (agent_id, pause_id)
  )`,
  'CREATE INDEX agent_pauses_pause_id_agent_id_idx ON agent_pauses (pause_id, agent_id)',
  `ALTER TABLE deployments ADD COLUMN is_held boolean NOT NULL DEFAULT false`,
  `ALTER TABLE agents
    ADD COLUMN paused_at timestamptz,
    ADD COLUMN pause_confirmed_at timestamptz,
    DROP CONSTRAINT agents_workload_check,
    ADD CONSTRAINT agents_workload_check
      CHECK (workload IN ('idle', 'ready', 'progressing', 'degraded', 'crash_looping', 'lost', 'failed', 'paused')) NOT VALID`,
];

const down = [
  `UPDATE agents SET workload = 'idle' WHERE workload = 'paused'`,
  `ALTER TABLE agents
    DROP CONSTRAINT agents_workload_check,
    ADD CONSTRAINT agents_workload_check
      CHECK (workload IN ('idle', 'ready', 'progressing', 'degraded', 'crash_looping', 'lost', 'failed')),
    DROP COLUMN pause_confirmed_at,
    DROP COLUMN paused_at`,
  'ALTER TABLE deployments DROP COLUMN is_held',
  'DROP TABLE agent_pauses',
  'DROP TABLE pauses',
];

export class CreatePauses1790009200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
