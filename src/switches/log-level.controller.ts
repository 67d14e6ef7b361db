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
    summary: "Show the level of the service's log; operators only",
    description: 'Every instance applies a change within a second.',
  })
  @ApiOkResponse({ type: LogLevelResponse })
  async getLogLevel(): Promise<LogLevelResponse> {
    return toLogLevelResponse(await this.levels.present());
  }

  @Put()
  @ApiOperation({
    summary: 'Set the log level of all instances for a while; operators only',
    description: 'With `debug` and `trace`, the log has a line for each request, without its query and body.',
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
    summary: 'Reset the log level of all instances to `LOG_LEVEL`; operators only',
    description: 'Succeeds even if no level is set.',
  })
  @ApiNoContentResponse({ description: 'Each instance uses its own `LOG_LEVEL`.' })
  async deleteLogLevel(@CurrentUser() user: UserPrincipal): Promise<void> {
    await this.requests.run(user.userId, undefined, (tx) => this.levels.delete(tx, user));
  }
}
