import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { PresenceService } from '../agents/presence.service.js';
import { ForbiddenError } from '../errors/domain-error.js';
import { type KeyedRequest, keyWasUsed } from '../http/idempotency/keyed-request.js';
import type { QuotaKind, QuotaOwner } from '../quotas/quota.types.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { EntryIds } from './entry-ids.js';
import { EntryOwnersService } from './entry-owners.service.js';
import { assertOwnReferences, type Stray, straysAmong } from './entry-references.js';
import { readLogSubmission, type SubmittedLog } from './log-submission.js';
import { readMetricSubmission, type SubmittedMetric } from './metric-submission.js';
import type { Submission, SubmittedEntry } from './submission.js';
import { type Writes, TelemetryWritesService } from './telemetry-writes.service.js';
import type { BatchKey, NewMetric } from './telemetry.types.js';

/**
 * Bytes stored of each hash. 128 bits are enough: an agent that finds a collision of two of its own keys harms only
 * itself.
 */
const HASH_BYTES = 16;

/**
 * Bytes of an entry that count towards the quota, besides its texts: its ids, its time, its numbers, and its places
 * in indexes.
 */
const BYTES_OF_AN_ENTRY = 150;
/** Bytes of the record of a batch's key. */
const BYTES_OF_A_KEY = 100;

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

/** A submission, and where it is written. */
interface Sent<Entry extends SubmittedEntry> {
  readonly submission: Submission<Entry>;
  readonly kind: QuotaKind;
  /** Bytes of its entries that count towards the quota. */
  readonly bytes: number;
  readonly writes: Pick<Writes<Row<Entry>>, 'submit'>;
}

type Row<Entry extends SubmittedEntry> = Entry & {
  readonly id: string;
  readonly agentId: string;
  readonly deploymentId: string | null;
};

interface Placed<Entry extends SubmittedEntry> {
  readonly rows: readonly Row<Entry>[];
  readonly strays: readonly Stray<Entry>[];
}

/** Identity of a batch: a batch with the same hashes is not stored again. */
export type BatchIdentity = Pick<KeyedRequest, 'keyHash' | 'fingerprint'>;

/**
 * Stores the logs and metrics that agents send, within their quotas. A submission is stored as a whole or not at all; under a key
 * once.
 */
@Injectable()
export class TelemetryIngestService {
  private readonly ids = new EntryIds();

  constructor(
    private readonly writes: TelemetryWritesService,
    private readonly owners: EntryOwnersService,
    private readonly presence: PresenceService,
    private readonly quotas: QuotasService,
  ) {}

  /**
   * Stores a submission of logs, and resolves after the commit.
   *
   * @param body the unvalidated body
   * @throws InvalidError, ForbiddenError, RateLimitedError
   */
  submitLogs(agent: AgentPrincipal, body: unknown, request?: BatchIdentity): Promise<Submitted> {
    return this.submit(agent, this.logsOf(readLogSubmission(body, new Date())), request);
  }

  /** Stores a submission of metrics; see {@link submitLogs}. */
  submitMetrics(agent: AgentPrincipal, body: unknown, request?: BatchIdentity): Promise<Submitted> {
    return this.submit(agent, this.metricsOf(readMetricSubmission(body, new Date())), request);
  }

  /**
   * Stores an export of logs, which may succeed partly by OpenTelemetry's rules: entries that refer to a deployment of
   * another agent, or a run of it, are left out. Resolves after the commit.
   *
   * @throws RateLimitedError
   */
  exportLogs<Entry extends SubmittedLog>(
    agent: AgentPrincipal,
    submission: Submission<Entry>,
    identity?: BatchIdentity,
  ): Promise<Exported<Entry>> {
    return this.store(agent, this.logsOf(submission), identity);
  }

  /** Stores an export of metrics; see {@link exportLogs}. */
  exportMetrics<Entry extends SubmittedMetric>(
    agent: AgentPrincipal,
    submission: Submission<Entry>,
    identity?: BatchIdentity,
  ): Promise<Exported<Entry>> {
    return this.store(agent, this.metricsOf(submission), identity);
  }

  /**
   * Records a measurement that is not from the agent itself; the caller has checked the agent's owner. Resolves after
   * the commit.
   *
   * @throws RateLimitedError
   */
  async recordMetric(
    owner: QuotaOwner,
    measured: Pick<NewMetric, 'cpuUsage' | 'memoryUsage'>,
  ): Promise<void> {
    const { agentId } = owner;
    const rest = { uptimeSeconds: null, requestsProcessed: null, errorsCount: null, custom: null };
    const place = {
      id: this.ids.next(1)[0]!,
      agentId,
      deploymentId: null,
      runId: null,
      timestamp: new Date(),
    };
    const rows = [{ ...place, ...measured, ...rest }];
    await this.quotas.during(owner, 'metrics', BYTES_OF_AN_ENTRY, () =>
      this.writes.metrics.submit({ rows, key: null }),
    );
  }

  private logsOf<Entry extends SubmittedLog>(submission: Submission<Entry>): Sent<Entry> {
    const bytes = bytesOf(
      submission,
      ({ message, metadata }) => Buffer.byteLength(message) + Buffer.byteLength(metadata ?? ''),
    );
    return { submission, kind: 'logs', bytes, writes: this.writes.logs };
  }

  private metricsOf<Entry extends SubmittedMetric>(submission: Submission<Entry>): Sent<Entry> {
    const bytes = bytesOf(submission, ({ custom }) => Buffer.byteLength(custom ?? ''));
    return { submission, kind: 'metrics', bytes, writes: this.writes.metrics };
  }

  /** Stores a submission as a whole or not at all. */
  private submit<Entry extends SubmittedEntry>(
    agent: AgentPrincipal,
    sent: Sent<Entry>,
    request: BatchIdentity | undefined,
  ): Promise<Submitted> {
    return this.store(agent, sent, request, assertOwnReferences);
  }

  private store<Entry extends SubmittedEntry>(
    agent: AgentPrincipal,
    { submission, kind, bytes, writes }: Sent<Entry>,
    identity: BatchIdentity | undefined,
    check: (strays: readonly Stray<Entry>[]) => void = () => undefined,
  ): Promise<Exported<Entry>> {
    const key = identity && batchKeyOf(agent, identity);
    const all = bytes + (key ? BYTES_OF_A_KEY : 0);
    const work = async () => {
      const { rows, strays } = await this.place(agent, submission);
      check(strays);
      return { strays, ...(await record(writes, rows, key)) };
    };
    return this.quotas.during(agent, kind, all, work, ({ isRepeated }) => !isRepeated);
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

function bytesOf<Entry extends SubmittedEntry>(
  { entries }: Submission<Entry>,
  bytesOfTexts: (entry: Entry) => number,
): number {
  return entries.reduce((sum, entry) => sum + BYTES_OF_AN_ENTRY + bytesOfTexts(entry), 0);
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
  writes: Pick<Writes<Row>, 'submit'>,
  rows: readonly Row[],
  key: BatchKey | null = null,
): Promise<Submitted> {
  if (rows.length === 0 && !key) return { accepted: 0, isRepeated: false };
  const outcome = await writes.submit({ rows, key });
  if (outcome === 'refused') throw keyWasUsed();
  return { accepted: rows.length, isRepeated: outcome === 'repeated' };
}
