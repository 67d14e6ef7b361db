import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentSession } from '../../access/caller.js';
import type { SessionPrincipal } from '../../access/principal.js';
import { RateLimited } from '../../access/rate-limited.js';
import type { RequestOrigin } from '../../access/request-origin.js';
import { Public, UserRoute } from '../../access/route-access.js';
import { OpenForEnrolment } from '../../access/step-up.js';
import { ApiErrors } from '../../http/openapi/api-errors.js';
import { Origin } from '../../http/request-origin.js';
import { SecondFactorQuestion, toSecondFactorQuestion } from '../../http/second-factor-question.js';
import { NoBody } from '../../http/validation.js';
import { TokensResponse, toTokensResponse } from '../dto/auth.responses.js';
import { PasswordLoginGuard } from '../password-login.guard.js';
import { SecondFactorLoginRequest, StepUpRequest, toFactorAnswer, toProof } from './dto/factor.requests.js';
import { StepUpResponse } from './dto/factor.responses.js';
import { SecondFactorLoginsService } from './second-factor-logins.service.js';
import { StepUpsService } from './step-ups.service.js';

/** People prove who they are, beyond a password: at a login, or again within a session. */
@ApiTags('Auth')
@Controller('auth')
export class ProofsController {
  constructor(
    private readonly logins: SecondFactorLoginsService,
    private readonly stepUps: StepUpsService,
  ) {}

  @Post('login/second-factor')
  @UseGuards(PasswordLoginGuard)
  @HttpCode(200)
  @Public()
  @RateLimited('login')
  @ApiOperation({
    summary: 'Finish a login with a second factor, and get tokens',
    description:
      'For `login` replies with `second_factor_required`: send its token and exactly one answer. After a wrong ' +
      'answer the token stays valid, for five minutes in total.',
  })
  @ApiOkResponse({ type: TokensResponse })
  @ApiErrors(403, {
    401: 'The answer is wrong (`wrong_second_factor`), or the token is invalid or expired (`second_factor_expired`).',
    429: 'Too many logins from this IP address, or too many wrong passwords or codes for this account.',
  })
  async finishLogin(
    @Body() body: SecondFactorLoginRequest,
    @Origin() origin: RequestOrigin,
  ): Promise<TokensResponse> {
    return toTokensResponse(await this.logins.finish(body.token, toFactorAnswer(body), origin));
  }

  @Post('step-up/options')
  @UserRoute({ tokenOnly: true, personal: true })
  @OpenForEnrolment()
  @NoBody()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Start a step-up: show how the caller can confirm their identity',
    description: 'Only a passkey needs the token. A new challenge ends the previous one.',
  })
  @ApiOkResponse({ type: SecondFactorQuestion })
  @ApiErrors(422)
  async beginStepUp(@CurrentSession() session: SessionPrincipal): Promise<SecondFactorQuestion> {
    return toSecondFactorQuestion(await this.stepUps.ask(session));
  }

  @Post('step-up')
  @UserRoute({ tokenOnly: true, personal: true })
  @OpenForEnrolment()
  @HttpCode(200)
  @ApiOperation({
    summary: "Complete a step-up of the session: confirm the caller's identity",
    description:
      'Takes exactly one proof; a password only if the account has no second factor. For ten minutes, the session ' +
      'may call routes that reply `step_up_required` otherwise. A login counts as a step-up.',
  })
  @ApiOkResponse({ type: StepUpResponse })
  @ApiErrors({
    400: 'The proof is wrong, the challenge is expired, or the body is not JSON.',
    429: 'Too many wrong passwords or codes for this account.',
  })
  async stepUp(
    @CurrentSession() session: SessionPrincipal,
    @Body() body: StepUpRequest,
  ): Promise<StepUpResponse> {
    const { proof, token } = toProof(body);
    return { fresh_until: await this.stepUps.prove(session, proof, token) };
  }
}
