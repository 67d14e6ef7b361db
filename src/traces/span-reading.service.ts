import { Injectable } from '@nestjs/common';
import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import type { Page } from '../database/page.js';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import { NotFoundError } from '../errors/domain-error.js';
import { RunReadingService } from '../runs/run-reading.service.js';
import type { AgentSpanEntity } from './agent-span.entity.js';
import type { SpanContent } from './span-contents.service.js';
import { SpanContentsService } from './span-contents.service.js';
import { SpanRevealsService } from './span-reveals.service.js';
import { SpansRepository } from './spans.repository.js';

/** A span that a person has asked for. */
export interface FoundSpan {
  readonly span: AgentSpanEntity;
  readonly hasContent: boolean;
  /** Null unless it was asked for. */
  readonly content: SpanContent | null;
}

/** Reads the spans of runs for people. */
@Injectable()
export class SpanReadingService {
  constructor(
    private readonly spans: SpansRepository,
    private readonly runs: RunReadingService,
    private readonly telemetry: TelemetryDatabase,
    private readonly contents: SpanContentsService,
    private readonly reveals: SpanRevealsService,
  ) {}

  /**
   * The spans of a run, in the order of their starts.
   *
   * @param after id of the last span of the part before; an unknown one is followed by nothing
   * @throws NotFoundError
   */
  async list(
    caller: UserPrincipal,
    runId: string,
    limit: number,
    after?: string,
  ): Promise<Page<AgentSpanEntity>> {
    await this.runs.findWithin(ownReachOf(caller), runId);
    return this.spans.list(this.telemetry.people.manager, runId, limit, after);
  }

  /**
   * @param spanId the `id` of a span, or its 16 hexadecimal digits: of several traces of a run that have it, the first to begin
   * @param reveals true: with its content
   * @throws NotFoundError; ForbiddenError if the caller may not have the content
   */
  async find(caller: UserPrincipal, runId: string, spanId: string, reveals: boolean): Promise<FoundSpan> {
    const run = await this.runs.findWithin(ownReachOf(caller), runId);
    const { manager } = this.telemetry.people;
    const span = await this.spans.find(manager, runId, spanId);
    if (!span) throw new NotFoundError('Span');
    if (!reveals) return { span, hasContent: await this.contents.has(manager, span), content: null };
    this.reveals.assertMayReveal(caller, run.projectId);
    const content = await this.contents.read(manager, span);
    if (content) await this.reveals.record(caller, run, span);
    return { span, hasContent: content !== null, content };
  }
}
