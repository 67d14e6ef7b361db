import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import type { Connection, Transaction } from '../database/transaction.js';
import {
  type LimitChanges,
  PROJECT_LIMIT_KINDS,
  type ProjectLimit,
  type ProjectLimitKind,
} from './project-limit.types.js';
import { ProjectLimitsRepository } from './project-limits.repository.js';
import { PROJECT_LIMIT_SETTINGS } from './quota-limits.js';
import { QuotaUsesRepository } from './quota-uses.repository.js';

/** Reads and changes what operators limit for one project. */
@Injectable()
export class ProjectLimitsService {
  constructor(
    private readonly limits: ProjectLimitsRepository,
    private readonly uses: QuotaUsesRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param counted what the project has now, of the kinds that are counted by rows */
  async of(
    connection: Connection,
    projectId: string,
    counted: Readonly<Partial<Record<ProjectLimitKind, number>>>,
  ): Promise<ProjectLimit[]> {
    const own = await this.own(connection, projectId);
    const uses = await this.uses.listOf(connection, [projectId]);
    return PROJECT_LIMIT_KINDS.map((kind) => {
      const ownLimit = own[kind] ?? null;
      const limit = ownLimit ?? (this.settings[PROJECT_LIMIT_SETTINGS[kind]] || null);
      const today = limit === null ? null : (uses.find((use) => use.kind === kind)?.amount ?? 0);
      return { kind, limit, ownLimit, used: counted[kind] ?? today };
    });
  }

  /**
   * Changes limits of a project that the transaction has locked.
   *
   * @returns the own limits before and after, of what has changed
   */
  async change(
    tx: Transaction,
    projectId: string,
    changes: LimitChanges,
  ): Promise<{ readonly before: LimitChanges; readonly after: LimitChanges }> {
    const own = await this.own(tx, projectId);
    const changed = PROJECT_LIMIT_KINDS.filter(
      (kind) => changes[kind] !== undefined && changes[kind] !== (own[kind] ?? null),
    );
    const pick = (from: LimitChanges) =>
      Object.fromEntries(changed.map((kind) => [kind, from[kind] ?? null])) as LimitChanges;
    const [before, after] = [pick(own), pick(changes)];
    if (changed.length > 0) await this.limits.set(tx, projectId, after);
    return { before, after };
  }

  private async own(connection: Connection, projectId: string): Promise<LimitChanges> {
    const rows = await this.limits.list(connection, [projectId]);
    return Object.fromEntries(rows.map(({ kind, maximum }) => [kind, maximum]));
  }
}
