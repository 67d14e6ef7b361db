import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { PageOf } from '../http/page-reply.js';
import { pageRequest } from '../http/page-query.js';
import { UuidParam } from '../http/uuid-param.js';
import { DeploymentCommandsService } from './deployment-commands.service.js';
import { CommandRecordResponse, ListCommandsQuery, toCommandRecords } from './dto/deployment-commands.js';

@ApiTags('Deployments')
@Controller('deployments/:deployment_id/commands')
export class DeploymentCommandsController {
  constructor(private readonly commands: DeploymentCommandsService) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "List a deployment's commands, their states, and why they wait",
    description: 'Newest first.',
  })
  @PageOf(CommandRecordResponse)
  async listDeploymentCommands(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') id: string,
    @Query() query: ListCommandsQuery,
  ): Promise<Page<CommandRecordResponse>> {
    return toCommandRecords(
      await this.commands.list(user, id, query.state ?? null, pageRequest(query)),
      new Date(),
    );
  }
}
