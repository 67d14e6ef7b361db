import type { TestApp } from '../harness/test-app.js';
import { giveBelongings } from './belongings.js';
import { until } from '../harness/until.js';
import { type Person, registerOperator } from './people.js';

/** More than the default page of any list, fewer than the longest page of lists that accumulate. */
export const FILLED = 120;

export interface FilledLists {
  readonly operator: Person;
  /** Path by operation of a list; each holds exactly {@link FILLED} items. */
  readonly pathOf: Readonly<Record<string, string>>;
}

/** Fills every list: one item is created by the service, the others are copies. A new list needs a line here. */
export async function fillLists(app: TestApp): Promise<FilledLists> {
  const operator = await registerOperator(app);
  const { agent, ids } = await giveBelongings(app, operator);
  await agent.runtime.post('/agents/logs', { level: 'info', message: 'x', run_id: ids.run_id });
  await agent.runtime.post('/agents/metrics', { cpu_usage: 1 });

  const copy = (table: string, changes: string) => copyRow(app, table, changes);
  await copy('sessions', `'user_agent', n`);
  await copy('users', `'email', n || '@example.com'`);
  await fillProjects(app, operator, ids.project_id!);
  await copy('agent_configs', `'config_version', n + 1`);
  await copyRow(app, 'agents', `'name', 'a' || n`, ['agent_presence', 'agent_search', 'agent_configs']);
  await copy('deployments', `'status', 'killed'`);
  await copy('deployment_events', `'sequence', n + 1, 'user_sequence', n + 1`);
  await app.database.query('UPDATE deployments SET last_sequence = $2 WHERE id = $1', [
    ids.deployment_id,
    FILLED,
  ]);
  await copy('runs', `'trace_id', md5(n::text)`);
  // The run has two already: it was asked for, and taken.
  await app.database.query('DELETE FROM run_events WHERE sequence > 1');
  await copy('run_events', `'sequence', n + 1`);
  await app.database.query('UPDATE runs SET last_sequence = $2 WHERE id = $1', [ids.run_id, FILLED]);
  await copy('schedules', `'name', 's' || n`);
  await copy('budgets', `'name', 'b' || n`);
  // Two exist already.
  await app.database.query('DELETE FROM approvals WHERE run_id IS NOT NULL');
  await copy('approvals', `'approval_key', 'a' || n`);
  await copy('pauses', `'reason', 'r' || n`);
  await copy('commands', `'sequence', n + 1, 'state', 'succeeded', 'settled_at', now()`);
  // Two keys exist already: the agent's own, and the person's.
  await app.database.query('DELETE FROM api_keys WHERE agent_id IS NULL');
  await copy('api_keys', `'name', 'k' || n`);
  await copy('leads', `'email', n || '@example.com'`);
  await copy('model_prices', `'model', 'm' || n`);
  await copy('webhooks', `'description', n`);
  // The webhook already has messages about the agent and its deployment.
  await app.database.query("DELETE FROM webhook_deliveries WHERE event <> 'webhook.test'");
  await copy('webhook_deliveries', `'attempts', 1`);
  // Only the owner of the table can delete from the audit log.
  await app.database.query('ALTER TABLE audit_log DISABLE TRIGGER USER');
  await app.database.query(
    'DELETE FROM audit_log WHERE id <> (SELECT id FROM audit_log ORDER BY id LIMIT 1)',
  );
  await copy('audit_log', `'request_id', 'copy ' || n`);
  // From here on the log takes no entry: an operator's reading of some lists is one.
  await app.database.query(`
    CREATE FUNCTION take_no_entry() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER take_no_entry BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION take_no_entry()`);
  // Several items of one moment: their order must still be the same.
  const moment = `'timestamp', copied."timestamp" - n / 10 * interval '1 second'`;
  await copy('agent_logs', moment);
  await copy('agent_metrics', moment);
  return {
    operator,
    pathOf: {
      listUsers: '/users',
      listProjects: '/projects',
      listProjectMembers: `/projects/${ids.project_id}/members`,
      listSessions: '/auth/sessions',
      listApiKeys: '/api-keys',
      listLeads: '/leads',
      listModelPrices: '/model-prices',
      listWebhooks: '/webhooks',
      listAuditEntries: '/audit',
      listWebhookDeliveries: `/webhooks/${ids.webhook_id}/deliveries`,
      listAgents: '/agents',
      listAgentConfigs: `/agents/${agent.id}/configs`,
      listAgentLogs: `/agents/${agent.id}/logs`,
      listLogs: '/logs',
      listAgentMetrics: `/agents/${agent.id}/metrics`,
      listDeployments: '/deployments',
      listRuns: '/runs',
      listRunLogs: `/runs/${ids.run_id}/logs`,
      listSchedules: '/schedules',
      listBudgets: '/budgets',
      listApprovals: '/approvals',
      listPauses: '/pauses',
      listRunEvents: `/runs/${ids.run_id}/events`,
      listDeploymentEvents: `/deployments/${ids.deployment_id}/events`,
      listDeploymentCommands: `/deployments/${ids.deployment_id}/commands`,
      listDeploymentLogs: `/deployments/${ids.deployment_id}/logs`,
      listDeploymentMetrics: `/deployments/${ids.deployment_id}/metrics`,
    },
  };
}

/** Makes everybody a member of a project, and its owner an owner of so many. */
async function fillProjects(app: TestApp, owner: Person, projectId: string): Promise<void> {
  await app.database.query(
    `WITH made AS (
       INSERT INTO projects (id, name, is_personal, created_by)
       SELECT make_uuidv7(), 'p' || n, false, $1 FROM generate_series(1, ${FILLED - 2}) AS n RETURNING id
     )
     INSERT INTO project_members (user_id, project_id, source, role)
     SELECT $1, id, 'direct', 'owner' FROM made
     UNION ALL SELECT id, $2, 'direct', 'viewer' FROM users WHERE id <> $1`,
    [owner.id, projectId],
  );
  await app.database.query(`SELECT pg_notify('revoked', 'memberships:' || $1)`, [owner.id]);
  await until(async () => {
    const { headers } = await owner.api.get('/projects?include_total=true');
    return headers.get('x-total-count') === `${FILLED}`;
  });
}

/**
 * Copies the table's only row until there are {@link FILLED}, each with its own id.
 *
 * @param changes arguments of `jsonb_build_object`; `n` counts the copies, `copied` is the row
 * @param companions tables with a row for each of the first one's, under `agent_id`
 */
async function copyRow(
  app: TestApp,
  table: string,
  changes: string,
  companions: readonly string[] = [],
): Promise<void> {
  const copies = (target: string, from: string, more: string) =>
    `INSERT INTO ${target}
     SELECT (jsonb_populate_record(NULL::${target}, to_jsonb(copied) || jsonb_build_object(${more}))).* FROM ${from}`;
  const rowOf = (source: string) => `(SELECT * FROM ${source} LIMIT 1) AS copied`;
  const times = `generate_series(1, ${FILLED - 1}) AS n`;
  const insert = copies(table, `${rowOf(table)}, ${times}`, `'id', make_uuidv7(), ${changes}`);
  const beside = companions.map(
    (companion) =>
      `${companion}_made AS (${copies(companion, `${rowOf(companion)}, made`, `'agent_id', made.id`)})`,
  );
  await app.database.query(
    companions.length > 0 ? `WITH made AS (${insert} RETURNING id), ${beside.join(', ')} SELECT` : insert,
  );
}
