import { Injectable } from '@nestjs/common';
import { lists, rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { ACTIVE_STATUSES } from '../lifecycle/deployment-lifecycle.js';
import type { RunWaitingFacts } from './run-waiting-reason.js';
import { usedUpBudgets } from './used-up-budget.js';
import { HELD, IS_FIRST_OF_SCHEDULE } from './runs.repository.js';

const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');

/**
 * The facts that any number of queued runs wait for, each agent read once. By hand: it joins the tables of features
 * below.
 *
 * @param isOnline SQL condition for an agent that is online, on its row of `agent_presence` by the alias `presence`
 */
const factsText = (isOnline: string) => `WITH agent AS MATERIALIZED (
    SELECT given.id, presence.last_seen_at, coalesce(${isOnline}, false) AS is_online,
      -- Null: there is no active deployment.
      (SELECT bool_and(deployment.is_held) FROM deployments AS deployment
        WHERE deployment.agent_id = given.id AND deployment.status IN (${ACTIVE})) AS is_paused,
      (SELECT count(*)::int FROM runs AS run WHERE run.agent_id = given.id AND run.status IN (${HELD})) AS held
      , spent.name AS budget_name, spent.resets_at AS budget_until
    FROM unnest(${lists('uuid')}) AS given (id) LEFT JOIN agent_presence AS presence ON presence.agent_id = given.id
    LEFT JOIN LATERAL (
      ${usedUpBudgets('budget.name, budget.resets_at', 'given.id')} ORDER BY budget.resets_at DESC LIMIT 1
    ) AS spent ON true
  )
  SELECT run.id AS "runId", agent.last_seen_at AS "lastSeenAt", agent.is_online AS "isOnline",
    agent.is_paused IS NOT NULL AS "hasActiveDeployment", coalesce(agent.is_paused, false) AS "isPaused", agent.held,
    agent.budget_name AS "budgetName", agent.budget_until AS "budgetUntil", NOT ${IS_FIRST_OF_SCHEDULE('run')} AS "isBehindAnother", now() AS now
  FROM runs AS run JOIN agent ON agent.id = run.agent_id WHERE run.id = ANY ((SELECT $2::uuid[])::uuid[])`;

/** Reads why runs wait. */
@Injectable()
export class RunWaitingFactsRepository {
  /**
   * Reads what decides whether queued runs may be begun, in one statement.
   *
   * @param isOnline see {@link factsText}; the same each time
   * @returns by run; without those that were removed meanwhile
   */
  async ofRuns(
    connection: Connection,
    runs: readonly { readonly id: string; readonly agentId: string }[],
    isOnline: string,
  ): Promise<ReadonlyMap<string, RunWaitingFacts>> {
    const rows = await rowsOf<RunWaitingFacts & { runId: string }>(
      connection,
      { name: 'run_waiting_facts', text: factsText(isOnline) },
      [[...new Set(runs.map(({ agentId }) => agentId))], runs.map(({ id }) => id)],
    );
    return new Map(rows.map((row) => [row.runId, row]));
  }
}
