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
    summary: 'Create an account, and a one-time link to set its password, valid for 72 hours; operators only',
    description: 'The service sends no mail: pass the link on yourself.',
  })
  @ApiCreatedResponse({ type: InvitationResponse })
  @ApiErrors({
    403: 'Operators only; or a role is an owner, and the session needs a step-up.',
    400: 'The email address is taken, or the body is not JSON.',
    404: 'There is no such project.',
    409: 'One of the projects is a personal one, or a request with this `Idempotency-Key` is still in progress.',
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
    summary: 'Activate or deactivate an account, or make it an operator or a user; operators only',
    description:
      "Deactivation ends all sessions of the account at once. The last active operator can't be deactivated or " +
      'demoted.',
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
    summary: 'Delete an account and the personal data of its owner; operators only',
    description:
      'Its sessions, factors, keys, memberships and personal project are deleted at once, with leads and newsletter ' +
      'subscriptions of its email address. Within ten minutes, the audit log keeps only the action, the time and ' +
      '`user:<id>` of what the person did, without email address, request and details.',
  })
  @ApiNoContentResponse({
    description: 'The account is deleted, and every instance refuses its tokens and keys within a second.',
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
      "Create a one-time link to set a new password, valid for 72 hours; ends the account's sessions; operators " +
      'only',
    description:
      'Replaces the previous link of the account. The password stays valid until the link is used. The owner of the ' +
      'account is informed: in `password_reset_at` of `GET /auth/me`, the dashboard and their audit log.',
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
      'Also deletes its recovery codes and ends its sessions. Its owner then logs in with the password and can add ' +
      'new factors.',
  })
  @ApiNoContentResponse({
    description: 'The factors are removed, and every instance refuses the tokens within a second.',
  })
  @ApiErrors({ 403: OPERATORS })
  async removeSecondFactors(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('user_id') userId: string,
  ): Promise<void> {
    await this.lostFactors.removeAll(user, userId);
  }
}
