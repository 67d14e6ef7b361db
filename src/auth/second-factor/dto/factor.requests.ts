import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { IsString, ValidateIf } from 'class-validator';
import { InvalidError } from '../../../errors/domain-error.js';
import { isRecord } from '../../../http/json-record.js';
import { AnyJson } from '../../../http/any-json.js';
import { ChangedText, NameField, Rule, Taken, TextField, Trimmed } from '../../../http/request-fields.js';
import type { FactorAnswer, Proof } from '../second-factor.types.js';

/** People type codes in groups: `123 456`. */
const CodeField = (optional?: true) =>
  applyDecorators(
    ChangedText((text) => text.replaceAll(/\s/g, '')),
    TextField({
      min: 6,
      max: 6,
      optional,
      description: 'The six digits that the authenticator app shows; each code is valid once.',
      example: '492039',
    }),
  );

const FactorName = () =>
  applyDecorators(
    Trimmed(),
    NameField({ min: 1, max: 100, description: 'Chosen by the owner, to identify it.', example: 'My phone' }),
  );

const TokenField = (optional?: true) =>
  TextField({
    max: 200,
    optional,
    description: 'The token of the challenge to which this is the answer.',
    example: '3q2-7wEjRWeJq83vASNFZ4mrze8BI0Vniavfj5eLjw0',
  });

const PASSKEY_EXAMPLE = {
  id: 'Zm9v',
  rawId: 'Zm9v',
  type: 'public-key',
  response: { clientDataJSON: 'Zm9v' },
  clientExtensionResults: {},
};

/** Accepts what a browser's API of passkeys gives; the library reads it. */
const IsPasskeyAnswer = () =>
  Rule(
    'isPasskeyAnswer',
    (value) => isRecord(value) && typeof value.id === 'string' && isRecord(value.response),
    (name) => `${name} must be the JSON of a PublicKeyCredential`,
  );

class FactorAnswerRequest {
  @CodeField(true)
  code?: string;

  @TextField({
    min: 1,
    max: 100,
    optional: true,
    description: 'One of the ten; each is valid once. Case, hyphens and spaces are ignored.',
    example: 'k3m9xq-7hd2wp-v0t8zn-4rjc6e',
  })
  recovery_code?: string;

  @ApiProperty({
    selfRequired: false,
    type: 'object',
    additionalProperties: true,
    description: 'The result of `navigator.credentials.get`, as JSON.',
    example: PASSKEY_EXAMPLE,
  })
  @AnyJson()
  @ValidateIf((_, value) => value !== undefined)
  @IsPasskeyAnswer()
  passkey?: AuthenticationResponseJSON;
}

export class SecondFactorLoginRequest extends FactorAnswerRequest {
  @TokenField()
  token: string;
}

export class StepUpRequest extends FactorAnswerRequest {
  @TokenField(true)
  token?: string;

  @ApiProperty({
    type: String,
    format: 'password',
    required: false,
    description: 'Only for an account without a second factor.',
    example: 'Correct-Horse-7',
  })
  @ValidateIf((_, value) => value !== undefined)
  @Taken()
  @IsString()
  password?: string;
}

export class AddTotpRequest {
  @FactorName()
  name: string;
}

export class ConfirmTotpRequest {
  @CodeField()
  code: string;
}

export class AddPasskeyRequest {
  @TokenField()
  token: string;

  @FactorName()
  name: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The result of `navigator.credentials.create`, as JSON.',
    example: PASSKEY_EXAMPLE,
  })
  @AnyJson()
  @IsPasskeyAnswer()
  response: RegistrationResponseJSON;
}

/** @throws InvalidError if there is not exactly one answer */
export function toFactorAnswer(request: FactorAnswerRequest): FactorAnswer {
  return onlyOne(answersOf(request), 'code, recovery_code and passkey');
}

/** @throws InvalidError if there is not exactly one proof, or a passkey's without the token of its question */
export function toProof(request: StepUpRequest): { readonly proof: Proof; readonly token: string | null } {
  const { password, token = null } = request;
  const byPassword: Proof[] = password === undefined ? [] : [{ method: 'password', password }];
  const proof = onlyOne([...answersOf(request), ...byPassword], 'code, recovery_code, passkey and password');
  if (proof.method === 'passkey' && token === null)
    throw InvalidError.of('token', 'required', 'token must be given with passkey');
  return { proof, token };
}

function answersOf({ code, recovery_code: recoveryCode, passkey }: FactorAnswerRequest): FactorAnswer[] {
  const answers: FactorAnswer[] = [];
  if (typeof code === 'string') answers.push({ method: 'totp', code });
  if (typeof recoveryCode === 'string') answers.push({ method: 'recovery_code', code: recoveryCode });
  if (passkey !== undefined) answers.push({ method: 'passkey', response: passkey });
  return answers;
}

function onlyOne<Given>(given: readonly Given[], names: string): Given {
  const [one, ...others] = given;
  if (one !== undefined && others.length === 0) return one;
  throw InvalidError.of(
    null,
    one === undefined ? 'required' : 'not_allowed',
    `Exactly one of ${names} must be given`,
  );
}
