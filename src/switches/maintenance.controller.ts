import { Body, Controller, Delete, Get, HttpCode, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import { OpenInMaintenance } from '../access/open-in-maintenance.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { NoBody } from '../http/validation.js';
import { PutMaintenanceRequest } from './dto/maintenance.request.js';
import { MaintenanceResponse, toMaintenanceResponse } from './maintenance.response.js';
import { MaintenanceService } from './maintenance.service.js';

@ApiTags('Service')
@OpenInMaintenance()
@Controller('maintenance')
export class MaintenanceController {
  constructor(
    private readonly maintenance: MaintenanceService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "Show whether people's changes are refused now, and why",
    description: 'Every instance applies a change within a second.',
  })
  @ApiOkResponse({ type: MaintenanceResponse })
  async getMaintenance(): Promise<MaintenanceResponse> {
    return toMaintenanceResponse(await this.maintenance.present());
  }

  @Put()
  @UserRoute({ operator: true, tokenOnly: true })
  @ApiOperation({
    summary: "Start maintenance: refuse people's changes on all instances; operators only",
    description:
      'Reads, sign-in, agents, schedules and webhooks keep working. A second call replaces the reason and the end.',
  })
  @ApiOkResponse({ type: MaintenanceResponse })
  putMaintenance(
    @CurrentUser() user: UserPrincipal,
    @Body() body: PutMaintenanceRequest,
  ): Promise<MaintenanceResponse> {
    return this.requests.run(user.userId, undefined, async (tx) =>
      toMaintenanceResponse(await this.maintenance.start(tx, user, body)),
    );
  }

  @Delete()
  @NoBody()
  @UserRoute({ operator: true, tokenOnly: true })
  @HttpCode(204)
  @ApiOperation({
    summary: "End maintenance: accept people's changes again; operators only",
    description: 'Succeeds even if there is no maintenance.',
  })
  @ApiNoContentResponse({ description: 'Maintenance has ended.' })
  async deleteMaintenance(@CurrentUser() user: UserPrincipal): Promise<void> {
    await this.requests.run(user.userId, undefined, (tx) => this.maintenance.end(tx, user));
  }
}
