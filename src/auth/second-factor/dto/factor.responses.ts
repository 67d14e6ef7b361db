import { ApiProperty } from '@nestjs/swagger';
import type { ConfirmedFactor, SecondFactor } from '../second-factor.types.js';
import type { PasskeyCreation } from '../passkey-enrolments.service.js';
import { CHALLENGE_SECONDS } from '../factor-challenges.service.js';
import type { NewTotp } from '../totp-enrolments.service.js';

const TIME = { type: String, format: 'date-time', example: '2026-01-31T09:30:00.000Z' } as const;
const ID = { type: String, format: 'uuid', example: '01920f0c-7a3e-7cc1-9d57-0f4c5c1a2b3d' } as const;
const CODES = ['k3m9xq-7hd2wp-v0t8zn-4rjc6e'];

export class SecondFactorResponse {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ enum: ['totp', 'passkey'], enumName: 'SecondFactorKind', example: 'totp' })
  kind: SecondFactor['kind'];

  @ApiProperty({ example: 'My phone' })
  name: string;

  @ApiProperty(TIME)
  created_at: string;

  @ApiProperty({ ...TIME, nullable: true, description: 'Null: unused since it was added.' })
  last_used_at: string | null;
}

export class SecondFactorsResponse {
  @ApiProperty({ type: [SecondFactorResponse], maxItems: 10, description: 'Oldest first.' })
  factors: SecondFactorResponse[];

  @ApiProperty({ type: 'integer', description: 'Number of unused recovery codes.', example: 10 })
  recovery_codes_left: number;

  @ApiProperty({
    description:
      "False: browsers don't support passkeys at the dashboard's address, for example an IP address.",
    example: true,
  })
  passkeys_available: boolean;
}

export class NewTotpResponse {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: 'My phone' })
  name: string;

  @ApiProperty({
    description: 'In base32, to type into the authenticator app. It is shown only once.',
    example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  })
  secret: string;

  @ApiProperty({
    description: 'The same as a URI for a QR code.',
    example: 'otpauth://totp/agent-control-plane:ada%40example.com?secret=JBSWY3DPEHPK3PXP',
  })
  otpauth_uri: string;
}

export class ConfirmedFactorResponse {
  @ApiProperty({ type: SecondFactorResponse })
  factor: SecondFactorResponse;

  @ApiProperty({
    type: [String],
    nullable: true,
    description:
      'Only with the first factor: ten recovery codes, in case the factor is lost. They are shown only once.',
    example: CODES,
  })
  recovery_codes: string[] | null;
}

export class RecoveryCodesResponse {
  @ApiProperty({ type: [String], description: 'They are shown only once.', example: CODES })
  recovery_codes: string[];
}

export class PasskeyCreationResponse {
  @ApiProperty({
    description: 'Send it back with the answer.',
    example: '3q2-7wEjRWeJq83vASNFZ4mrze8BI0Vniavfj5eLjw0',
  })
  token: string;

  @ApiProperty({ type: 'integer', description: 'Seconds.', example: CHALLENGE_SECONDS })
  expires_in: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'For `navigator.credentials.create`.',
    example: { challenge: 'Zm9v', rp: { id: 'control.example.com', name: 'agent-control-plane' } },
  })
  options: object;
}

export class StepUpResponse {
  @ApiProperty({ ...TIME, description: 'Until then, the session may do what needs a step-up.' })
  fresh_until: string;
}

export function toSecondFactorResponse(factor: SecondFactor): SecondFactorResponse {
  return {
    id: factor.id,
    kind: factor.kind,
    name: factor.name,
    created_at: factor.createdAt,
    last_used_at: factor.lastUsedAt,
  };
}

export function toSecondFactorsResponse(
  factors: readonly SecondFactor[],
  codesLeft: number,
  passkeysAvailable: boolean,
): SecondFactorsResponse {
  return {
    factors: factors.map(toSecondFactorResponse),
    recovery_codes_left: codesLeft,
    passkeys_available: passkeysAvailable,
  };
}

export function toNewTotpResponse({ id, name, secret, uri }: NewTotp): NewTotpResponse {
  return { id, name, secret, otpauth_uri: uri };
}

export function toConfirmedFactorResponse({
  factor,
  recoveryCodes,
}: ConfirmedFactor): ConfirmedFactorResponse {
  return { factor: toSecondFactorResponse(factor), recovery_codes: recoveryCodes && [...recoveryCodes] };
}

export function toPasskeyCreationResponse({ token, options }: PasskeyCreation): PasskeyCreationResponse {
  return { token, expires_in: CHALLENGE_SECONDS, options };
}
