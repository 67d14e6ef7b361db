import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import type { Connection } from '../database/transaction.js';
import { DAILY_SETTINGS } from './quota-limits.js';
import { QuotaUsesRepository } from './quota-uses.repository.js';
import {
  type ExceededQuota,
  QUOTA_KINDS,
  QUOTA_SCOPES,
  type QuotaOwner,
  type QuotaUse,
} from './quota.types.js';

@Injectable()
export class QuotaReadingService {
  constructor(
    private readonly uses: QuotaUsesRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The limits past which more is refused today, of these projects and their agents, the newest first. */
  async refused(connection: Connection, projectIds: readonly string[]): Promise<ExceededQuota[]> {
    const rows = await this.uses.listExceededOf(connection, projectIds);
    return rows.filter(({ kind, scope, amount }) => {
      const limit = this.settings[DAILY_SETTINGS[kind][scope]];
      // The limit may have been raised since.
      return limit > 0 && amount >= limit;
    });
  }

  /** What an agent and its project have used today of each limit that there is. */
  async of(connection: Connection, { agentId, projectId }: QuotaOwner): Promise<QuotaUse[]> {
    const rows = await this.uses.listOf(connection, [agentId, projectId]);
    return QUOTA_SCOPES.flatMap((scope) =>
      QUOTA_KINDS.flatMap((kind): QuotaUse[] => {
        const limit = this.settings[DAILY_SETTINGS[kind][scope]];
        if (limit === 0) return [];
        const subjectId = scope === 'agent' ? agentId : projectId;
        const row = rows.find((it) => it.subjectId === subjectId && it.kind === kind);
        const amount = row?.amount ?? 0;
        // The limit may have been raised since.
        const refusedSince = amount >= limit ? (row?.refusedSince ?? null) : null;
        return [{ scope, subjectId, projectId, kind, amount, limit, refusedSince }];
      }),
    );
  }
}
