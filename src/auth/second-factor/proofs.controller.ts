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
      'After `login` has answered `second_factor_required`: with its token, and exactly one answer. After a wrong answer the ' +
      'token is still good, for five minutes in all.',
  })
  @ApiOkResponse({ type: TokensResponse })
  @ApiErrors(403, {
    401: 'The answer is wrong (`wrong_second_factor`), or the token not good any more (`second_factor_expired`).',
    429: 'Too many logins from this address, or too many wrong passwords or codes for this account.',
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
    summary: 'Ask how the caller can prove again who they are',
    description: 'The token goes back with a passkey alone; the question before it ends.',
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
    summary: 'Prove again who calls: a step-up of the session',
    description:
      'With exactly one proof; a password is one only where the account has no second factor. For ten minutes the session may do ' +
      'what answers `step_up_required` otherwise. A login is a proof, too.',
  })
  @ApiOkResponse({ type: StepUpResponse })
  @ApiErrors({
    400: 'The proof is wrong, the question is not good any more, or the body is not JSON.',
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
