import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { GroupCommit } from '../database/group-commit.js';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import { instruments } from '../observability/instruments.js';
import type { NewContent } from './span-contents.repository.js';
import { SpanContentsService } from './span-contents.service.js';
import { SpanUsageService } from './span-usage.service.js';
import { type NewSpan, SpansRepository } from './spans.repository.js';
import { toldUsageOf } from './told-usage.js';

const storedSpans = new Counter({
  name: 'control_plane_spans_total',
  help: 'Spans stored by this instance, each counted once even if sent again',
  registers: [instruments],
});

/** Maximum number of exports in one transaction. */
const EXPORTS_IN_A_GROUP = 64;
/** Number of groups under way: one is built while another waits for the disk. */
const GROUPS_AT_ONCE = 2;
/** Nobody is in a hurry for the reply; milliseconds. */
const PACE_MS = 50;
/** Length of what each row has: ids, times, numbers, and the names of all columns; in characters. */
const SHORT_FIELDS = 700;

/** The rows of one export. */
export interface SpanBatch {
  readonly projectId: string;
  readonly spans: readonly NewSpan[];
}

interface SealedBatch extends SpanBatch {
  readonly contents: readonly NewContent[];
}

/**
 * Stores the spans of many exports in one transaction, and counts their usage. A span that is sent again is neither
 * stored nor counted again.
 */
@Injectable()
export class SpanStoringService {
  private readonly writes: GroupCommit<SealedBatch, string[]>;

  constructor(
    private readonly telemetry: TelemetryDatabase,
    private readonly spans: SpansRepository,
    private readonly usage: SpanUsageService,
    private readonly contents: SpanContentsService,
  ) {
    this.writes = new GroupCommit('spans', (batches) => this.storeAll(batches), {
      items: EXPORTS_IN_A_GROUP,
      weightOf: ({ spans, contents }) =>
        spans.reduce((sum, span) => sum + SHORT_FIELDS + lengthOf(span), 0) +
        contents.reduce((sum, { content }) => sum + (content?.length ?? 0), 0),
      concurrency: GROUPS_AT_ONCE,
      paceMs: PACE_MS,
    });
  }

  /** Resolves after the commit. @returns the ids of the runs of this export that are in a loop without a report */
  async store(batch: SpanBatch): Promise<readonly string[]> {
    if (batch.spans.length === 0) return [];
    return this.writes.submit({ ...batch, contents: await this.contents.sealed(batch.spans) });
  }

  /**
   * With telemetry in the main database, one transaction stores the spans and counts them. Else the spans are
   * committed with their usage, which is counted afterwards.
   */
  private async storeAll(batches: readonly SealedBatch[]): Promise<string[][]> {
    const { telemetry, usage } = this;
    let looping: ReadonlySet<string>;
    if (telemetry.isApart) {
      const kept = await telemetry.runtimes.transaction(async (tx) =>
        usage.keep(tx, toldUsageOf(await this.storeSpans(tx, batches))),
      );
      looping = await usage.countKept(kept);
    } else {
      looping = await telemetry.runtimes.transaction(async (tx) =>
        usage.count(tx, toldUsageOf(await this.storeSpans(tx, batches))),
      );
    }
    return batches.map(({ spans }) => [...looping].filter((id) => spans.some(({ runId }) => runId === id)));
  }

  /** @returns the spans that were not there, each once */
  private async storeSpans(tx: Transaction, batches: readonly SealedBatch[]): Promise<SpanBatch[]> {
    const isNew = new Set(
      await this.spans.insert(
        tx,
        batches.flatMap(({ spans }) => spans),
      ),
    );
    const stored = isNew.size;
    onCommit(tx, () => storedSpans.inc(stored));
    const contents = new Map(batches.flatMap((batch) => batch.contents.map((kept) => [kept.id, kept])));
    await this.contents.store(
      tx,
      [...isNew].flatMap((id) => contents.get(id) ?? []),
    );
    // A span that is in the group twice counts once.
    return batches.map(({ projectId, spans }) => ({
      projectId,
      spans: spans.filter(({ id }) => isNew.delete(id)),
    }));
  }
}

function lengthOf({ name, attributes, events }: NewSpan): number {
  return name.length + (attributes?.length ?? 0) + (events?.length ?? 0);
}
