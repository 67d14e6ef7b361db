import { lists, type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.js';

/**
 * SQL for what `agent_search` and `agent_presence` repeat of an agent. A statement that changes such a column of
 * `agents` writes the copy, too. The transaction has locked the agent's row in an earlier statement, so the copy that
 * is compared is the newest, and two changes of an agent write its copies one after the other. Triggers are not used:
 * where an engine spreads tables over servers, a trigger does not find the other table (decision 0108).
 */

/** The columns of `agent_search` for a row of `agents` with the alias `agent`. */
const SEARCHED = `agent.id AS agent_id, agent.user_id, lower(agent.name) AS name,
  lower(concat_ws(E'\\n', agent.name, agent.description, agent.type, agent.hostname)) AS content,
  ARRAY[agent.user_id::text, 'type:' || agent.type]
    || ARRAY(SELECT 'label:' || key || ':' || value FROM jsonb_each_text(agent.labels)) AS terms`;

/** SQL that inserts the row of `agent_search` for each row of `agents` in a table or a query of WITH. */
export function insertSearched(source: string): string {
  return `INSERT INTO agent_search (agent_id, user_id, name, content, terms) SELECT ${SEARCHED} FROM ${source} AS agent`;
}

/**
 * An UPDATE of `agents` together with that of `agent_search`, which is written only where it differs.
 *
 * @param update SQL that ends before RETURNING; its agents are not being removed
 * @param table its name or alias for `agents`
 */
export function withSearched(update: string, table = 'agents'): string {
  return `WITH changed AS (${update} RETURNING ${table}.*)
    UPDATE agent_search AS search
    SET user_id = next.user_id, name = next.name, content = next.content, terms = next.terms
    FROM (SELECT ${SEARCHED} FROM changed AS agent) AS next
    WHERE search.agent_id = next.agent_id AND (search.user_id, search.name, search.content, search.terms)
      IS DISTINCT FROM (next.user_id, next.name, next.content, next.terms)`;
}

/** Runs an UPDATE of TypeORM as {@link withSearched} describes it. */
export async function updateSearched(
  tx: Transaction,
  update: { getQueryAndParameters(): [string, unknown[]] },
): Promise<void> {
  const [text, parameters] = update.getQueryAndParameters();
  await rowsOf(tx, withSearched(text), parameters);
}

/** An UPDATE of the workload of `agents` together with that of `agent_presence`. @param update SQL that ends before RETURNING */
export function withWorkload(update: string): string {
  return `WITH changed AS (${update} RETURNING agents.id, agents.workload)
    UPDATE agent_presence AS presence SET workload = changed.workload
    FROM changed WHERE presence.agent_id = changed.id AND presence.workload <> changed.workload`;
}

const DELETE_COPIES: PreparedStatement = {
  name: 'delete_copies_of_agents',
  text: `WITH searched AS (DELETE FROM agent_search WHERE agent_id = ANY (${lists('uuid')}::uuid[]))
    DELETE FROM agent_presence WHERE agent_id = ANY (${lists('uuid')}::uuid[])`,
};

/** Deletes the copies of agents whose removal begins: no search, count or heartbeat finds them from now on. */
export async function deleteCopies(tx: Transaction, agentIds: readonly string[]): Promise<void> {
  await rowsOf(tx, DELETE_COPIES, [agentIds]);
}
