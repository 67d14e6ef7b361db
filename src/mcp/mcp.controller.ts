import { Controller, HttpCode, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { WaitingRoute } from '../access/waiting-route.js';
import { KeyChallengeFilter } from './key-challenge.filter.js';
import { McpService } from './mcp.service.js';
import { callOf, refusalOfBody, send, toWebRequest } from './mcp-exchange.js';
import { OriginGuard } from './origin.guard.js';

/**
 * `POST /mcp`, outside of the API's document: the Model Context Protocol describes itself. It takes no place, because each tool
 * calls routes that take theirs.
 */
@ApiExcludeController()
@Controller('mcp')
@UseFilters(KeyChallengeFilter)
export class McpController {
  constructor(private readonly mcp: McpService) {}

  @Post()
  @HttpCode(200)
  @UserRoute({ gateway: true })
  @UseGuards(OriginGuard)
  @WaitingRoute()
  async callMcp(
    @CurrentUser() user: UserPrincipal,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const refusal = refusalOfBody(request.body);
    if (refusal) return send(response, refusal);
    const call = callOf(user, request, response);
    send(response, await this.mcp.serve(call, toWebRequest(request, call), request.body));
  }
}
