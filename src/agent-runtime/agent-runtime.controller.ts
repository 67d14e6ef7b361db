import { Body, Controller, Get, HttpCode, Next, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { NextFunction, Response } from 'express';
import { CurrentAgent, CurrentPrincipal } from '../access/caller.js';
import type { AgentPrincipal, Principal } from '../access/principal.js';
import type { RequestOrigin } from '../access/request-origin.js';
import { AgentRoute, EnrolmentRoute } from '../access/route-access.js';
import { CurrentWaiting, type WaitingCaller } from '../access/waiting-caller.js';
import { WaitingRoute } from '../access/waiting-route.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { NoHead } from '../http/no-head.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { Origin } from '../http/request-origin.js';
import { UuidParam } from '../http/uuid-param.js';
import { CommandRepliesService } from './command-replies.service.js';
import {
  AcknowledgeCommandRequest,
  HeartbeatRequest,
  PollCommandsQuery,
  RegisterRequest,
} from './dto/runtime.requests.js';
import {
  AcknowledgedResponse,
  CommandListResponse,
  HeartbeatResponse,
  RegisteredResponse,
  RuntimeStatusResponse,
  toAcknowledgedResponse,
  toCommandListResponse,
  toHeartbeatResponse,
  toRuntimeStatusResponse,
} from './dto/runtime.responses.js';
import { HeartbeatsService } from './heartbeats.service.js';
import { RegistrationService } from './registration.service.js';
import { RuntimeCommandsService } from './runtime-commands.service.js';
import { RuntimeQueriesService } from './runtime-queries.service.js';

/** The agent's key is removed with it, so that the next call returns 401. */
const JUST_REMOVED = { 404: 'The agent has just been removed.' };

/** The routes that an agent's own process calls, with the agent's key. */
@ApiTags('Agent runtime')
@Controller('agents')
export class AgentRuntimeController {
  constructor(
    private readonly registrations: RegistrationService,
    private readonly heartbeats: HeartbeatsService,
    private readonly replies: CommandRepliesService,
    private readonly runtimeCommands: RuntimeCommandsService,
    private readonly queries: RuntimeQueriesService,
  ) {}

  @Post('register')
  @HttpCode(200)
  @EnrolmentRoute()
  @ApiOperation({
    summary: "Register the runtime (agent key), or enrol a new agent (a person's credential)",
    description:
      "An agent key updates its own agent. A person's credential creates an agent and its first key, which is shown " +
      'only once.',
  })
  @ApiOkResponse({ type: RegisteredResponse })
  @ApiErrors({ 404: 'The agent has just been removed, or there is no such project.' })
  async registerAgent(
    @CurrentPrincipal() principal: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: RegisterRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<RegisteredResponse> {
    return this.registrations.register(principal, origin, body, request);
  }

  @Post('heartbeat')
  @HttpCode(200)
  @AgentRoute()
  @ApiOperation({
    summary: 'Send a heartbeat: the state of the agent and its deployments',
    description:
      '200: the heartbeat is committed. An agent that misses four of its assigned intervals is marked as lost.',
  })
  @ApiOkResponse({ type: HeartbeatResponse })
  @ApiErrors(JUST_REMOVED)
  async sendHeartbeat(
    @CurrentAgent() agent: AgentPrincipal,
    @Body() body: HeartbeatRequest,
  ): Promise<HeartbeatResponse> {
    return toHeartbeatResponse(await this.heartbeats.receive(agent, body), new Date());
  }

  @Get('commands')
  @NoHead()
  @AgentRoute()
  @WaitingRoute()
  @ApiOperation({
    summary: 'Fetch the commands that are due, waiting for one if `wait` is given',
    description:
      'Each command is leased for 60 seconds and redelivered until it is acknowledged. With `wait`, the reply comes ' +
      'as soon as a command is due.',
  })
  @ApiOkResponse({ type: CommandListResponse })
  pollCommands(
    @CurrentAgent() agent: AgentPrincipal,
    @Query() query: PollCommandsQuery,
    @CurrentWaiting() caller: WaitingCaller,
    @Res() reply: Response,
    @Next() fail: NextFunction,
  ): void {
    // Nest keeps some 2 KB in memory for each request whose handler it awaits, and thousands of polls wait.
    this.runtimeCommands
      .poll(agent.agentId, query, caller)
      .then((commands) => reply.json(toCommandListResponse(commands)))
      .catch(fail);
  }

  @Post('commands/acknowledge')
  @HttpCode(200)
  @AgentRoute()
  @ApiOperation({
    summary: 'Acknowledge a command; the first acknowledgement counts',
    description: 'A later acknowledgement is a 200 with `duplicate`, and changes nothing.',
  })
  @ApiOkResponse({ type: AcknowledgedResponse })
  @ApiErrors({ 404: 'There is no such command, or it is for another agent.' })
  async acknowledgeCommand(
    @CurrentAgent() agent: AgentPrincipal,
    @Body() body: AcknowledgeCommandRequest,
  ): Promise<AcknowledgedResponse> {
    return toAcknowledgedResponse(body.command_id, await this.replies.acknowledge(agent, body));
  }

  @Get(':agent_id/status')
  @AgentRoute()
  @ApiOperation({
    summary: 'Show how the service sees the calling agent',
    description: 'Tells an agent whether its heartbeats arrive, and which deployments should run.',
  })
  @ApiOkResponse({ type: RuntimeStatusResponse })
  async getOwnStatus(
    @CurrentAgent() agent: AgentPrincipal,
    @UuidParam('agent_id') _agentId: string,
  ): Promise<RuntimeStatusResponse> {
    return toRuntimeStatusResponse(await this.queries.status(agent), new Date());
  }
}
