import { Body, Controller, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import type { RequestOrigin } from '../access/request-origin.js';
import { RateLimited } from '../access/rate-limited.js';
import { Public, UserRoute } from '../access/route-access.js';
import { OpenForEnrolment } from '../access/step-up.js';
import { WaitingRoute } from '../access/waiting-route.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { Origin } from '../http/request-origin.js';
import { NoBody } from '../http/validation.js';
import { toUserResponse, UserResponse } from '../users/user.response.js';
import { UsersService } from '../users/users.service.js';
import { AccountByEmail, AccountByRefreshToken } from './accounts-of-requests.js';
import { AuthService } from './auth.service.js';
import { RegistrationService } from './registration.service.js';
import { LoginRequest, RefreshRequest, RegisterUserRequest } from './dto/auth.requests.js';
import { LogoutResponse, TokensResponse, toTokensResponse } from './dto/auth.responses.js';
import { PasswordLoginGuard } from './password-login.guard.js';
import { SessionRefreshesService } from './sessions/session-refreshes.service.js';

@ApiTags('Auth')
@Controller('auth')
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly refreshes: SessionRefreshesService,
    private readonly registration: RegistrationService,
    private readonly users: UsersService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Post('register')
  @UseGuards(PasswordLoginGuard)
  @Public()
  @RateLimited('register', AccountByEmail)
  @ApiOperation({
    summary: 'Create an account and get its first tokens',
    description: 'The first account may become the operator; `ALLOW_REGISTRATION=false` closes registration.',
  })
  @ApiCreatedResponse({ type: TokensResponse })
  @ApiErrors({
    400: 'The email address is taken, the password breaks rules (all of which are named), or the body is not JSON.',
    403: 'Registration is closed, or the setup token is wrong or expired.',
  })
  async registerUser(
    @Body() body: RegisterUserRequest,
    @Keyed() request: KeyedRequest | undefined,
    @Origin() origin: RequestOrigin,
  ): Promise<TokensResponse> {
    const { email, password, name, setup_token: setupToken } = body;
    const registration = await this.registration.prepare(
      { email, password, name, setupToken: setupToken ?? undefined },
      origin,
    );
    return this.requests.run(undefined, request, async (tx) =>
      toTokensResponse(await this.registration.register(tx, registration, origin)),
    );
  }

  @Post('login')
  @UseGuards(PasswordLoginGuard)
  @HttpCode(200)
  @Public()
  @RateLimited('login')
  @ApiOperation({
    summary: 'Get tokens for an account',
    description:
      'An unknown email address takes as long as a wrong password. Only wrong passwords count towards the limit. ' +
      'For an account with a second factor, a correct password gets a 401 with the code `second_factor_required`; ' +
      'continue with `finishLogin`.',
  })
  @ApiOkResponse({ type: TokensResponse })
  @ApiErrors(403, {
    401: 'Email address or password is wrong, or a second factor is required.',
    429: 'Too many logins from this IP address, or too many wrong passwords for this account.',
  })
  async login(@Body() body: LoginRequest, @Origin() origin: RequestOrigin): Promise<TokensResponse> {
    return toTokensResponse(await this.auth.login(body.email, body.password, origin));
  }

  @Post('refresh')
  @HttpCode(200)
  @Public()
  @WaitingRoute()
  @RateLimited('refresh', AccountByRefreshToken)
  @ApiOperation({
    summary: 'Exchange a refresh token for new tokens',
    description:
      'A refresh token can be used once. For a minute, and until the new token is used, it returns the same new ' +
      'token again, for clients that lost the reply; after that, its use ends the session.',
  })
  @ApiOkResponse({ type: TokensResponse })
  @ApiErrors(403, { 401: 'The refresh token is invalid, used or expired.' })
  async refreshTokens(
    @Body() body: RefreshRequest,
    @Origin() origin: RequestOrigin,
  ): Promise<TokensResponse> {
    return toTokensResponse(await this.refreshes.refresh(body.refresh_token, origin));
  }

  @Post('logout')
  @NoBody()
  @HttpCode(200)
  @UserRoute({ tokenOnly: true, personal: true })
  @OpenForEnrolment()
  @ApiOperation({
    summary:
      'Log out: revokes nothing; the client deletes its tokens. `DELETE /auth/sessions/{session_id}` revokes them.',
    description: 'Needs no body, and changes nothing in the service.',
  })
  @ApiOkResponse({ type: LogoutResponse })
  @ApiErrors(422)
  logout(): LogoutResponse {
    return { message: 'Successfully logged out' };
  }

  @Get('me')
  @UserRoute({ tokenOnly: true, personal: true })
  @OpenForEnrolment()
  @ApiOperation({
    summary: "Show the caller's account",
    description: 'Requires an access token: an API key has no session.',
  })
  @ApiOkResponse({ type: UserResponse })
  async getCurrentUser(@CurrentUser() user: UserPrincipal): Promise<UserResponse> {
    return toUserResponse(await this.users.get(user.userId));
  }
}
