import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { PresenceService } from '../agents/presence.service.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import { ForbiddenError } from '../errors/domain-error.js';
import { type KeyedRequest, keyWasUsed } from '../http/idempotency/keyed-request.js';
import { EntryIds } from './entry-ids.js';
import { EntryOwnersService } from './entry-owners.service.js';
import { assertOwnReferences, type Stray, straysAmong } from './entry-references.js';
import { readLogSubmission, type SubmittedLog } from './log-submission.js';
import { LogsRepository } from './logs.repository.js';
import { readMetricSubmission, type SubmittedMetric } from './metric-submission.js';
import { MetricsRepository } from './metrics.repository.js';
import type { Submission, SubmittedEntry } from './submission.js';
import type { BatchKey, BatchOutcome, NewLog, NewMetric, TelemetryBatch } from './telemetry.types.js';

/** Maximum number of requests in one statement: batches of the largest size then take seconds at most. */
const REQUESTS_IN_A_GROUP = 64;
/** Number of groups under way: one is built while another waits for the disk. */
const GROUPS_AT_ONCE = 2;
/**
 * Nobody is in a hurry for the reply. With 10,000 agents a group of logs then holds nine batches instead of three, and a batch takes
 * PostgreSQL 0.09 ms of processor time instead of 0.17. Milliseconds.
 */
const PACE_MS = 50;
/** Length of what each row has: ids, a time, numbers; in characters. */
const SHORT_FIELDS = 150;

/**
 * Bytes stored of each hash. 128 bits are enough: an agent that finds a collision of two of its own keys harms only
 * itself.
 */
const HASH_BYTES = 16;

export interface Submitted {
  /** Number of entries stored, now or by the first request. */
  readonly accepted: number;
  /** True if the batch had been stored before under the same key. */
  readonly isRepeated: boolean;
}

export interface Exported<Entry extends SubmittedEntry> extends Submitted {
  /** Entries that were not stored, because they refer to a deployment or a run of another agent. */
  readonly strays: readonly Stray<Entry>[];
}

interface Placed<Entry extends SubmittedEntry> {
  readonly rows: readonly (Entry & { readonly id: string; readonly agentId: string })[];
  readonly strays: readonly Stray<Entry>[];
}

/** Identity of a batch: a batch with the same hashes is not stored again. */
export type BatchIdentity = Pick<KeyedRequest, 'keyHash' | 'fingerprint'>;

type Writes<Row> = GroupCommit<TelemetryBatch<Row>, BatchOutcome>;

/**
 * Stores the logs and metrics that agents send. A submission is stored as a whole or not at all; under a key once.
 * Metrics that people report are grouped with those of agents, and therefore use the runtimes' pool.
 */
@Injectable()
export class TelemetryIngestService {
  private readonly logWrites: Writes<NewLog>;
  private readonly metricWrites: Writes<NewMetric>;
  private readonly ids = new EntryIds();

  constructor(
    database: Database,
    logs: LogsRepository,
    metrics: MetricsRepository,
    private readonly owners: EntryOwnersService,
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
   * Stores a submission of logs, and resolves after the commit.
   *
   * @param body the unvalidated body
   * @throws InvalidError, ForbiddenError
   */
  async submitLogs(agent: AgentPrincipal, body: unknown, request?: BatchIdentity): Promise<Submitted> {
    const { rows, strays } = await this.place(agent, readLogSubmission(body, new Date()));
    assertOwnReferences(strays);
    return record(this.logWrites, rows, request && batchKeyOf(agent, request));
  }

  /** Stores a submission of metrics; see {@link submitLogs}. */
  async submitMetrics(agent: AgentPrincipal, body: unknown, request?: BatchIdentity): Promise<Submitted> {
    const { rows, strays } = await this.place(agent, readMetricSubmission(body, new Date()));
    assertOwnReferences(strays);
    return record(this.metricWrites, rows, request && batchKeyOf(agent, request));
  }

  /**
   * Stores an export of logs, which may succeed partly by OpenTelemetry's rules: entries that refer to a deployment of
   * another agent, or a run of it, are left out. Resolves after the commit.
   */
  async exportLogs<Entry extends SubmittedLog>(
    agent: AgentPrincipal,
    submission: Submission<Entry>,
    identity?: BatchIdentity,
  ): Promise<Exported<Entry>> {
    const { rows, strays } = await this.place(agent, submission);
    return { strays, ...(await record(this.logWrites, rows, identity && batchKeyOf(agent, identity))) };
  }

  /** Stores an export of metrics; see {@link exportLogs}. */
  async exportMetrics<Entry extends SubmittedMetric>(
    agent: AgentPrincipal,
    submission: Submission<Entry>,
    identity?: BatchIdentity,
  ): Promise<Exported<Entry>> {
    const { rows, strays } = await this.place(agent, submission);
    return { strays, ...(await record(this.metricWrites, rows, identity && batchKeyOf(agent, identity))) };
  }

  /**
   * Records a measurement that is not from the agent itself; the caller has checked the agent's owner. Resolves after
   * the commit.
   */
  async recordMetric(agentId: string, measured: Pick<NewMetric, 'cpuUsage' | 'memoryUsage'>): Promise<void> {
    const rest = { uptimeSeconds: null, requestsProcessed: null, errorsCount: null, custom: null };
    const place = {
      id: this.ids.next(1)[0]!,
      agentId,
      deploymentId: null,
      runId: null,
      timestamp: new Date(),
    };
    await this.metricWrites.submit({ rows: [{ ...place, ...measured, ...rest }], key: null });
  }

  /** Makes rows of entries: adds the id, the agent, and the deployment that took the entry's run. */
  private async place<Entry extends SubmittedEntry>(
    { agentId }: AgentPrincipal,
    { agentIds, entries }: Submission<Entry>,
  ): Promise<Placed<Entry>> {
    this.presence.markSeen(agentId);
    // The guard has checked the body's own agent; entries of a batch may have an agent each.
    if ([...agentIds].some((named) => named !== agentId))
      throw new ForbiddenError('agent_mismatch', 'Agent ID mismatch');
    const owned = await this.owners.ownedAmong(agentId, entries);
    const strays = straysAmong(entries, owned);
    const foreign = new Set(strays.map(({ entry }) => entry));
    const own = foreign.size > 0 ? entries.filter((entry) => !foreign.has(entry)) : entries;
    const ids = this.ids.next(own.length);
    const rows = own.map((entry, index) => ({
      ...entry,
      id: ids[index]!,
      agentId,
      deploymentId: entry.deploymentId ?? (entry.runId && owned.runs.get(entry.runId)) ?? null,
    }));
    return { rows, strays };
  }
}

function batchKeyOf({ agentId }: AgentPrincipal, { keyHash, fingerprint }: BatchIdentity): BatchKey {
  return {
    agentId,
    keyHash: keyHash.subarray(0, HASH_BYTES),
    fingerprint: fingerprint.subarray(0, HASH_BYTES),
  };
}

/** @throws InvalidError if the key was used for another batch */
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

/** @param lengthOf returns the length of a row's long fields, in characters */
function groupedWrites<Row>(
  name: string,
  insert: (batches: readonly TelemetryBatch<Row>[]) => Promise<BatchOutcome[]>,
  lengthOf: (row: Row) => number,
): Writes<Row> {
  return new GroupCommit(name, insert, {
    items: REQUESTS_IN_A_GROUP,
    weightOf: ({ rows }) => rows.reduce((sum, row) => sum + SHORT_FIELDS + lengthOf(row), 0),
    concurrency: GROUPS_AT_ONCE,
    paceMs: PACE_MS,
  });
}
