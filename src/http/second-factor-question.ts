import { ApiProperty } from '@nestjs/swagger';
import type { AskedSecondFactor } from '../errors/second-factor-required.js';

/** The options for the browser's passkeys, in the form of `PublicKeyCredentialRequestOptions.toJSON()`. */
export const PASSKEY_OPTIONS = {
  type: 'object',
  additionalProperties: true,
  example: { challenge: 'Zm9v', rpId: 'control.example.com', userVerification: 'preferred' },
} as const;

export const PROOF_METHOD_WORDS = ['totp', 'passkey', 'recovery_code', 'password'] as const;

/** A question for a second factor. */
export class SecondFactorQuestion {
  @ApiProperty({
    description: 'Send it back with the answer; valid until the first correct answer.',
    example: '3q2-7wEjRWeJq83vASNFZ4mrze8BI0Vniavfj5eLjw0',
  })
  token: string;

  @ApiProperty({ type: 'integer', description: 'Seconds.', example: 300 })
  expires_in: number;

  @ApiProperty({
    enum: PROOF_METHOD_WORDS,
    enumName: 'ProofMethod',
    isArray: true,
    description:
      'How the account can answer: `totp` with `code`, a passkey with `passkey`, `recovery_code`; `password` if it ' +
      'has no second factor.',
    example: ['passkey', 'totp', 'recovery_code'],
  })
  methods: string[];

  @ApiProperty({
    ...PASSKEY_OPTIONS,
    nullable: true,
    description:
      "For `navigator.credentials.get`. Null: the account has no passkey that works at the dashboard's address.",
  })
  passkey_options: object | null;
}

export function toSecondFactorQuestion(asked: AskedSecondFactor): SecondFactorQuestion {
  return {
    token: asked.token,
    expires_in: asked.expiresInSeconds,
    methods: [...asked.methods],
    passkey_options: asked.passkeyOptions,
  };
}
