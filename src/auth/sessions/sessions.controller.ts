import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentSession } from '../../access/caller.js';
import type { SessionPrincipal } from '../../access/principal.js';
import { UserRoute } from '../../access/route-access.js';
import { OpenForEnrolment } from '../../access/step-up.js';
import type { Page } from '../../database/page.js';
import { ApiErrors } from '../../http/openapi/api-errors.js';
import { PageOf } from '../../http/page-reply.js';
import { pageRequest, ResourcePageQuery } from '../../http/page-query.js';
import { UuidParam } from '../../http/uuid-param.js';
import { NoBody } from '../../http/validation.js';
import { SessionResponse, toSessionResponse } from './session.response.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Auth')
@UserRoute({ tokenOnly: true, personal: true })
@OpenForEnrolment()
@Controller('auth/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @ApiOperation({
    summary: "List the caller's active sessions, newest first",
    description: 'A session starts with a login and lasts for at most `SESSION_MAX_DAYS`.',
  })
  @PageOf(SessionResponse)
  async listSessions(
    @CurrentSession() { userId, sessionId }: SessionPrincipal,
    @Query() query: ResourcePageQuery,
  ): Promise<Page<SessionResponse>> {
    return (await this.sessions.list(userId, pageRequest(query))).map((session) =>
      toSessionResponse(session, sessionId),
    );
  }

  @Delete()
  @NoBody()
  @HttpCode(204)
  @ApiOperation({
    summary: "End all of the caller's sessions except this one",
    description: 'Every instance refuses their tokens within a second.',
  })
  @ApiNoContentResponse({ description: 'Every instance refuses their tokens within a second.' })
  @ApiErrors(422)
  async endOtherSessions(@CurrentSession() session: SessionPrincipal): Promise<void> {
    await this.sessions.endOthers(session);
  }

  @Delete(':session_id')
  @NoBody()
  @HttpCode(204)
  @ApiOperation({
    summary: "End one of the caller's sessions",
    description: 'Every instance refuses its tokens within a second.',
  })
  @ApiNoContentResponse({ description: 'Every instance refuses its tokens within a second.' })
  async endSession(
    @CurrentSession() session: SessionPrincipal,
    @UuidParam('session_id') sessionId: string,
  ): Promise<void> {
    await this.sessions.end(session, sessionId);
  }
}
