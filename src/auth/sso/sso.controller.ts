import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RateLimited } from '../../access/rate-limited.js';
import type { RequestOrigin } from '../../access/request-origin.js';
import { Public } from '../../access/route-access.js';
import { WaitingRoute } from '../../access/waiting-route.js';
import { ApiErrors } from '../../http/openapi/api-errors.js';
import { Origin } from '../../http/request-origin.js';
import { TokensResponse, toTokensResponse } from '../dto/auth.responses.js';
import { BeginSsoRequest, FinishSsoRequest } from './dto/sso.requests.js';
import { LoginMethodsResponse, SsoFlowResponse } from './dto/sso.responses.js';
import { IdentityProvider } from './identity-provider.js';
import { SignInFlows } from './sign-in-flows.js';
import { SsoLoginsService } from './sso-logins.service.js';
import { SsoRules } from './sso-rules.js';

/** Single sign-on with OpenID Connect: authorization code with PKCE. */
@ApiTags('Auth')
@Controller('auth')
export class SsoController {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly flows: SignInFlows,
    private readonly logins: SsoLoginsService,
    private readonly rules: SsoRules,
  ) {}

  @Get('methods')
  @Public()
  @ApiOperation({
    summary: 'List the login methods',
    description: 'For a login page: whether passwords are accepted, and whether there is single sign-on.',
  })
  @ApiOkResponse({ type: LoginMethodsResponse })
  @ApiErrors(422)
  getLoginMethods(): Promise<LoginMethodsResponse> {
    return this.rules.methods();
  }

  @Post('sso')
  @HttpCode(200)
  @Public()
  @WaitingRoute()
  @RateLimited('login')
  @ApiOperation({
    summary:
      'Start a single sign-on: open `authorization_url` in a browser, and keep `flow` and the verifier',
    description:
      'The identity provider redirects the browser with a query string, which `finishSso` takes with `flow` and the ' +
      'verifier of `code_challenge` (PKCE, RFC 7636).',
  })
  @ApiOkResponse({ type: SsoFlowResponse })
  @ApiErrors({
    403: 'Single sign-on is not configured.',
    502: "The identity provider's reply is invalid.",
  })
  async beginSso(@Body() body: BeginSsoRequest): Promise<SsoFlowResponse> {
    const { flow, secrets } = this.flows.begin(body.code_challenge, body.loopback_port ?? undefined);
    return { flow, authorization_url: await this.provider.authorizationUrl(secrets) };
  }

  @Post('sso/tokens')
  @HttpCode(200)
  @Public()
  @WaitingRoute()
  @RateLimited('login')
  @ApiOperation({
    summary: 'Finish a single sign-on and get tokens',
    description: 'Each sign-in can be finished once, within ten minutes.',
  })
  @ApiOkResponse({ type: TokensResponse })
  @ApiErrors({
    400: 'The sign-in has expired, was finished before, or belongs to another browser; or the body is not JSON.',
    403:
      'The provider refused, the sign-in is too weak, the account is deactivated, or there is no account and ' +
      'registration is closed.',
    502: "The identity provider's reply is invalid.",
  })
  async finishSso(@Body() body: FinishSsoRequest, @Origin() origin: RequestOrigin): Promise<TokensResponse> {
    const { flow, code_verifier: verifier, query } = body;
    const identity = await this.provider.identify(query, verifier, this.flows.read(flow, verifier));
    return toTokensResponse(await this.logins.login(identity, origin));
  }
}
