import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { OwnRetentionsRepository } from './own-retentions.repository.js';
import type { AgentWithOwnRetention, OwnRetention, RetentionKind } from './project-limit.types.js';

/**
 * For the jobs that delete: the projects that keep something for fewer days than the installation; see {@link
 * OwnRetentionsRepository}.
 */
@Injectable()
export class OwnRetentionsService {
  constructor(private readonly retentions: OwnRetentionsRepository) {}

  next(connection: Connection, kind: RetentionKind, after?: string): Promise<OwnRetention | undefined> {
    return this.retentions.next(connection, kind, after);
  }

  nextAgents(
    connection: Connection,
    kinds: readonly RetentionKind[],
    after: Pick<AgentWithOwnRetention, 'projectId' | 'agentId'> | undefined,
    limit: number,
  ): Promise<AgentWithOwnRetention[]> {
    return this.retentions.nextAgents(connection, kinds, after, limit);
  }
}
