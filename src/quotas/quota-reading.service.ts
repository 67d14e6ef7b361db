import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import type { Connection } from '../database/transaction.js';
import { ProjectLimitsRepository } from './project-limits.repository.js';
import { DAILY_SETTINGS } from './quota-limits.js';
import { QuotaUsesRepository } from './quota-uses.repository.js';
import {
  type ExceededQuota,
  QUOTA_KINDS,
  QUOTA_SCOPES,
  type QuotaOwner,
  type QuotaSubject,
  type QuotaUse,
} from './quota.types.js';

@Injectable()
export class QuotaReadingService {
  constructor(
    private readonly uses: QuotaUsesRepository,
    private readonly limits: ProjectLimitsRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The limits past which more is refused today, of these projects and their agents, the newest first. */
  async refused(connection: Connection, projectIds: readonly string[]): Promise<ExceededQuota[]> {
    const rows = await this.uses.listExceededOf(connection, projectIds);
    const limitOf = await this.limitsOf(connection, projectIds);
    return rows.filter((use) => {
      const limit = limitOf(use);
      // The limit may have been raised since.
      return limit > 0 && use.amount >= limit;
    });
  }

  /** The use of each limit by an agent and its project today. */
  async of(connection: Connection, { agentId, projectId }: QuotaOwner): Promise<QuotaUse[]> {
    const rows = await this.uses.listOf(connection, [agentId, projectId]);
    const limitOf = await this.limitsOf(connection, [projectId]);
    return QUOTA_SCOPES.flatMap((scope) =>
      QUOTA_KINDS.flatMap((kind): QuotaUse[] => {
        const subjectId = scope === 'agent' ? agentId : projectId;
        const limit = limitOf({ scope, subjectId, projectId, kind });
        if (limit === 0) return [];
        const row = rows.find((it) => it.subjectId === subjectId && it.kind === kind);
        const amount = row?.amount ?? 0;
        // The limit may have been raised since.
        const refusedSince = amount >= limit ? (row?.refusedSince ?? null) : null;
        return [{ scope, subjectId, projectId, kind, amount, limit, refusedSince }];
      }),
    );
  }

  private async limitsOf(
    connection: Connection,
    projectIds: readonly string[],
  ): Promise<(subject: QuotaSubject) => number> {
    const own = await this.limits.list(connection, projectIds);
    return ({ scope, projectId, kind }) => {
      const limit = own.find((it) => it.projectId === projectId && it.kind === kind);
      return (scope === 'project' ? limit?.maximum : undefined) ?? this.settings[DAILY_SETTINGS[kind][scope]];
    };
  }
}
