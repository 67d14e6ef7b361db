import { Body, Controller, Delete, Get, HttpCode, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import { OpenInMaintenance } from '../access/open-in-maintenance.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { NoBody } from '../http/validation.js';
import { PutLogLevelRequest } from './dto/log-level.request.js';
import { LogLevelResponse, toLogLevelResponse } from './log-level.response.js';
import { LogLevelService } from './log-level.service.js';

@ApiTags('Service')
@UserRoute({ operator: true, tokenOnly: true })
@OpenInMaintenance()
@Controller('log-level')
export class LogLevelController {
  constructor(
    private readonly levels: LogLevelService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Get()
  @ApiOperation({
    summary: "The level of the service's log; operators only",
    description: 'Every instance knows a change within a second.',
  })
  @ApiOkResponse({ type: LogLevelResponse })
  async getLogLevel(): Promise<LogLevelResponse> {
    return toLogLevelResponse(await this.levels.present());
  }

  @Put()
  @ApiOperation({
    summary: 'Set the level of the log of all instances for a while; operators only',
    description: 'With `debug` and `trace` each request is a line of the log, without query and body.',
  })
  @ApiOkResponse({ type: LogLevelResponse })
  putLogLevel(
    @CurrentUser() user: UserPrincipal,
    @Body() body: PutLogLevelRequest,
  ): Promise<LogLevelResponse> {
    return this.requests.run(user.userId, undefined, async (tx) =>
      toLogLevelResponse(await this.levels.put(tx, user, body)),
    );
  }

  @Delete()
  @NoBody()
  @HttpCode(204)
  @ApiOperation({
    summary: 'Let all instances log at their `LOG_LEVEL` again; operators only',
    description: 'Also where nobody has set a level.',
  })
  @ApiNoContentResponse({ description: 'Each logs at its own.' })
  async deleteLogLevel(@CurrentUser() user: UserPrincipal): Promise<void> {
    await this.requests.run(user.userId, undefined, (tx) => this.levels.delete(tx, user));
  }
}
