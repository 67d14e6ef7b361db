import { Body, Controller, Delete, HttpCode, Patch, Post, UseGuards } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { namesOwner, StepUp } from '../access/step-up.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import { toUserResponse, UserResponse } from '../users/user.response.js';
import { AccountDeletionService } from './account-deletion.service.js';
import { AccountsService } from './accounts.service.js';
import { InvitationsService } from './invitations.service.js';
import { InvitationResponse, toInvitationResponse } from './dto/invitation.response.js';
import { InviteUserRequest, UpdateUserRequest } from './dto/account.requests.js';
import { rolesInProjects } from './dto/project-roles.js';
import { PasswordLoginGuard } from './password-login.guard.js';
import { LostFactorsService } from './second-factor/lost-factors.service.js';

const OPERATORS = 'Operators only; or the session needs a step-up.';

/** The routes of accounts that concern sessions, passwords and agents, which the users' code does not know. */
@ApiTags('Users')
@UserRoute({ operator: true, tokenOnly: true })
@Controller('users')
export class AccountsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly invitations: InvitationsService,
    private readonly deletion: AccountDeletionService,
    private readonly lostFactors: LostFactorsService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Post()
  @StepUp(namesOwner('projects'))
  @ApiOperation({
    summary: 'Create an account, and a one-time link to set its password, good for 72 hours; operators only',
    description: 'The service sends no mail: hand the link on yourself.',
  })
  @ApiCreatedResponse({ type: InvitationResponse })
  @ApiErrors({
    403: 'Operators only; or a role is an owner, and the session needs a step-up.',
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
  @StepUp((body) => body.is_admin === true)
  @ApiOperation({
    summary: 'Activate or deactivate an account, or make it an operator or not; operators only',
    description:
      'Whoever is deactivated loses every session at once. The last active operator can not be removed.',
  })
  @ApiOkResponse({ type: UserResponse })
  @ApiErrors({
    403: 'Operators only; or the account becomes an operator, and the session needs a step-up.',
    409: 'The account is the last active operator.',
  })
  async updateUser(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('user_id') userId: string,
    @Body() body: UpdateUserRequest,
  ): Promise<UserResponse> {
    const change = { isActive: body.is_active, isAdmin: body.is_admin, stopAgents: body.stop_agents };
    return toUserResponse(await this.accounts.update(user, userId, change));
  }

  @Delete(':user_id')
  @StepUp()
  @NoBody()
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete an account, and erase what is known of its person; operators only',
    description:
      'Its sessions, factors, keys, memberships and personal project go at once, and so do leads and the newsletter of its address. Within ten ' +
      'minutes the audit log keeps of what the person did the action, the time and `user:<id>`, without address, request and details.',
  })
  @ApiNoContentResponse({
    description: 'It is gone, and every instance refuses its tokens and keys within a second.',
  })
  @ApiErrors({
    403: OPERATORS,
    409: 'The personal project has agents, or the person is the last owner of a project, or the last active operator.',
  })
  async deleteUser(@CurrentUser() user: UserPrincipal, @UuidParam('user_id') userId: string): Promise<void> {
    await this.deletion.delete(user, userId);
  }

  @Post(':user_id/password-reset')
  @StepUp()
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
  @ApiErrors({ 403: OPERATORS })
  async createPasswordReset(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('user_id') userId: string,
  ): Promise<InvitationResponse> {
    return toInvitationResponse(await this.invitations.issueReset(user, userId));
  }

  @Delete(':user_id/factors')
  @StepUp()
  @NoBody()
  @HttpCode(204)
  @ApiOperation({
    summary: 'Remove all second factors of an account whose owner has lost them; operators only',
    description:
      'Its recovery codes go too, and its sessions end: its person logs in with the password, and adds new ones.',
  })
  @ApiNoContentResponse({
    description: 'They are gone, and every instance refuses the tokens within a second.',
  })
  @ApiErrors({ 403: OPERATORS })
  async removeSecondFactors(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('user_id') userId: string,
  ): Promise<void> {
    await this.lostFactors.removeAll(user, userId);
  }
}
