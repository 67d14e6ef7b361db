import { Injectable } from '@nestjs/common';
import { CLOCK } from '../database/clock.js';
import { rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.js';
import type { WorkloadSummary } from '../lifecycle/agent-health.js';
import { withWorkload } from './agent-copies.repository.js';
import { AgentEntity } from './agent.entity.js';

/** Writes what the row of an agent says of pauses. The transaction has locked it. */
@Injectable()
export class HeldAgentsRepository {
  /** An agent that is paused already keeps its times: another pause holds it, or holds it alone now. */
  async hold(tx: Transaction, agentId: string, { workload, workloadReason }: WorkloadSummary): Promise<void> {
    await rowsOf(
      tx,
      withWorkload(
        `UPDATE agents SET paused_at = coalesce(paused_at, clock.at), workload = $2, workload_reason = $3
         FROM ${CLOCK} WHERE id = $1`,
      ),
      [agentId, workload, workloadReason],
    );
  }

  async release(tx: Transaction, agentId: string): Promise<void> {
    await tx.getRepository(AgentEntity).update({ id: agentId }, { pausedAt: null, pauseConfirmedAt: null });
  }
}
