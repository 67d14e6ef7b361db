import { Body, Controller, Get, Patch, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { PageOf } from '../http/page-reply.js';
import { pageRequest } from '../http/page-query.js';
import { RevealQuery } from '../http/reveal-query.js';
import { UuidParam } from '../http/uuid-param.js';
import { AgentChangesService } from './agent-changes.service.js';
import { AgentConfigResponse, toAgentConfigResponse } from './agent-config.response.js';
import { AgentConfigsService } from './agent-configs.service.js';
import { ApiIfMatch, IfMatch } from './if-match.js';
import { viewFor } from './config-view.js';
import { AgentResponse, toAgentResponse } from './agent.response.js';
import { ListAgentConfigsQuery, UpdateAgentRequest } from './dto/agent.requests.js';
import { WholeNumberParam } from './whole-number-param.js';

@ApiTags('Agents')
@Controller('agents/:agent_id')
export class AgentChangesController {
  constructor(
    private readonly changes: AgentChangesService,
    private readonly configs: AgentConfigsService,
  ) {}

  @Patch()
  @UserRoute({ scope: 'agents' })
  @ApiOperation({
    summary: 'Change an agent; absent fields keep their values',
    description:
      'A changed `config` becomes the next config version. Existing deployments keep their version. `{"secret": ' +
      "true}` in its `env` keeps that variable's value from the newest version, so that a config can be sent back " +
      'as it was shown. `{"secret": "..."}` sets a value that no reply ever shows. `project_id` moves the agent to ' +
      'another project, with its deployments, commands, keys and telemetry; its program keeps running.',
  })
  @ApiIfMatch()
  @ApiOkResponse({ type: AgentResponse })
  @ApiErrors({
    409: 'The project has the maximum number of agents.',
    429: 'The agent or its project has used its daily quota of config versions.',
  })
  async updateAgent(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Body() body: UpdateAgentRequest,
    @IfMatch() configVersions: readonly number[] | undefined,
  ): Promise<AgentResponse> {
    const { project_id: projectId, on_loop: onLoop, usage_from: usageFrom, ...change } = body;
    const changes = { ...change, projectId, onLoop, usageFrom };
    const agent = await this.changes.update(user, agentId, changes, configVersions);
    return toAgentResponse(agent, viewFor(user, agent.projectId));
  }

  @Get('configs')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "List the versions of an agent's config, newest first",
    description:
      'A version never changes, and its number is never used again. The newest 100 versions of each agent are kept ' +
      '(`KEPT_CONFIGS_PER_AGENT`), and older ones that a deployment, a run or usage refers to.',
  })
  @PageOf(AgentConfigResponse)
  async listAgentConfigs(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Query() query: ListAgentConfigsQuery,
  ): Promise<Page<AgentConfigResponse>> {
    return (await this.configs.list(user, agentId, pageRequest(query))).map((version) =>
      toAgentConfigResponse(version, 'masked'),
    );
  }

  @Get('configs/:config_version')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "Show one version of an agent's config",
    description: 'With `reveal=true`, secrets are shown, except write-only values.',
  })
  @ApiOkResponse({ type: AgentConfigResponse })
  async getAgentConfig(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @WholeNumberParam('config_version') configVersion: number,
    @Query() { reveal }: RevealQuery,
  ): Promise<AgentConfigResponse> {
    const { version, view } = await this.configs.find(user, agentId, configVersion, reveal);
    return toAgentConfigResponse(version, view);
  }
}
