import { Injectable } from '@nestjs/common';
import { rowsOf, rowsOfPrepared, type PreparedStatement } from '../database/sql.js';
import type { Transaction } from '../database/transaction.js';
import type { WorkloadSummary } from '../lifecycle/agent-health.js';
import { AgentEntity } from './agent.entity.js';

/** By hand: the table of commands belongs to a feature below. */
const CONFIRM: PreparedStatement = {
  name: 'confirm_pause',
  text: `UPDATE agents SET pause_confirmed_at = now()
    WHERE id = $1 AND paused_at IS NOT NULL AND pause_confirmed_at IS NULL
      AND NOT EXISTS (SELECT FROM commands WHERE agent_id = $1 AND settled_at IS NULL)`,
};

/** Writes what the row of an agent says of pauses. The transaction has locked it. */
@Injectable()
export class HeldAgentsRepository {
  /** An agent that is paused already keeps its times: another pause holds it, or holds it alone now. */
  async hold(tx: Transaction, agentId: string, { workload, workloadReason }: WorkloadSummary): Promise<void> {
    await rowsOf(
      tx,
      `UPDATE agents SET paused_at = coalesce(paused_at, now()), workload = $2, workload_reason = $3
       WHERE id = $1`,
      [agentId, workload, workloadReason],
    );
  }

  async release(tx: Transaction, agentId: string): Promise<void> {
    await tx.getRepository(AgentEntity).update({ id: agentId }, { pausedAt: null, pauseConfirmedAt: null });
  }

  /** Notes that the runtime has acknowledged all commands. Changes nothing while one waits, or no pause holds the agent. */
  async confirm(tx: Transaction, agentId: string): Promise<void> {
    await rowsOfPrepared(tx, CONFIRM, [agentId]);
  }
}
