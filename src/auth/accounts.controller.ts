import { Body, Controller, HttpCode, Patch, Post, UseGuards } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import { toUserResponse, UserResponse } from '../users/user.response.js';
import { AccountsService } from './accounts.service.js';
import { InvitationsService } from './invitations.service.js';
import { InvitationResponse, toInvitationResponse } from './dto/invitation.response.js';
import { InviteUserRequest, UpdateUserRequest } from './dto/account.requests.js';
import { rolesInProjects } from './dto/project-roles.js';

/** The routes of accounts that concern sessions, passwords and agents, which the users' code does not know. */
import { PasswordLoginGuard } from './password-login.guard.js';

@ApiTags('Users')
@UserRoute({ operator: true, tokenOnly: true })
@Controller('users')
export class AccountsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly invitations: InvitationsService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Post()
  @ApiOperation({
    summary: 'Create an account, and a one-time link to set its password, good for 72 hours; operators only',
    description: 'The service sends no mail: hand the link on yourself.',
  })
  @ApiCreatedResponse({ type: InvitationResponse })
  @ApiErrors({
    400: 'The address is taken, or the body is not JSON.',
    404: 'There is no such project.',
    409: 'A project is a personal one, or a request with this `Idempotency-Key` is still running.',
  })
  inviteUser(
    @CurrentUser() user: UserPrincipal,
    @Body() body: InviteUserRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<InvitationResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toInvitationResponse(
        await this.invitations.invite(tx, user, {
          email: body.email,
          name: body.name || null,
          projects: rolesInProjects(body.projects),
        }),
      ),
    );
  }

  @Patch(':user_id')
  @ApiOperation({
    summary: 'Activate or deactivate an account, or make it an operator or not; operators only',
    description:
      'Whoever is deactivated loses every session at once. The last active operator can not be removed.',
  })
  @ApiOkResponse({ type: UserResponse })
  @ApiErrors({ 409: 'The account is the last active operator.' })
  async updateUser(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('user_id') userId: string,
    @Body() body: UpdateUserRequest,
  ): Promise<UserResponse> {
    const change = { isActive: body.is_active, isAdmin: body.is_admin, stopAgents: body.stop_agents };
    return toUserResponse(await this.accounts.update(user, userId, change));
  }

  @Post(':user_id/password-reset')
  @NoBody()
  @UseGuards(PasswordLoginGuard)
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Make a one-time link to set a new password, good for 72 hours; the sessions of the account end; operators only',
    description:
      'It replaces the link that the account had. The present password stays until the link is used. The owner of the account ' +
      'reads of it: `password_reset_at` of `GET /auth/me`, the dashboard and their audit log.',
  })
  @ApiOkResponse({ type: InvitationResponse })
  async createPasswordReset(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('user_id') userId: string,
  ): Promise<InvitationResponse> {
    return toInvitationResponse(await this.invitations.issueReset(user, userId));
  }
}
