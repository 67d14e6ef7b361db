import { STATUS_CODES } from 'node:http';
import { ApiProperty } from '@nestjs/swagger';
import { MAXIMUM_MESSAGE_LENGTH, MAXIMUM_MESSAGES } from '../budget/request-limits.js';
import type { BrokenRule } from '../errors/domain-error.js';
import type { ErrorCode, RuleCode } from '../errors/error-codes.js';
import type { ErrorReply } from './error-table.js';
import { openEnumOf } from './openapi/property-schemas.js';
import { SecondFactorQuestion, toSecondFactorQuestion } from './second-factor-question.js';
import { cutText } from './storable-text.js';

/** A rule that the request breaks. */
export class FieldError {
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Path of the value, such as `name` or `logs.3.level`, or the name of a parameter or header. Null: the rule ' +
      'concerns several values.',
    example: 'name',
  })
  field: string | null;

  @ApiProperty({ description: 'The rule, for people.', example: 'name must be a string' })
  message: string;

  @ApiProperty({ ...openEnumOf('RuleCode'), description: 'The kind of the rule.', example: 'wrong_type' })
  code: RuleCode;
}

/** The body of every error. */
export class ErrorBody {
  @ApiProperty({ example: 400 })
  statusCode: number;

  @ApiProperty({ description: "The HTTP status's name.", example: 'Bad Request' })
  error: string;

  @ApiProperty({
    ...openEnumOf('ErrorCode'),
    description: 'Stable identifier of the error. Codes may be added.',
    example: 'wrong_status',
  })
  code: ErrorCode;

  @ApiProperty({
    description:
      `What went wrong. For a 422: one string for each broken rule; if there are more than ${MAXIMUM_MESSAGES - 1}, ` +
      'the last string says how many more.',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    example: 'Can only scale running deployments',
  })
  message: string | string[];

  @ApiProperty({
    description: '`message` as one string, its parts joined by "; ".',
    example: 'Can only scale running deployments',
  })
  detail: string;

  @ApiProperty({
    description: "The response's `X-Request-Id`.",
    example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d',
  })
  request_id: string;

  @ApiProperty({
    type: [FieldError],
    required: false,
    description:
      `Only in a 422: the broken rules, the first ${MAXIMUM_MESSAGES - 1} of them if there are more than ` +
      `${MAXIMUM_MESSAGES}.`,
  })
  errors?: FieldError[];

  @ApiProperty({
    type: SecondFactorQuestion,
    required: false,
    description: 'Only with the code `second_factor_required`: how to continue.',
  })
  second_factor?: SecondFactorQuestion;
}

/** Body of the reply. What the caller chose, such as a property's name, is shortened. */
export function errorBody(
  { status, code, message, secondFactor }: Pick<ErrorReply, 'status' | 'code' | 'message' | 'secondFactor'>,
  requestId: string,
): ErrorBody {
  const rules = typeof message === 'string' ? [] : message;
  const told = fieldErrorsOf(rules);
  const messages = typeof message === 'string' ? [shortened(message)] : told.map((rule) => rule.message);
  if (told.length < rules.length) messages.push(`${rules.length - told.length} more rules failed`);
  const detail = messages.join('; ');
  return {
    statusCode: status,
    error: STATUS_CODES[status] ?? 'Error',
    code,
    message: status === 422 ? messages : detail,
    detail,
    request_id: requestId,
    ...(status === 422 && { errors: told }),
    ...(secondFactor && { second_factor: toSecondFactorQuestion(secondFactor) }),
  };
}

/** The rules as replies name them. Of too many of them, the first ones. */
export function fieldErrorsOf(rules: readonly BrokenRule[]): FieldError[] {
  return (rules.length > MAXIMUM_MESSAGES ? rules.slice(0, MAXIMUM_MESSAGES - 1) : rules).map(shortenedRule);
}

function shortenedRule({ field, message, code }: BrokenRule): FieldError {
  return { field: field === null ? null : shortened(field), message: shortened(message), code };
}

/** Truncates a message and removes control characters: it may contain a property's name, which the caller chooses. */
function shortened(message: string): string {
  const isTooLong = message.length > MAXIMUM_MESSAGE_LENGTH;
  const kept = isTooLong ? `${cutText(message, MAXIMUM_MESSAGE_LENGTH - 1)}…` : message;
  return kept.toWellFormed().replaceAll(/\p{Cc}/gu, '\uFFFD');
}
