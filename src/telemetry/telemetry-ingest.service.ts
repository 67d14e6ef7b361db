import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { AgentPrincipal } from '../access/principal.js';
import { PresenceService } from '../agents/presence.service.js';
import { GroupCommit } from '../database/group-commit.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { ForbiddenError } from '../errors/domain-error.js';
import { mentionedDeployments, refuseStrays } from './mentioned-deployments.js';
import { readLogSubmission } from './log-submission.js';
import { LogsRepository } from './logs.repository.js';
import { readMetricSubmission } from './metric-submission.js';
import { MetricsRepository } from './metrics.repository.js';
import type { Submission, SubmittedEntry } from './submission.js';
import type { NewLog, NewMetric } from './telemetry.types.js';

/** Requests whose rows go into one statement at most: batches of the largest size then stay within seconds. */
const REQUESTS_IN_A_GROUP = 64;
/** What they hold together, so that requests of the largest size don't make a statement of a hundred megabytes. */
const CHARACTERS_IN_A_GROUP = 4 * 1024 * 1024;
/** While one group waits for the disk, the next one is built. */
const GROUPS_AT_ONCE = 2;

/** Takes in what agents send. A submission is recorded as a whole or not at all. */
@Injectable()
export class TelemetryIngest {
  private readonly logWrites: GroupCommit<readonly NewLog[], void>;
  private readonly metricWrites: GroupCommit<readonly NewMetric[], void>;

  constructor(
    logs: LogsRepository,
    metrics: MetricsRepository,
    private readonly deployments: DeploymentsService,
    private readonly presence: PresenceService,
  ) {
    this.logWrites = groupedWrites(
      (rows) => logs.insert(rows),
      (log) => log.message.length + (log.metadata?.length ?? 0),
    );
    this.metricWrites = groupedWrites(
      (rows) => metrics.insert(rows),
      (metric) => metric.custom?.length ?? 0,
    );
  }

  /**
   * Committed when it resolves.
   *
   * @param body as it was sent
   * @returns how many entries were recorded
   * @throws InvalidError, ForbiddenError
   */
  async submitLogs(agent: AgentPrincipal, body: unknown): Promise<number> {
    void this.presence.seen(agent.agentId);
    const logs = await this.place(agent, readLogSubmission(body, new Date()));
    if (logs.length > 0) await this.logWrites.submit(logs);
    return logs.length;
  }

  /** As {@link submitLogs}. */
  async submitMetrics(agent: AgentPrincipal, body: unknown): Promise<number> {
    void this.presence.seen(agent.agentId);
    const metrics = await this.place(agent, readMetricSubmission(body, new Date()));
    if (metrics.length > 0) await this.metricWrites.submit(metrics);
    return metrics.length;
  }

  /**
   * Records what another than the agent has measured; whoever calls has shown already that the agent is theirs.
   * Committed when it resolves.
   */
  async recordMetric(agentId: string, measured: Pick<NewMetric, 'cpuUsage' | 'memoryUsage'>): Promise<void> {
    const rest = { uptimeSeconds: null, requestsProcessed: null, errorsCount: null, custom: null };
    const place = { id: uuidv7(), agentId, deploymentId: null, timestamp: new Date() };
    await this.metricWrites.submit([{ ...place, ...measured, ...rest }]);
  }

  /** Makes rows of the entries: each with its own id, its agent and its deployment. */
  private async place<Entry extends SubmittedEntry>(
    agent: AgentPrincipal,
    { agentIds, entries }: Submission<Entry>,
  ): Promise<(Entry & { readonly id: string; readonly agentId: string })[]> {
    const { agentId } = agent;
    // The guard has looked at the body itself; entries of a batch may name an agent each.
    if ([...agentIds].some((named) => named !== agentId)) throw new ForbiddenError('Agent ID mismatch');
    if (entries.length === 0) return [];
    const mentioned = mentionedDeployments(entries);
    if (mentioned.length > 0) {
      refuseStrays(entries, await this.deployments.ownedAmong(agentId, mentioned));
    }
    return entries.map((entry) => ({ ...entry, id: uuidv7(), agentId }));
  }
}

/** @param lengthOf what is long about a row, in characters */
function groupedWrites<Row>(insert: (rows: readonly Row[]) => Promise<void>, lengthOf: (row: Row) => number) {
  return new GroupCommit<readonly Row[], void>(
    async (submissions) => {
      await insert(submissions.flat());
      return submissions.map(() => undefined);
    },
    {
      maximumItems: REQUESTS_IN_A_GROUP,
      maximumWeight: CHARACTERS_IN_A_GROUP,
      weightOf: (rows) => rows.reduce((sum, row) => sum + lengthOf(row), 0),
      concurrency: GROUPS_AT_ONCE,
    },
  );
}
