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
    summary: 'Spans of a run, in the order of their starts',
    description:
      "What is older than `SPAN_RETENTION_DAYS`, or than the project's limit `span_days`, is removed. Attributes and events are in the reply for one span.",
  })
  @FeedOf(SpanResponse)
  async listSpans(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('run_id') runId: string,
    @Query() query: ListSpansQuery,
  ): Promise<Page<SpanResponse>> {
    const page = await this.spans.list(user, runId, query.limit, query.after);
    return page.map(toSpanResponse).continuedBy('after', ({ id }) => id);
  }

  @Get(':span_id')
  @ApiOperation({
    summary: 'A span of a run, with its attributes and events',
    description:
      'What messages and tools contain is kept only if `capture` of the agent says so. It is shown with `reveal=true`, to whoever may ' +
      'change the agent; the audit log has an entry of each time.',
  })
  @ApiParam({
    name: 'span_id',
    description:
      'Its `span_id`, or its `id`: of several traces of a run that have the same `span_id`, that alone names the first to begin.',
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
