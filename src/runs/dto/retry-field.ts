import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { isRecord } from '../../http/json-record.js';
import { AnyJson } from '../../http/any-json.js';
import { LONGEST_RETRY_DELAY_SECONDS } from '../../lifecycle/run-lifecycle.js';
import { Rule } from '../../http/request-fields.js';

const MAXIMUM_ATTEMPTS = 100;

/** When and how often a run is begun again by itself. */
export class RetryRequest {
  @ApiProperty({
    required: false,
    type: 'integer',
    minimum: 1,
    maximum: MAXIMUM_ATTEMPTS,
    description: 'Maximum number of attempts. Default: 1.',
    example: 3,
  })
  max_attempts?: number;

  @ApiProperty({
    required: false,
    type: 'integer',
    minimum: 0,
    maximum: LONGEST_RETRY_DELAY_SECONDS,
    description:
      `Pause before the second attempt; it doubles with each further attempt, up to ${LONGEST_RETRY_DELAY_SECONDS} ` +
      'seconds. Default: 0.',
    example: 10,
  })
  first_delay_seconds?: number;

  @ApiProperty({
    required: false,
    description: 'True: also retry an abandoned run, which may have done half of its work. Default: false.',
  })
  abandoned?: boolean;
}

const RULES: Readonly<Record<keyof RetryRequest, (value: unknown) => boolean>> = {
  max_attempts: (value) => isWholeNumber(value, 1, MAXIMUM_ATTEMPTS),
  first_delay_seconds: (value) => isWholeNumber(value, 0, LONGEST_RETRY_DELAY_SECONDS),
  abandoned: (value) => typeof value === 'boolean',
};

/** Accepts the rules of further attempts. */
export const RetryField = () =>
  applyDecorators(
    ApiProperty({ required: false, type: RetryRequest, description: 'Absent: one attempt.' }),
    AnyJson(),
    IsOptional(),
    Rule(
      'retryRules',
      isRetry,
      (name) =>
        `${name} must be an object with only max_attempts (1 to ${MAXIMUM_ATTEMPTS}), first_delay_seconds ` +
        `(0 to ${LONGEST_RETRY_DELAY_SECONDS}) and abandoned (true or false)`,
    ),
  );

function isRetry(value: unknown): boolean {
  return (
    isRecord(value) &&
    Object.entries(value).every(
      ([name, given]) => Object.hasOwn(RULES, name) && RULES[name as keyof RetryRequest](given),
    )
  );
}

function isWholeNumber(value: unknown, minimum: number, maximum: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
}
