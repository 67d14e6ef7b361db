import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentSession } from '../../access/caller.js';
import type { SessionPrincipal } from '../../access/principal.js';
import { UserRoute } from '../../access/route-access.js';
import { OpenForEnrolment, StepUpOfEverybody } from '../../access/step-up.js';
import { IdempotentRequests } from '../../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../../http/idempotency/keyed-request.js';
import { ApiErrors } from '../../http/openapi/api-errors.js';
import { UuidParam } from '../../http/uuid-param.js';
import { NoBody } from '../../http/validation.js';
import { AddPasskeyRequest, AddTotpRequest, ConfirmTotpRequest } from './dto/factor.requests.js';
import {
  ConfirmedFactorResponse,
  NewTotpResponse,
  PasskeyCreationResponse,
  RecoveryCodesResponse,
  SecondFactorsResponse,
  toConfirmedFactorResponse,
  toNewTotpResponse,
  toPasskeyCreationResponse,
  toSecondFactorsResponse,
} from './dto/factor.responses.js';
import { FactorsService } from './factors.service.js';
import { PasskeyEnrolmentsService } from './passkey-enrolments.service.js';
import { Passkeys } from './passkeys.js';
import { TotpEnrolmentsService } from './totp-enrolments.service.js';

const STEP_UP = 'The session needs a step-up: its person has not proven within ten minutes who they are.';
const NO_MORE =
  'The account has no password, or ten factors; or a request with this `Idempotency-Key` is still running.';

@ApiTags('Auth')
@UserRoute({ tokenOnly: true, personal: true })
@OpenForEnrolment()
@Controller('auth')
export class FactorsController {
  constructor(
    private readonly factors: FactorsService,
    private readonly totps: TotpEnrolmentsService,
    private readonly passkeyEnrolments: PasskeyEnrolmentsService,
    private readonly passkeys: Passkeys,
    private readonly requests: IdempotentRequests,
  ) {}

  @Get('factors')
  @ApiOperation({
    summary: "The caller's second factors",
    description: 'Those that were never confirmed are left out.',
  })
  @ApiOkResponse({ type: SecondFactorsResponse })
  async getSecondFactors(@CurrentSession() { userId }: SessionPrincipal): Promise<SecondFactorsResponse> {
    const { factors, codesLeft } = await this.factors.list(userId);
    return toSecondFactorsResponse(factors, codesLeft, this.passkeys.areAvailable);
  }

  @Post('factors/totp')
  @StepUpOfEverybody()
  @ApiOperation({
    summary: 'Make the secret of an authenticator app',
    description:
      'It counts once `confirmTotpFactor` has got a code of it, within 15 minutes. The secret is shown this once.',
  })
  @ApiCreatedResponse({ type: NewTotpResponse })
  @ApiErrors({ 403: STEP_UP, 409: NO_MORE })
  addTotpFactor(
    @CurrentSession() session: SessionPrincipal,
    @Body() body: AddTotpRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<NewTotpResponse> {
    return this.requests.run(session.userId, request, async (tx) =>
      toNewTotpResponse(await this.totps.begin(tx, session, body.name)),
    );
  }

  @Post('factors/:factor_id/confirm')
  @HttpCode(200)
  @StepUpOfEverybody()
  @ApiOperation({
    summary: 'Confirm an authenticator app by its first code',
    description:
      'From then on a login asks for it. With the first factor come ten recovery codes, shown this once.',
  })
  @ApiOkResponse({ type: ConfirmedFactorResponse })
  @ApiErrors({
    400: 'The code is wrong, or the body is not JSON.',
    403: STEP_UP,
    409: 'The account has no password, or ten factors.',
  })
  async confirmTotpFactor(
    @CurrentSession() session: SessionPrincipal,
    @UuidParam('factor_id') id: string,
    @Body() body: ConfirmTotpRequest,
  ): Promise<ConfirmedFactorResponse> {
    return toConfirmedFactorResponse(await this.totps.confirm(session, id, body.code));
  }

  @Post('factors/passkeys/options')
  @NoBody()
  @HttpCode(200)
  @StepUpOfEverybody()
  @ApiOperation({
    summary: 'Begin to add a passkey',
    description: 'The answer is good for five minutes, once, and in this session.',
  })
  @ApiOkResponse({ type: PasskeyCreationResponse })
  @ApiErrors(422, {
    403: STEP_UP,
    409: "The account has no password, or ten factors; or browsers use no passkeys at the dashboard's address.",
  })
  async beginPasskey(@CurrentSession() session: SessionPrincipal): Promise<PasskeyCreationResponse> {
    return toPasskeyCreationResponse(await this.passkeyEnrolments.begin(session));
  }

  @Post('factors/passkeys')
  @StepUpOfEverybody()
  @ApiOperation({
    summary: 'Add a passkey',
    description:
      'From then on a login asks for it. With the first factor come ten recovery codes, shown this once.',
  })
  @ApiCreatedResponse({ type: ConfirmedFactorResponse })
  @ApiErrors({
    400: 'The answer is wrong, too late or was given before, or the body is not JSON.',
    403: STEP_UP,
    409: NO_MORE,
  })
  addPasskey(
    @CurrentSession() session: SessionPrincipal,
    @Body() body: AddPasskeyRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<ConfirmedFactorResponse> {
    return this.requests.run(session.userId, request, async (tx) =>
      toConfirmedFactorResponse(await this.passkeyEnrolments.finish(tx, session, body.token, body)),
    );
  }

  @Delete('factors/:factor_id')
  @NoBody()
  @HttpCode(204)
  @StepUpOfEverybody()
  @ApiOperation({
    summary: "Remove one of the caller's second factors",
    description: 'With the last one the recovery codes go, too, and the password alone is enough again.',
  })
  @ApiNoContentResponse({ description: 'It is gone.' })
  @ApiErrors({ 403: STEP_UP })
  async removeSecondFactor(
    @CurrentSession() session: SessionPrincipal,
    @UuidParam('factor_id') id: string,
  ): Promise<void> {
    await this.factors.remove(session, id);
  }

  @Post('recovery-codes')
  @NoBody()
  @HttpCode(200)
  @StepUpOfEverybody()
  @ApiOperation({
    summary: 'Make ten new recovery codes',
    description: 'Those before end. They are shown this once.',
  })
  @ApiOkResponse({ type: RecoveryCodesResponse })
  @ApiErrors(422, { 403: STEP_UP, 409: 'The account has no second factor.' })
  async renewRecoveryCodes(@CurrentSession() session: SessionPrincipal): Promise<RecoveryCodesResponse> {
    return { recovery_codes: await this.factors.renewCodes(session) };
  }
}
