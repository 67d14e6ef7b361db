import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { AgentPrincipal } from '../access/principal.js';
import { PresenceService } from '../agents/presence.service.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import { DeploymentReadingService } from '../deployments/deployment-reading.service.js';
import { ForbiddenError } from '../errors/domain-error.js';
import { type KeyedRequest, keyWasUsed } from '../http/idempotency/keyed-request.js';
import { mentionedDeployments, refuseStrays } from './mentioned-deployments.js';
import { readLogSubmission, type SubmittedLog } from './log-submission.js';
import { LogsRepository } from './logs.repository.js';
import { readMetricSubmission, type SubmittedMetric } from './metric-submission.js';
import { MetricsRepository } from './metrics.repository.js';
import type { Submission, SubmittedEntry } from './submission.js';
import type { BatchKey, BatchOutcome, NewLog, NewMetric, TelemetryBatch } from './telemetry.types.js';

/** Requests whose rows go into one statement at most: batches of the largest size then stay within seconds. */
const REQUESTS_IN_A_GROUP = 64;
/** What they hold together, so that requests of the largest size don't make a statement of a hundred megabytes. */
const CHARACTERS_IN_A_GROUP = 4 * 1024 * 1024;
/** While one group waits for the disk, the next one is built. */
const GROUPS_AT_ONCE = 2;

/** 128 bits of each hash are kept: an agent that made two of its own keys collide would fool only itself. */
const HASH_BYTES = 16;

/** What became of a submission. */
export interface Submitted {
  /** How many entries are stored, now or since it came for the first time. */
  readonly accepted: number;
  /** It had been stored before, under the same key. */
  readonly isRepeated: boolean;
}

/** Identity of a batch: one that comes again with the same hashes is not stored again. */
export type BatchIdentity = Pick<KeyedRequest, 'keyHash' | 'fingerprint'>;

type Writes<Row> = GroupCommit<TelemetryBatch<Row>, BatchOutcome>;

/**
 * Stores the logs and metrics that agents send. A submission is stored as a whole or not at all; under a key once.
 * Metrics that people report share the groups of the agents, and so the runtimes' pool.
 */
@Injectable()
export class TelemetryIngest {
  private readonly logWrites: Writes<NewLog>;
  private readonly metricWrites: Writes<NewMetric>;

  constructor(
    database: Database,
    logs: LogsRepository,
    metrics: MetricsRepository,
    private readonly deployments: DeploymentReadingService,
    private readonly presence: PresenceService,
  ) {
    this.logWrites = groupedWrites(
      'logs',
      (batches) => logs.insert(database.runtimes.manager, batches),
      (log) => log.message.length + (log.metadata?.length ?? 0),
    );
    this.metricWrites = groupedWrites(
      'metrics',
      (batches) => metrics.insert(database.runtimes.manager, batches),
      (metric) => metric.custom?.length ?? 0,
    );
  }

  /**
   * Committed when it resolves.
   *
   * @param body as it was sent
   * @throws InvalidError, ForbiddenError
   */
  async submitLogs(agent: AgentPrincipal, body: unknown, request?: BatchIdentity): Promise<Submitted> {
    return this.storeLogs(agent, readLogSubmission(body, new Date()), request);
  }

  /** As {@link submitLogs}. */
  async submitMetrics(agent: AgentPrincipal, body: unknown, request?: BatchIdentity): Promise<Submitted> {
    return this.storeMetrics(agent, readMetricSubmission(body, new Date()), request);
  }

  /** As {@link submitLogs}, for a submission that has been read already. */
  async storeLogs(
    agent: AgentPrincipal,
    submission: Submission<SubmittedLog>,
    identity?: BatchIdentity,
  ): Promise<Submitted> {
    void this.presence.markSeen(agent.agentId);
    const logs = await this.place(agent, submission);
    return record(this.logWrites, logs, identity && batchKeyOf(agent, identity));
  }

  /** As {@link storeLogs}. */
  async storeMetrics(
    agent: AgentPrincipal,
    submission: Submission<SubmittedMetric>,
    identity?: BatchIdentity,
  ): Promise<Submitted> {
    void this.presence.markSeen(agent.agentId);
    const metrics = await this.place(agent, submission);
    return record(this.metricWrites, metrics, identity && batchKeyOf(agent, identity));
  }

  /**
   * Records what another than the agent has measured; whoever calls has shown already that the agent is theirs.
   * Committed when it resolves.
   */
  async recordMetric(agentId: string, measured: Pick<NewMetric, 'cpuUsage' | 'memoryUsage'>): Promise<void> {
    const rest = { uptimeSeconds: null, requestsProcessed: null, errorsCount: null, custom: null };
    const place = { id: uuidv7(), agentId, deploymentId: null, timestamp: new Date() };
    await this.metricWrites.submit({ rows: [{ ...place, ...measured, ...rest }], key: null });
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

function batchKeyOf({ agentId }: AgentPrincipal, { keyHash, fingerprint }: BatchIdentity): BatchKey {
  return {
    agentId,
    keyHash: keyHash.subarray(0, HASH_BYTES),
    fingerprint: fingerprint.subarray(0, HASH_BYTES),
  };
}

/** @throws InvalidError where the key was used for something else */
async function record<Row>(
  writes: Writes<Row>,
  rows: readonly Row[],
  key: BatchKey | null = null,
): Promise<Submitted> {
  if (rows.length === 0 && !key) return { accepted: 0, isRepeated: false };
  const outcome = await writes.submit({ rows, key });
  if (outcome === 'refused') throw keyWasUsed();
  return { accepted: rows.length, isRepeated: outcome === 'repeated' };
}

/** @param lengthOf what is long about a row, in characters */
function groupedWrites<Row>(
  name: string,
  insert: (batches: readonly TelemetryBatch<Row>[]) => Promise<BatchOutcome[]>,
  lengthOf: (row: Row) => number,
): Writes<Row> {
  return new GroupCommit(name, insert, {
    maximumItems: REQUESTS_IN_A_GROUP,
    maximumWeight: CHARACTERS_IN_A_GROUP,
    weightOf: ({ rows }) => rows.reduce((sum, row) => sum + lengthOf(row), 0),
    concurrency: GROUPS_AT_ONCE,
  });
}
