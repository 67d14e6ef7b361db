import type { TestApp } from '../harness/test-app.js';
import { createAgent, deploy } from './agents.js';
import { type Person, registerPerson } from './people.js';

/** More than any list shows by default, fewer than the longest page of those that accumulate. */
export const FILLED = 120;

export interface FilledLists {
  readonly operator: Person;
  /** Of each list's operation: where {@link FILLED} items and no more are to be found. */
  readonly pathOf: Readonly<Record<string, string>>;
}

/** Fills every list there is: one item as the service makes it, and copies of that. A new list needs a line here. */
export async function fillLists(app: TestApp): Promise<FilledLists> {
  const operator = await registerPerson(app);
  const agent = await createAgent(app, operator);
  const deploymentId = await deploy(operator, agent);
  await agent.runtime.post('/agents/logs', { level: 'info', message: 'x' });
  await agent.runtime.post('/agents/metrics', { cpu_usage: 1 });

  const copy = (table: string, changes: string) => copyRow(app, table, changes);
  await copy('users', `'email', n || '@example.com'`);
  await copyRow(app, 'agents', `'name', 'a' || n`, 'agent_presence');
  await copy('deployments', `'status', 'killed'`);
  await copy('deployment_events', `'sequence', n + 1`);
  await app.database.query('UPDATE deployments SET last_sequence = $2 WHERE id = $1', [deploymentId, FILLED]);
  await copy('commands', `'sequence', n + 1, 'state', 'succeeded', 'settled_at', now()`);
  // Many of one moment: their order must hold all the same.
  const moment = `'timestamp', copied."timestamp" - n / 10 * interval '1 second'`;
  await copy('agent_logs', moment);
  await copy('agent_metrics', moment);
  return {
    operator,
    pathOf: {
      listUsers: '/users',
      listAgents: '/agents',
      listAgentLogs: `/agents/${agent.id}/logs`,
      listAgentMetrics: `/agents/${agent.id}/metrics`,
      listDeployments: '/deployments',
      listDeploymentEvents: `/deployments/${deploymentId}/events`,
      listDeploymentCommands: `/deployments/${deploymentId}/commands`,
      listDeploymentLogs: `/deployments/${deploymentId}/logs`,
      listDeploymentMetrics: `/deployments/${deploymentId}/metrics`,
    },
  };
}

/**
 * Copies the table's only row until there are {@link FILLED}, each with an id of its own.
 *
 * @param changes arguments of `jsonb_build_object`; `n` counts the copies, `copied` is the row
 * @param companion a table that has a row for each of the first one's, under `agent_id`
 */
async function copyRow(app: TestApp, table: string, changes: string, companion?: string): Promise<void> {
  const copies = (from: string, more: string) =>
    `SELECT (jsonb_populate_record(copied, jsonb_build_object(${more}))).* FROM ${from}`;
  const source = `(SELECT * FROM ${table} LIMIT 1) AS copied, generate_series(1, ${FILLED - 1}) AS n`;
  const insert = `INSERT INTO ${table} ${copies(source, `'id', uuidv7(), ${changes}`)}`;
  await app.database.query(
    companion
      ? `WITH made AS (${insert} RETURNING id)
         INSERT INTO ${companion} ${copies(`(SELECT * FROM ${companion} LIMIT 1) AS copied, made`, `'agent_id', made.id`)}`
      : insert,
  );
}
