import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { DeploymentEntity } from './deployment.entity.js';

/** Finds the deployments in which the monitor takes a step. */
@Injectable()
export class LivenessRepository {
  /** Lists deployments whose restarts were frequent and have stopped for a while. */
  listQuiet(
    connection: Connection,
    quietSeconds: number,
    limit: number,
  ): Promise<{ readonly id: string; readonly agentId: string }[]> {
    return (
      selectQuiet(connection, quietSeconds)
        // Random order: deployments whose step fails must not delay all others.
        .orderBy('random()')
        .limit(limit)
        .getRawMany<{ id: string; agentId: string }>()
    );
  }

  /** Checks a deployment of {@link listQuiet} again, in a transaction that has locked the agent. */
  async isStillQuiet(tx: Transaction, id: string, quietSeconds: number): Promise<boolean> {
    return (await selectQuiet(tx, quietSeconds).andWhere({ id }).getRawOne()) !== undefined;
  }

  /** Lists deployments that have been `deploying` for longer than the time limit. */
  listOverdue(
    connection: Connection,
    deadlineSeconds: number,
    limit: number,
  ): Promise<{ readonly id: string; readonly agentId: string }[]> {
    return (
      selectRows(connection, DeploymentEntity, 'deployment', ['id', 'agentId'])
        // A constant, not a parameter: PostgreSQL then uses the partial index.
        .where("deployment.status = 'deploying'")
        .andWhere('NOT deployment.isHeld')
        .andWhere('deployment.startedAt < now() - make_interval(secs => :deadlineSeconds)', {
          deadlineSeconds,
        })
        // Random order, as in `listQuiet`.
        .orderBy('random()')
        .limit(limit)
        .getRawMany<{ id: string; agentId: string }>()
    );
  }
}

function selectQuiet(connection: Connection, quietSeconds: number): SelectQueryBuilder<DeploymentEntity> {
  return selectRows(connection, DeploymentEntity, 'deployment', ['id', 'agentId'])
    .where('deployment.restartPace IS NOT NULL')
    .andWhere('deployment.lastRestartAt < now() - make_interval(secs => :quietSeconds)', { quietSeconds });
}
