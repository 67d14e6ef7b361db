import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { InvalidError } from '../errors/domain-error.js';
import {
  type LimitChanges,
  PROJECT_LIMIT_KINDS,
  type ProjectLimit,
  type ProjectLimitKind,
  RETENTION_KINDS,
  type RetentionKind,
} from './project-limit.types.js';
import { ProjectLimitsRepository } from './project-limits.repository.js';
import { PROJECT_LIMIT_SETTINGS, RETENTION_SETTINGS } from './quota-limits.js';
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
      const ofInstallation = this.settings[PROJECT_LIMIT_SETTINGS[kind]] || null;
      if (isRetention(kind)) {
        // The installation may keep less than when the project's days were set.
        const limit = Math.min(ownLimit ?? Infinity, ofInstallation!);
        return { kind, limit, ownLimit, used: null };
      }
      const limit = ownLimit ?? ofInstallation;
      const today = uses.find((use) => use.kind === kind)?.amount ?? 0;
      const isCounted = limit !== null && kind !== 'queued_runs';
      return { kind, limit, ownLimit, used: counted[kind] ?? (isCounted ? today : null) };
    });
  }

  /**
   * Changes limits of a project that the transaction has locked.
   *
   * @returns the own limits before and after, of the changed limits
   * @throws InvalidError if a project would keep something longer than the installation
   */
  async change(
    tx: Transaction,
    projectId: string,
    changes: LimitChanges,
  ): Promise<{ readonly before: LimitChanges; readonly after: LimitChanges }> {
    this.assertShorter(changes);
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

  private assertShorter(changes: LimitChanges): void {
    const broken = RETENTION_KINDS.filter(
      (kind) => (changes[kind] ?? 0) > this.settings[RETENTION_SETTINGS[kind]],
    );
    if (broken.length === 0) return;
    throw new InvalidError(
      broken.map((kind) => ({
        field: kind,
        code: 'out_of_range',
        message:
          `${kind} must be at most ${this.settings[RETENTION_SETTINGS[kind]]} days, the retention of the installation ` +
          `(${RETENTION_SETTINGS[kind]})`,
      })),
    );
  }

  private async own(connection: Connection, projectId: string): Promise<LimitChanges> {
    const rows = await this.limits.list(connection, [projectId]);
    return Object.fromEntries(rows.map(({ kind, maximum }) => [kind, maximum]));
  }
}

const isRetention = (kind: ProjectLimitKind): kind is RetentionKind =>
  (RETENTION_KINDS as readonly string[]).includes(kind);
