import type { Invariant } from '../invariant.types.js';

/** A column that refers to a row of another table, with or without a foreign key. */
export interface Relation {
  readonly table: string;
  readonly column: string;
  readonly parent: string;
  /**
   * True if the table has too many rows to read all: only the distinct values of the column are looked up, in its
   * index.
   */
  readonly isBulk?: true;
  /** True if the table is telemetry's, and may be in another database than its parent. */
  readonly isTelemetry?: true;
}

/** Every relation of the schema. A test compares it with the constraints of the database. */
export const RELATIONS: readonly Relation[] = [
  { table: 'agents', column: 'user_id', parent: 'projects' },
  { table: 'agent_configs', column: 'agent_id', parent: 'agents' },
  { table: 'agent_presence', column: 'agent_id', parent: 'agents' },
  { table: 'agent_search', column: 'agent_id', parent: 'agents' },
  { table: 'api_keys', column: 'user_id', parent: 'projects' },
  { table: 'project_members', column: 'user_id', parent: 'users' },
  { table: 'project_members', column: 'project_id', parent: 'projects' },
  { table: 'project_groups', column: 'project_id', parent: 'projects' },
  { table: 'project_limits', column: 'project_id', parent: 'projects' },
  { table: 'sessions', column: 'user_id', parent: 'users' },
  { table: 'second_factors', column: 'user_id', parent: 'users' },
  { table: 'recovery_codes', column: 'user_id', parent: 'users' },
  { table: 'factor_challenges', column: 'user_id', parent: 'users' },
  { table: 'factor_challenges', column: 'session_id', parent: 'sessions' },
  { table: 'identities', column: 'user_id', parent: 'users' },
  { table: 'password_links', column: 'user_id', parent: 'users' },
  { table: 'api_keys', column: 'agent_id', parent: 'agents' },
  { table: 'deployments', column: 'agent_id', parent: 'agents' },
  { table: 'deployments', column: 'user_id', parent: 'projects' },
  { table: 'commands', column: 'agent_id', parent: 'agents' },
  { table: 'commands', column: 'deployment_id', parent: 'deployments' },
  { table: 'runs', column: 'agent_id', parent: 'agents' },
  { table: 'runs', column: 'deployment_id', parent: 'deployments' },
  { table: 'schedules', column: 'agent_id', parent: 'agents' },
  { table: 'pauses', column: 'project_id', parent: 'projects' },
  { table: 'agent_pauses', column: 'agent_id', parent: 'agents' },
  { table: 'agent_pauses', column: 'pause_id', parent: 'pauses' },
  { table: 'run_events', column: 'run_id', parent: 'runs', isBulk: true },
  { table: 'run_usage', column: 'run_id', parent: 'runs', isBulk: true },
  { table: 'run_tool_calls', column: 'run_id', parent: 'runs', isBulk: true },
  { table: 'usage_series', column: 'agent_id', parent: 'agents' },
  { table: 'approvals', column: 'agent_id', parent: 'agents' },
  { table: 'approvals', column: 'run_id', parent: 'runs' },
  { table: 'budgets', column: 'project_id', parent: 'projects' },
  { table: 'budgets', column: 'agent_id', parent: 'agents' },
  { table: 'budget_runs', column: 'budget_id', parent: 'budgets' },
  { table: 'budget_runs', column: 'run_id', parent: 'runs' },
  { table: 'former_agents', column: 'project_id', parent: 'projects' },
  { table: 'agent_content_sizes', column: 'agent_id', parent: 'agents', isTelemetry: true },
  { table: 'usage_choices', column: 'agent_id', parent: 'agents' },
  { table: 'usage_sources', column: 'agent_id', parent: 'agents' },
  { table: 'user_event_counters', column: 'user_id', parent: 'projects' },
  { table: 'webhooks', column: 'user_id', parent: 'projects' },
  { table: 'webhook_deliveries', column: 'webhook_id', parent: 'webhooks', isBulk: true },
  // No foreign key: events outlive their agent and deployment, but never their project.
  { table: 'deployment_events', column: 'user_id', parent: 'projects', isBulk: true },
  // No foreign key: logs are purged in the background while the agent's row still exists.
  { table: 'agent_logs', column: 'agent_id', parent: 'agents', isBulk: true, isTelemetry: true },
  { table: 'agent_log_positions', column: 'agent_id', parent: 'agents', isTelemetry: true },
  { table: 'agent_metrics', column: 'agent_id', parent: 'agents', isBulk: true, isTelemetry: true },
  { table: 'agent_spans', column: 'agent_id', parent: 'agents', isBulk: true, isTelemetry: true },
  { table: 'agent_span_contents', column: 'agent_id', parent: 'agents', isBulk: true, isTelemetry: true },
  { table: 'telemetry_batches', column: 'agent_id', parent: 'agents', isBulk: true, isTelemetry: true },
];

