import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { NotFoundError } from '../errors/domain-error.js';
import { FeedOf } from '../http/page-reply.js';
import { UuidParam } from '../http/uuid-param.js';
import { ListSpansQuery } from './dto/list-spans.query.js';
import { RevealSpanQuery } from './dto/reveal-span.query.js';
import { SpanDetailResponse, SpanResponse, toSpanDetail, toSpanResponse } from './span.response.js';
import { SpanReadingService } from './span-reading.service.js';

const SPAN_ID = '^([0-9a-f]{16}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$';
const IS_SPAN_ID = new RegExp(SPAN_ID);

@ApiTags('Runs')
@UserRoute({ scope: 'read' })
@Controller('runs/:run_id/spans')
export class SpansController {
  constructor(private readonly spans: SpanReadingService) {}

  @Get()
  @ApiOperation({
    summary: 'List the spans of a run, by start time',
    description:
      "Spans older than `SPAN_RETENTION_DAYS`, or the project's limit `span_days`, are deleted. Attributes and " +
      'events are only in the reply for one span.',
  })
  @FeedOf(SpanResponse)
  async listSpans(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('run_id') runId: string,
    @Query() query: ListSpansQuery,
  ): Promise<Page<SpanResponse>> {
    const page = await this.spans.list(user, runId, query.limit, query.after);
    return page.map(toSpanResponse).continuedBy(({ id }) => ({ after: id }));
  }

  @Get(':span_id')
  @ApiOperation({
    summary: 'Show a span of a run, with its attributes and events',
    description:
      "The content of messages and tools is only stored if the agent's `capture` says so. `reveal=true` shows it to " +
      'callers who may change the agent, and is recorded in the audit log.',
  })
  @ApiParam({
    name: 'span_id',
    description:
      'Its `span_id`, or its `id`. If several traces of a run have the same `span_id`, it refers to the first one.',
    schema: { type: 'string', pattern: SPAN_ID },
  })
  @ApiOkResponse({ type: SpanDetailResponse })
  async getSpan(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('run_id') runId: string,
    @Param('span_id') spanId: string,
    @Query() { reveal }: RevealSpanQuery,
  ): Promise<SpanDetailResponse> {
    if (!IS_SPAN_ID.test(spanId)) throw new NotFoundError('Span');
    return toSpanDetail(await this.spans.find(user, runId, spanId, reveal));
  }
}
