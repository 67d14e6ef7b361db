import { STATUS_CODES } from 'node:http';
import { ApiProperty } from '@nestjs/swagger';
import { MAXIMUM_MESSAGE_LENGTH, MAXIMUM_MESSAGES } from '../budget/request-limits.js';

/** The body of every error. */
export class ErrorBody {
  @ApiProperty({ example: 400 })
  statusCode: number;

  @ApiProperty({ description: "The HTTP status's name.", example: 'Bad Request' })
  error: string;

  @ApiProperty({
    description:
      'What went wrong. For a 422: one string for each rule that failed; after ' +
      `${MAXIMUM_MESSAGES - 1} of them the last one says how many more there are.`,
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    example: 'Can only scale running deployments',
  })
  message: string | string[];

  @ApiProperty({
    description: 'Always one string: `message`, its parts joined by "; ".',
    example: 'Can only scale running deployments',
  })
  detail: string;

  @ApiProperty({
    description: "The response's `X-Request-Id`.",
    example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d',
  })
  request_id: string;
}

export function errorBody(
  statusCode: number,
  message: string | readonly string[],
  requestId: string,
): ErrorBody {
  const messages = bounded(typeof message === 'string' ? [message] : message);
  return {
    statusCode,
    error: STATUS_CODES[statusCode] ?? 'Error',
    message: statusCode === 422 ? messages : messages.join('; '),
    detail: messages.join('; '),
    request_id: requestId,
  };
}

/** At most 50 messages, so that the reply stays short however many rules the request breaks. */
function bounded(messages: readonly string[]): string[] {
  const isTooMany = messages.length > MAXIMUM_MESSAGES;
  const told = isTooMany ? messages.slice(0, MAXIMUM_MESSAGES - 1) : messages;
  const rest = isTooMany ? [`${messages.length - told.length} more rules failed`] : [];
  return [...told.map(shortened), ...rest];
}

/** Cuts a message and removes control characters: it may contain a property's name, which the caller chooses. */
function shortened(message: string): string {
  const isTooLong = message.length > MAXIMUM_MESSAGE_LENGTH;
  const kept = isTooLong ? `${message.slice(0, MAXIMUM_MESSAGE_LENGTH - 1)}…` : message;
  // A cut may leave half a surrogate pair.
  return kept.toWellFormed().replaceAll(/\p{Cc}/gu, '\uFFFD');
}
