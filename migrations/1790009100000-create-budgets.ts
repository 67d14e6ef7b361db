import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits of what agents may use, and the runs that have come near the limit of one. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE budgets (
    id uuid CONSTRAINT budgets_pkey PRIMARY KEY,
    project_id uuid NOT NULL CONSTRAINT budgets_project_fkey REFERENCES projects (id) ON DELETE CASCADE,
    agent_id uuid CONSTRAINT budgets_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    label jsonb,
    name text NOT NULL,
    period text NOT NULL,
    timezone text NOT NULL,
    limit_of text NOT NULL,
    limit_value bigint NOT NULL,
    warn_at double precision NOT NULL,
    on_exceeded text NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    state text NOT NULL DEFAULT 'ok',
    spent bigint NOT NULL DEFAULT 0,
    period_started_at timestamptz,
    resets_at timestamptz,
    pause_id uuid,
    CONSTRAINT budgets_period_check CHECK (period IN ('run', 'hour', 'day', 'month')),
    CONSTRAINT budgets_limit_of_check CHECK (limit_of IN ('usd', 'tokens', 'llm_calls', 'tool_calls', 'minutes')),
    CONSTRAINT budgets_on_exceeded_check CHECK (on_exceeded IN ('notify', 'pause', 'stop')),
    CONSTRAINT budgets_state_check CHECK (state IN ('ok', 'warning', 'exceeded')),
    CONSTRAINT budgets_scope_check CHECK (agent_id IS NULL OR label IS NULL)
  )`,
  'CREATE INDEX budgets_project_id_id_idx ON budgets (project_id, id)',
  'CREATE INDEX budgets_agent_id_idx ON budgets (agent_id)',
  `CREATE TABLE budget_runs (
    budget_id uuid NOT NULL CONSTRAINT budget_runs_budget_id_fkey REFERENCES budgets (id) ON DELETE CASCADE,
    run_id uuid NOT NULL CONSTRAINT budget_runs_run_id_fkey REFERENCES runs (id) ON DELETE CASCADE,
    state text NOT NULL,
    CONSTRAINT budget_runs_pkey PRIMARY KEY (budget_id, run_id),
    CONSTRAINT budget_runs_state_check CHECK (state IN ('ok', 'warning', 'exceeded'))
  )`,
  'CREATE INDEX budget_runs_run_id_idx ON budget_runs (run_id)',
];

const down = ['DROP TABLE budget_runs', 'DROP TABLE budgets'];

export class CreateBudgets1790009100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
