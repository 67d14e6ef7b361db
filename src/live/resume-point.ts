import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from '../access/http-context.js';
import { InvalidError } from '../errors/domain-error.js';

/** More than any position that a stream gives out, and less than a header may be; characters. */
export const MAXIMUM_POSITION_LENGTH = 4_096;

/**
 * Position from which a client resumes a stream, as it wrote it; null: the stream begins now. The header wins over the query: a
 * browser that connects again sends the header, and the query as it was at first.
 */
export const ResumePoint = createParamDecorator((_: unknown, context: ExecutionContext): string | null => {
  const { headers, query } = requestOf(context);
  const given = headers['last-event-id'] || query.last_event_id || query.after;
  if (given !== undefined && typeof given !== 'string')
    throw new InvalidError(['last_event_id must be one value']);
  if (given !== undefined && given.length > MAXIMUM_POSITION_LENGTH) {
    throw new InvalidError([`last_event_id must be no longer than ${MAXIMUM_POSITION_LENGTH} characters`]);
  }
  return given ?? null;
});
