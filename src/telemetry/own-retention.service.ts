import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { JobTask, Step } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import { OwnRetentionsService } from '../quotas/own-retentions.service.js';
import type { AgentWithOwnRetention, RetentionKind } from '../quotas/project-limit.types.js';
import {
  AFTER_ALL,
  BEFORE_ALL,
  type ExpiredRows,
  OwnRetentionRepository,
  type RowPlace,
} from './own-retention.repository.js';
import { TELEMETRY_TABLES, type TelemetryTable } from './telemetry-partitions.js';

const INTERVAL_MS = 60 * 60_000;
/** Number of agents whose rows are looked for at once: one look into each partition for each of them. */
const AGENTS_AT_ONCE = 100;
/** Maximum number of rows in one statement, so that none holds its locks for long. */
const ROWS_IN_A_BITE = 5_000;

/** The limit of a project for the days of each table. */
const DAYS_OF = {
  agent_logs: 'log_days',
  agent_metrics: 'metric_days',
  agent_spans: 'span_days',
  agent_span_contents: 'span_days',
} as const satisfies Readonly<Record<TelemetryTable, RetentionKind>>;
const KINDS = [...new Set(Object.values(DAYS_OF))];

/**
 * Deletes logs, metrics, spans and their contents of projects that keep them for fewer days than the installation. A pass goes from
 * agent to agent. Each part of a round asks the main database again which agents come next and for how many days: a limit that was
 * raised, or an agent that was moved, counts from the next part on.
 */
@Injectable()
export class OwnRetentionService {
  /** The last agent that this pass has finished. */
  private finished: AgentWithOwnRetention | undefined;
  /** How far this pass has come with the next agents, by table and agent. */
  private readonly places = new Map<string, RowPlace>();

  constructor(
    jobs: PeriodicJobs,
    private readonly main: Database,
    private readonly telemetry: TelemetryDatabase,
    private readonly retentions: OwnRetentionsService,
    private readonly rows: OwnRetentionRepository,
  ) {
    const tasks = (step: Step) => this.tasks(step);
    jobs.addInSteps('ownTelemetryRetention', { intervalMs: INTERVAL_MS, tasks }, [main, telemetry]);
  }

  private async tasks(step: Step): Promise<JobTask<Step>[]> {
    const agents = await step(this.main, (connection) =>
      this.retentions.nextAgents(connection, KINDS, this.finished, AGENTS_AT_ONCE),
    );
    const deletions = await step(this.telemetry, async (connection) => {
      const tasks: JobTask<Step>[] = [];
      for (const table of TELEMETRY_TABLES) {
        const expired = await this.rows.existing(connection, table, this.sought(table, agents));
        tasks.push(...expired.map((rows) => this.deletion(table, rows)));
      }
      return tasks;
    });
    return deletions.length > 0 ? deletions : this.goOn(agents);
  }

  private sought(table: TelemetryTable, agents: readonly AgentWithOwnRetention[]): ExpiredRows[] {
    return agents.flatMap(({ agentId, days: { [DAYS_OF[table]]: days } }) =>
      days === undefined
        ? []
        : [{ agentId, days, after: this.places.get(`${table} of ${agentId}`) ?? BEFORE_ALL }],
    );
  }

  private deletion(table: TelemetryTable, rows: ExpiredRows): JobTask<Step> {
    const name = `${table} of ${rows.agentId}`;
    return {
      name,
      run: async (step) => {
        // A failure leaves the agent to the next pass, so that the others get their turn.
        this.places.set(name, AFTER_ALL);
        const last = await step(this.telemetry, (connection) =>
          this.rows.deleteOldest(connection, table, rows, ROWS_IN_A_BITE),
        );
        if (last) this.places.set(name, last);
        return true;
      },
    };
  }

  /** Continues to the next agents, or ends the pass. */
  private goOn(agents: readonly AgentWithOwnRetention[]): JobTask<Step>[] {
    const isLast = agents.length < AGENTS_AT_ONCE;
    this.finished = isLast ? undefined : agents.at(-1);
    this.places.clear();
    return isLast ? [] : [{ name: 'next agents', run: () => Promise.resolve(true) }];
  }
}
