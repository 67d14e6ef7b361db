import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { type EndedTrace, TracedRunsService } from '../runs/traced-runs.service.js';
import type { Stray } from '../telemetry/entry-references.js';
import { SpanPlacingService } from './span-placing.service.js';
import { SpanStoringService } from './span-storing.service.js';
import type { SubmittedSpan } from './span.types.js';
import type { NewSpan } from './spans.repository.js';
import { ToolLoopsService } from './tool-loops.service.js';

/**
 * Bytes of a span that count towards the quota, besides its texts: its ids, its times, its numbers, and its places
 * in indexes.
 */
const BYTES_OF_A_SPAN = 300;

/** Takes the spans that agents export, within their quotas. */
@Injectable()
export class TraceIngestService {
  constructor(
    private readonly placing: SpanPlacingService,
    private readonly storing: SpanStoringService,
    private readonly loops: ToolLoopsService,
    private readonly runs: TracedRunsService,
    private readonly quotas: QuotasService,
  ) {}

  /**
   * Stores an export, which may succeed partly. Resolves after the commit. The roots in it end the runs that are known from their
   * spans alone; an export that is sent again because that failed ends them, too.
   *
   * @returns the spans that were left out, because they name a deployment or a run of another agent
   * @throws RateLimitedError
   */
  export(agent: AgentPrincipal, entries: readonly SubmittedSpan[]): Promise<readonly Stray<SubmittedSpan>[]> {
    return this.quotas.during(agent, 'spans', bytesOf(entries), () => this.store(agent, entries));
  }

  private async store(
    agent: AgentPrincipal,
    entries: readonly SubmittedSpan[],
  ): Promise<readonly Stray<SubmittedSpan>[]> {
    const { spans, strays } = await this.placing.place(agent, entries);
    const looping = await this.storing.store({ projectId: agent.projectId, spans });
    await this.loops.tellAll(agent.agentId, looping);
    await this.runs.end(agent, spans.flatMap(endOf));
    return strays;
  }
}

/** Bytes of an export that count towards the quota: also spans that were stored before. */
function bytesOf(entries: readonly SubmittedSpan[]): number {
  return entries.reduce((sum, { name, attributes, events, content }) => {
    const texts = [name, attributes, events, content].map((text) => Buffer.byteLength(text ?? ''));
    return texts.reduce((bytes, text) => bytes + text, sum + BYTES_OF_A_SPAN);
  }, 0);
}

function endOf({
  endsRun,
  runId,
  timestamp,
  durationMs,
  status,
  errorMessage,
  errorType,
}: NewSpan): EndedTrace[] {
  if (!endsRun || runId === null) return [];
  const error =
    status === 'error' ? (errorMessage ?? errorType ?? 'The root span ended with an error') : null;
  return [{ runId, endedAt: new Date(timestamp.getTime() + durationMs), error }];
}
