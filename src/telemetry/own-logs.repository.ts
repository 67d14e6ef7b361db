import { Injectable } from '@nestjs/common';
import { columnsOf } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { readStatement } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { AgentLogEntity } from './agent-log.entity.js';
import { BYTES_OF_A_LOG, isAtLeast, PLAIN_MESSAGE, SHOWN_OF_A_LOG } from './logs.repository.js';
import type { AgentSelection, LogFilter, NamedLog } from './telemetry.types.js';

const COLUMNS = columnsOf(AgentLogEntity, SHOWN_OF_A_LOG, 'entry');
const NEWEST_FIRST = '"timestamp" DESC, id DESC';

/**
 * Logs of all of an owner's agents, merged. SQL by hand: lateral joins. Entries have no owner, because one more index
 * would cost each of them at its insertion; so the newest entry of each agent is looked up, and only the agents with the
 * newest ones are read further.
 */
@Injectable()
export class OwnLogsRepository {
  /** Newest first. */
  list(
    connection: Connection,
    userId: string,
    selection: AgentSelection,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<NamedLog>> {
    const parameters = new Parameters();
    const agents = agentsOf(parameters, userId, selection);
    const entries = `agent_logs AS entry WHERE entry.agent_id = agent.id${conditionsOf(parameters, filter)}`;
    const counted = {
      text: `SELECT count(*)::int AS total FROM ${agents} JOIN LATERAL (
      SELECT FROM ${entries}) AS entry ON true`,
      parameters: [...parameters.values],
    };
    const atMost = parameters.add(request.skip + request.limit + 1);
    // No more agents than entries can be on the pages so far: those whose newest entries are the newest of all.
    const text = `
      WITH agent AS MATERIALIZED (
        SELECT agent.id, agent.name FROM ${agents} CROSS JOIN LATERAL (
          SELECT entry."timestamp", entry.id FROM ${entries} ORDER BY ${NEWEST_FIRST} LIMIT 1
        ) AS newest
        ORDER BY newest."timestamp" DESC, newest.id DESC LIMIT ${atMost}
      ), place AS MATERIALIZED (
        SELECT agent.name, entry.* FROM agent CROSS JOIN LATERAL (
          SELECT entry.agent_id, entry."timestamp", entry.id FROM ${entries} ORDER BY ${NEWEST_FIRST} LIMIT ${atMost}
        ) AS entry
        ORDER BY ${NEWEST_FIRST} LIMIT ${parameters.add(request.limit + 1)} OFFSET ${parameters.add(request.skip)}
      )
      SELECT ${COLUMNS}, place.name AS "agentName"
      FROM place JOIN agent_logs AS entry USING (agent_id, "timestamp", id)
      ORDER BY ${NEWEST_FIRST}`;
    return readStatement(connection, { text, parameters: parameters.values }, request, {
      form: BYTES_OF_A_LOG,
      count: async () => {
        const [row] = await rowsOf<{ total: number }>(connection, counted.text, counted.parameters);
        return row?.total ?? 0;
      },
    });
  }
}

class Parameters {
  readonly values: unknown[] = [];

  /** @returns its name in the statement */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

function agentsOf(parameters: Parameters, userId: string, { agentIds, labels }: AgentSelection): string {
  const conditions = [`user_id = ${parameters.add(userId)}`, `status <> 'deleting'`];
  if (agentIds) conditions.push(`id = ANY (${parameters.add(agentIds)}::uuid[])`);
  for (const label of labels ?? [])
    conditions.push(`labels @> ${parameters.add(JSON.stringify(label))}::jsonb`);
  return `(SELECT id, name FROM agents WHERE ${conditions.join(' AND ')}) AS agent`;
}

function conditionsOf(
  parameters: Parameters,
  { since, until, level, minLevel, replica, text }: LogFilter,
): string {
  const conditions = [
    since && `entry."timestamp" >= ${parameters.add(since)}::timestamptz`,
    until && `entry."timestamp" < ${parameters.add(until)}::timestamptz`,
    minLevel && isAtLeast(minLevel),
    level && `entry.level = ${parameters.add(level)}`,
    replica !== undefined && `entry.metadata -> 'replica' = to_jsonb(${parameters.add(replica)}::int)`,
    text && `strpos(lower(${PLAIN_MESSAGE}), lower(${parameters.add(text)})) > 0`,
  ];
  return conditions.flatMap((condition) => (condition ? [` AND ${condition}`] : [])).join('');
}
