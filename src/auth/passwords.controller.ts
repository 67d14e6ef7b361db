import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentSession } from '../access/caller.js';
import type { SessionPrincipal } from '../access/principal.js';
import { RateLimited } from '../access/rate-limited.js';
import type { RequestOrigin } from '../access/request-origin.js';
import { Public, UserRoute } from '../access/route-access.js';
import { OpenForEnrolment, StepUp } from '../access/step-up.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { Origin } from '../http/request-origin.js';
import { ChangePasswordRequest, ResetPasswordRequest } from './dto/password.requests.js';
import { PasswordResetResponse, TokensResponse, toTokensResponse } from './dto/auth.responses.js';
import { PasswordChangesService } from './password-changes.service.js';
import { PasswordResetsService } from './password-resets.service.js';
import { PasswordLoginGuard } from './password-login.guard.js';

@ApiTags('Auth')
@Controller('auth')
export class PasswordsController {
  constructor(
    private readonly changes: PasswordChangesService,
    private readonly resets: PasswordResetsService,
  ) {}

  @Post('password')
  @UseGuards(PasswordLoginGuard)
  @HttpCode(200)
  @UserRoute({ tokenOnly: true, personal: true })
  @OpenForEnrolment()
  @StepUp()
  @ApiOperation({
    summary: "Change the caller's password; all other sessions end",
    description: 'Returns new tokens for the current session.',
  })
  @ApiOkResponse({ type: TokensResponse })
  @ApiErrors({
    403: 'Password login is off, or the session needs a step-up.',
    400: 'The current password is wrong, the new one breaks rules, or the body is not JSON.',
    429: 'Too many wrong passwords for this account.',
  })
  async changePassword(
    @CurrentSession() session: SessionPrincipal,
    @Body() body: ChangePasswordRequest,
    @Origin() origin: RequestOrigin,
  ): Promise<TokensResponse> {
    const change = { currentPassword: body.current_password, newPassword: body.new_password };
    return toTokensResponse(await this.changes.change(session, change, origin));
  }

  @Post('password-reset')
  @UseGuards(PasswordLoginGuard)
  @HttpCode(200)
  @Public()
  @RateLimited('login')
  @ApiOperation({
    summary: 'Set a password with a one-time link; all sessions of the account end',
    description: 'The link comes from an invitation or a reset; valid once, for 72 hours.',
  })
  @ApiOkResponse({ type: PasswordResetResponse })
  @ApiErrors({
    403: 'Password login is off.',
    400: 'The link was used, replaced or has expired; the password breaks rules; or the body is not JSON.',
  })
  async resetPassword(
    @Body() body: ResetPasswordRequest,
    @Origin() origin: RequestOrigin,
  ): Promise<PasswordResetResponse> {
    await this.resets.reset(body.token, body.new_password, origin);
    return { message: 'Password set' };
  }
}
