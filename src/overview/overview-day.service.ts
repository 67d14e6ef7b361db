import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { AgentSummaryService } from '../agents/agent-summary.service.js';
import { DeploymentSummaryService } from '../deployments/deployment-summary.service.js';
import { ListReads } from '../http/list-reads.js';
import { projectsFor } from '../http/required-role.js';
import { RunAttentionService } from '../runs/run-attention.service.js';
import { SpendingService } from '../usage/spending.service.js';

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** How it went within an hour. */
export interface OverviewHour {
  /** The hour's beginning. */
  readonly hour: string;
  readonly runs: number;
  readonly failedRuns: number;
  readonly failures: number;
  /** Millionths of a dollar. */
  readonly costMicros: number;
  /** The fewest agents that were online at once; null: nobody looked. */
  readonly agentsOnline: number | null;
}

/** Sums up the last day. */
@Injectable()
export class OverviewDayService {
  constructor(
    private readonly agents: AgentSummaryService,
    private readonly deployments: DeploymentSummaryService,
    private readonly runs: RunAttentionService,
    private readonly spending: SpendingService,
    private readonly lists: ListReads,
  ) {}

  /** Grows with what a day has, so this is a search. @returns the last 24 hours, the one that is not over included, oldest first */
  read(caller: UserPrincipal, projectId?: string): Promise<OverviewHour[]> {
    const projectIds = projectsFor(caller, projectId);
    const last = Math.floor(Date.now() / HOUR_MS);
    const bounds = Array.from(
      { length: HOURS + 1 },
      (_, number) => new Date((last - HOURS + 1 + number) * HOUR_MS),
    );
    const since = bounds[0]!;
    return this.lists.search(caller.userId, async (connection) => {
      const runs = await this.runs.byHour(connection, projectIds, bounds);
      const failures = byHour(await this.deployments.failuresByHour(connection, projectIds, since));
      const spent = byHour(await this.spending.byHour(connection, projectIds, since));
      const online = byHour(await this.agents.onlineByHour(connection, projectIds, since));
      return runs.map((counted, number) => {
        const hour = bounds[number]!;
        return {
          hour: hour.toISOString(),
          runs: counted.runs,
          failedRuns: counted.failed,
          failures: failures.get(hour.getTime())?.failures ?? 0,
          costMicros: spent.get(hour.getTime())?.micros ?? 0,
          agentsOnline: online.get(hour.getTime())?.online ?? null,
        };
      });
    });
  }
}

function byHour<Row extends { readonly hour: string }>(rows: readonly Row[]): ReadonlyMap<number, Row> {
  return new Map(rows.map((row) => [Date.parse(row.hour), row]));
}
