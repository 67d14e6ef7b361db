import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { UserNow } from '../access/user-now.js';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { pageRequest } from '../http/page-query.js';
import { AuditEntryResponse, toAuditEntryResponse } from './audit-entry.response.js';
import { AuditReadingService } from './audit-reading.service.js';
import { auditFilter, auditReader, ListAuditQuery } from './dto/list-audit.query.js';
import { PageOrLinesOf, jsonLines, WantsJsonLines } from './json-lines.js';

@ApiTags('Audit')
@Controller('audit')
export class AuditLogController {
  constructor(private readonly reading: AuditReadingService) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary:
      'Read the audit log, newest first: operators all of it, others their own actions and those on what they own',
    description:
      '`Accept: application/x-ndjson` streams all matching entries, one per line, without `skip` and `limit`.',
  })
  @PageOrLinesOf(AuditEntryResponse)
  async listAuditEntries(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListAuditQuery,
    @WantsJsonLines() wantsLines: boolean,
    @UserNow() userNow: () => Promise<UserPrincipal>,
  ): Promise<Page<AuditEntryResponse> | StreamableFile> {
    const reader = auditReader(user, query.project_id);
    return wantsLines
      ? jsonLines(
          this.reading.export(user, reader, auditFilter(query), async () =>
            auditReader(await userNow(), query.project_id),
          ),
          toAuditEntryResponse,
        )
      : (await this.reading.list(reader, auditFilter(query), pageRequest(query))).map(toAuditEntryResponse);
  }
}