/** The distinct values of an indexed column, with one index look-up for each instead of a scan of all rows. */
const distinct = ({ table, column }: Relation) => `WITH RECURSIVE seen (value) AS (
    (SELECT ${column} FROM ${table} ORDER BY ${column} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${column} FROM ${table} WHERE ${column} > seen.value ORDER BY ${column} LIMIT 1)
    FROM seen WHERE seen.value IS NOT NULL
  ) SELECT value AS id FROM seen`;

function orphans(relation: Relation): Invariant {
  const { table, column, parent, isBulk, isTelemetry } = relation;
  const values = isBulk ? distinct(relation) : `SELECT ${column} AS id FROM ${table}`;
  return {
    name: `${table}-${column}-exists`.replaceAll('_', '-'),
    sentence: `Each ${column} in ${table} is that of a row in ${parent}.`,
    statement: `SELECT DISTINCT child.id FROM (${values}) AS child
      WHERE child.id IS NOT NULL AND NOT EXISTS (SELECT FROM ${parent} WHERE ${parent}.id = child.id)`,
    ...(isTelemetry && {
      telemetry: {
        keys: `SELECT DISTINCT id::text AS key FROM (${values}) AS child WHERE id IS NOT NULL`,
        offenders: `SELECT key AS id FROM unnest($1::text[]) AS child (key)
          WHERE NOT EXISTS (SELECT FROM ${parent} WHERE ${parent}.id = key::uuid)`,
      },
    }),
  };
}

/** An invariant: whatever names its run, while the run is kept, is of the run's agent. */
export function ofOwnRuns(name: string, sentence: string, table: string): Invariant {
  return {
    name,
    sentence,
    statement: `SELECT DISTINCT run.id FROM ${table} AS entry JOIN runs AS run ON run.id = entry.run_id
      WHERE entry.run_id IS NOT NULL AND run.agent_id <> entry.agent_id`,
    telemetry: {
      keys: `SELECT DISTINCT run_id || ' ' || agent_id AS key FROM ${table} WHERE run_id IS NOT NULL`,
      offenders: `SELECT DISTINCT run.id FROM unnest($1::text[]) AS entry (key) JOIN runs AS run ON run.id = left(key, 36)::uuid
        WHERE run.agent_id <> right(key, 36)::uuid`,
    },
  };
}

export const RELATION_INVARIANTS: readonly Invariant[] = [
  ...RELATIONS.map(orphans),
  {
    name: 'deployments-of-the-owner',
    sentence: "A deployment belongs to its agent's project.",
    statement: `SELECT deployment.id FROM deployments AS deployment JOIN agents AS agent ON agent.id = agent_id
      WHERE deployment.user_id <> agent.user_id`,
  },
  {
    name: 'copies-of-the-owner',
    sentence:
      "The project beside an agent's presence, its commands and what searches read of it is the agent's.",
    statement: `SELECT copy.agent_id AS id FROM (
        SELECT agent_id, user_id FROM agent_presence
        UNION ALL SELECT agent_id, user_id FROM agent_search
        UNION ALL SELECT agent_id, user_id FROM commands
      ) AS copy JOIN agents AS agent ON agent.id = copy.agent_id
      WHERE copy.user_id <> agent.user_id`,
  },
  {
    name: 'log-lines-are-counted',
    sentence: "No line of an agent's log has a number beyond the count of its lines.",
    statement: `SELECT known.agent_id AS id FROM agent_log_positions AS known WHERE EXISTS (
        SELECT FROM agent_logs AS line WHERE line.agent_id = known.agent_id AND line.position > known.last_position)`,
    telemetry: 'alone',
  },
  {
    name: 'keys-of-the-owner',
    sentence: "An agent's key belongs to the agent's user.",
    statement: `SELECT api_key.id FROM api_keys AS api_key JOIN agents AS agent ON agent.id = agent_id
      WHERE api_key.user_id <> agent.user_id`,
  },
];
