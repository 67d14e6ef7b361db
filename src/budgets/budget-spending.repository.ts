import { Injectable } from '@nestjs/common';
import { type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { ACTIVE_STATUSES } from '../lifecycle/deployment-lifecycle.js';
import type { BudgetEntity } from './budget.entity.js';
import { HELD, IS_GIVEN_OF_BUDGET, isOfBudget, SPENT_BY_RUN } from './run-amounts.js';

/** The amount that a run has spent under a budget for runs. */
export interface RunSpending {
  readonly budgetId: string;
  readonly runId: string;
  readonly agentId: string;
  readonly spent: number;
  readonly limitValue: number;
  readonly warnAt: number;
}

/** A budget that is used up, as a deploy meets it. */
type StoppingBudget = Pick<BudgetEntity, 'id' | 'name' | 'onExceeded' | 'resetsAt'>;

const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');

/** See {@link BudgetSpendingRepository.findStopping}. */
const STOPPING: PreparedStatement = {
  name: 'stopping_budget',
  text: `SELECT budget.id, budget.name, budget.on_exceeded AS "onExceeded", budget.resets_at AS "resetsAt" FROM agents AS given
    JOIN budgets AS budget ON budget.project_id = given.user_id AND ${IS_GIVEN_OF_BUDGET}
    WHERE given.id = $1 AND budget.state = 'exceeded' AND budget.period <> 'run' AND (budget.on_exceeded = 'stop'
      OR (budget.on_exceeded = 'pause' AND NOT EXISTS (SELECT FROM agent_pauses AS held
        WHERE held.agent_id = given.id AND held.pause_id = budget.pause_id AND held.applied_at IS NOT NULL)))
    ORDER BY budget.on_exceeded = 'stop' DESC, budget.resets_at DESC LIMIT 1`,
};

/** Reads who spends, and what runs have spent. By hand: it joins tables that belong to features below. */
@Injectable()
export class BudgetSpendingRepository {
  /** The amounts that these runs have spent under each of their budgets for runs. */
  readRuns(connection: Connection, runIds: readonly string[]): Promise<RunSpending[]> {
    return rowsOf<RunSpending>(
      connection,
      `SELECT budget.id AS "budgetId", run.id AS "runId", run.agent_id AS "agentId",
         budget.limit_value AS "limitValue", budget.warn_at AS "warnAt",
         ${SPENT_BY_RUN} AS spent
       FROM runs AS run JOIN budgets AS budget ON budget.project_id = run.project_id AND budget.period = 'run'
       WHERE run.id = ANY ($1::uuid[]) AND run.started_at IS NOT NULL AND ${isOfBudget('run.agent_id')}`,
      [runIds],
    );
  }

  /**
   * Runs under way that have come near a limit for runs, or past it, without a report yet, or that are still to be
   * ended.
   */
  listSpendingRuns(connection: Connection, limit: number): Promise<string[]> {
    return idsOf(
      connection,
      `SELECT DISTINCT run.id FROM budgets AS budget JOIN runs AS run ON run.project_id = budget.project_id
         AND run.status IN (${HELD}) AND run.cancel_requested_at IS NULL
         AND run.started_at IS NOT NULL AND ${isOfBudget('run.agent_id')}
       CROSS JOIN LATERAL (SELECT ${SPENT_BY_RUN} AS amount) AS used_up
       WHERE budget.period = 'run' AND amount >= budget.limit_value * budget.warn_at
         AND NOT EXISTS (SELECT FROM budget_runs AS told WHERE told.budget_id = budget.id AND told.run_id = run.id
           AND (told.state = 'exceeded' OR amount < budget.limit_value)
           AND (budget.on_exceeded = 'notify' OR amount < budget.limit_value))
       LIMIT $1`,
      [limit],
    );
  }

  /** The agents of a budget that still have an active deployment. */
  listActiveAgents(connection: Connection, id: string, limit: number): Promise<string[]> {
    return idsOf(
      connection,
      `SELECT DISTINCT deployment.agent_id AS id FROM budgets AS budget
       JOIN deployments AS deployment ON deployment.user_id = budget.project_id
         AND deployment.status IN (${ACTIVE}) AND ${isOfBudget('deployment.agent_id')}
       WHERE budget.id = $1 ORDER BY deployment.agent_id LIMIT $2`,
      [id, limit],
    );
  }

  /**
   * The used-up budgets among these that have agents to pause or to stop. By sets: each agent of each budget is
   * looked at in every round.
   */
  listLagging(connection: Connection, ids: readonly string[]): Promise<string[]> {
    return idsOf(
      connection,
      `SELECT budget.id FROM budgets AS budget JOIN agents AS given ON given.user_id = budget.project_id
         AND given.status <> 'deleting' AND ${IS_GIVEN_OF_BUDGET}
       WHERE budget.id = ANY ($1::uuid[]) AND budget.on_exceeded = 'pause'
         AND NOT EXISTS (SELECT FROM agent_pauses AS held WHERE held.agent_id = given.id AND held.pause_id = budget.pause_id)
       UNION
       SELECT budget.id FROM budgets AS budget JOIN deployments AS deployment ON deployment.user_id = budget.project_id
         AND deployment.status IN (${ACTIVE}) AND ${isOfBudget('deployment.agent_id')}
       WHERE budget.id = ANY ($1::uuid[]) AND budget.on_exceeded = 'stop'`,
      [ids],
    );
  }

  /** A budget that is used up and stops this agent, or is still to pause it; of several the one that lasts longest. */
  async findStopping(connection: Connection, agentId: string): Promise<StoppingBudget | null> {
    const [found] = await rowsOf<StoppingBudget>(connection, STOPPING, [agentId]);
    return found ?? null;
  }

  /** The agents of a budget for which runs are queued. */
  listQueuingAgents(connection: Connection, id: string): Promise<string[]> {
    return idsOf(
      connection,
      `SELECT given.id FROM budgets AS budget JOIN agents AS given ON given.user_id = budget.project_id
       WHERE budget.id = $1 AND ${IS_GIVEN_OF_BUDGET}
         AND EXISTS (SELECT FROM runs AS run WHERE run.agent_id = given.id AND run.status = 'queued')`,
      [id],
    );
  }

  /** The agents of a budget that its pause does not hold. */
  listFreeAgents(connection: Connection, id: string): Promise<string[]> {
    return idsOf(
      connection,
      `SELECT given.id FROM budgets AS budget JOIN agents AS given ON given.user_id = budget.project_id
       WHERE budget.id = $1 AND given.status <> 'deleting' AND ${IS_GIVEN_OF_BUDGET}
         AND NOT EXISTS (SELECT FROM agent_pauses AS held WHERE held.agent_id = given.id AND held.pause_id = budget.pause_id)
       ORDER BY given.id`,
      [id],
    );
  }
}

async function idsOf(
  connection: Connection,
  text: string,
  parameters: readonly unknown[],
): Promise<string[]> {
  return (await rowsOf<{ id: string }>(connection, text, [...parameters])).map(({ id }) => id);
}
