import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import { storedSpans } from '../observability/instruments.js';
import { type EndedTrace, TracedRunsService } from '../runs/traced-runs.service.js';
import { UsageCountingService } from '../usage/usage-counting.service.js';
import type { UsageEntry } from '../usage/usage.types.js';
import type { Stray } from '../telemetry/entry-references.js';
import { SpanPlacingService } from './span-placing.service.js';
import type { SubmittedSpan } from './span.types.js';
import { type NewSpan, SpansRepository } from './spans.repository.js';

/** Maximum number of exports in one transaction. */
const EXPORTS_IN_A_GROUP = 64;
/** Number of groups under way: one is built while another waits for the disk. */
const GROUPS_AT_ONCE = 2;
/** Nobody is in a hurry for the reply; milliseconds. */
const PACE_MS = 50;
/** Length of what each row has: ids, times, numbers; in characters. */
const SHORT_FIELDS = 300;

/** The rows of one export. */
interface SpanBatch {
  readonly projectId: string;
  readonly spans: readonly NewSpan[];
}

/**
 * Stores the spans that agents export, and counts the usage that they tell, in one transaction. A span that is sent again is neither
 * stored nor counted again.
 */
@Injectable()
export class TraceIngestService {
  private readonly writes: GroupCommit<SpanBatch, null>;

  constructor(
    database: Database,
    private readonly spans: SpansRepository,
    private readonly placing: SpanPlacingService,
    private readonly runs: TracedRunsService,
    private readonly usage: UsageCountingService,
  ) {
    this.writes = new GroupCommit(
      'spans',
      (batches) => database.runtimes.transaction((tx) => this.store(tx, batches)),
      {
        items: EXPORTS_IN_A_GROUP,
        weightOf: ({ spans }) => spans.reduce((sum, span) => sum + SHORT_FIELDS + lengthOf(span), 0),
        concurrency: GROUPS_AT_ONCE,
        paceMs: PACE_MS,
      },
    );
  }

  /**
   * Stores an export, which may succeed partly. Resolves after the commit. The roots in it end the runs that are known from their
   * spans alone; an export that is sent again because that failed ends them, too.
   *
   * @returns the spans that were left out, because they name a deployment or a run of another agent
   */
  async export(
    agent: AgentPrincipal,
    entries: readonly SubmittedSpan[],
  ): Promise<readonly Stray<SubmittedSpan>[]> {
    const { spans, strays } = await this.placing.place(agent, entries);
    if (spans.length > 0) await this.writes.submit({ projectId: agent.projectId, spans });
    await this.runs.end(agent, spans.flatMap(endOf));
    return strays;
  }

  private async store(tx: Transaction, batches: readonly SpanBatch[]): Promise<null[]> {
    const isNew = new Set(
      await this.spans.insert(
        tx,
        batches.flatMap(({ spans }) => spans),
      ),
    );
    const stored = isNew.size;
    onCommit(tx, () => storedSpans.inc(stored));
    const told: UsageEntry[] = [];
    for (const { projectId, spans } of batches) {
      for (const span of spans) {
        // A span that is in the group twice counts once.
        if (isNew.delete(span.id)) told.push(...usageOf(projectId, span));
      }
    }
    await this.usage.count(tx, 'spans', told);
    return batches.map(() => null);
  }
}

function lengthOf({ name, attributes, events }: NewSpan): number {
  return name.length + (attributes?.length ?? 0) + (events?.length ?? 0);
}

function endOf({
  isRoot,
  runId,
  timestamp,
  durationMs,
  status,
  errorMessage,
  errorType,
}: NewSpan): EndedTrace[] {
  if (!isRoot || runId === null) return [];
  const error =
    status === 'error' ? (errorMessage ?? errorType ?? 'Its root span ended with an error') : null;
  return [{ runId, endedAt: new Date(timestamp.getTime() + durationMs), error }];
}

function usageOf(projectId: string, span: NewSpan): UsageEntry[] {
  if (!span.isLlmCall && !span.isToolCall) return [];
  const { tokens } = span;
  return [
    {
      projectId,
      agentId: span.agentId,
      runId: span.runId,
      configVersion: span.configVersion,
      model: span.isLlmCall ? span.model : null,
      provider: span.provider,
      at: span.timestamp,
      tokens: {
        input_tokens: tokens?.inputTokens ?? 0,
        cache_read_tokens: tokens?.cacheReadTokens ?? 0,
        cache_write_tokens: tokens?.cacheWriteTokens ?? 0,
        output_tokens: tokens?.outputTokens ?? 0,
        reasoning_tokens: tokens?.reasoningTokens ?? 0,
      },
      llmCalls: span.isLlmCall ? 1 : 0,
      toolCalls: span.isToolCall ? 1 : 0,
      toolErrors: span.isToolCall && span.status === 'error' ? 1 : 0,
      toldCostMicros: span.costMicros,
    },
  ];
}
