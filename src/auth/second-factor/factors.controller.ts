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

const STEP_UP =
  "The session needs a step-up: the caller's identity was not confirmed in the last ten minutes.";
const NO_MORE =
  'The account has no password, or ten factors; or a request with this `Idempotency-Key` is still in progress.';

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
    summary: "List the caller's second factors",
    description: 'Unconfirmed factors are not listed.',
  })
  @ApiOkResponse({ type: SecondFactorsResponse })
  async getSecondFactors(@CurrentSession() { userId }: SessionPrincipal): Promise<SecondFactorsResponse> {
    const { factors, codesLeft } = await this.factors.list(userId);
    return toSecondFactorsResponse(factors, codesLeft, this.passkeys.areAvailable);
  }

  @Post('factors/totp')
  @StepUpOfEverybody()
  @ApiOperation({
    summary: 'Generate the secret of an authenticator app',
    description:
      'The factor takes effect when `confirmTotpFactor` receives a code within 15 minutes. The secret is shown only ' +
      'once.',
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
    summary: 'Confirm an authenticator app with its first code',
    description:
      'From then on, a login asks for it. With the first factor, the reply has ten recovery codes, which are shown ' +
      'only once.',
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
    summary: 'Start adding a passkey',
    description: 'The challenge is valid for five minutes, once, and only in this session.',
  })
  @ApiOkResponse({ type: PasskeyCreationResponse })
  @ApiErrors(422, {
    403: STEP_UP,
    409: "The account has no password, or ten factors; or browsers don't support passkeys at the dashboard's address.",
  })
  async beginPasskey(@CurrentSession() session: SessionPrincipal): Promise<PasskeyCreationResponse> {
    return toPasskeyCreationResponse(await this.passkeyEnrolments.begin(session));
  }

  @Post('factors/passkeys')
  @StepUpOfEverybody()
  @ApiOperation({
    summary: 'Add a passkey',
    description:
      'From then on, a login asks for it. With the first factor, the reply has ten recovery codes, which are shown ' +
      'only once.',
  })
  @ApiCreatedResponse({ type: ConfirmedFactorResponse })
  @ApiErrors({
    400: 'The answer is wrong, too late or was used before, or the body is not JSON.',
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
    description: 'Removing the last one also deletes the recovery codes; the password alone is then enough.',
  })
  @ApiNoContentResponse({ description: 'The factor is removed.' })
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
    summary: 'Generate ten new recovery codes',
    description: 'The previous codes become invalid. The new ones are shown only once.',
  })
  @ApiOkResponse({ type: RecoveryCodesResponse })
  @ApiErrors(422, { 403: STEP_UP, 409: 'The account has no second factor.' })
  async renewRecoveryCodes(@CurrentSession() session: SessionPrincipal): Promise<RecoveryCodesResponse> {
    return { recovery_codes: await this.factors.renewCodes(session) };
  }
}
