import { applyDecorators, createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, ApiQuery, getSchemaPath } from '@nestjs/swagger';
import { requestOf } from '../access/http-context.js';
import { InvalidError } from '../errors/domain-error.js';
import { Taken } from '../http/request-fields.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { END_REASONS } from './live-stream.js';

/** Maximum length of a position: longer than any real one, and shorter than the limit of a header; characters. */
const MAXIMUM_POSITION_LENGTH = 4_096;

const POSITION = { type: 'string', maxLength: MAXIMUM_POSITION_LENGTH } as const;
const RESUMING = 'the `id` of the last event that was received. The stream starts with the events after it.';

/**
 * Documents a stream of server-sent events.
 *
 * @param model class of each event's `data`, as JSON
 * @param id meaning of an event's `id`
 * @param beginning what happens without a position
 */
export const ApiLiveStream = (model: Type, id: string, beginning = 'the stream starts with new events') =>
  applyDecorators(
    ApiExtraModels(model),
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      schema: POSITION,
      description: `To resume: ${RESUMING} Absent: ${beginning}.`,
    }),
    ApiQuery({
      name: 'last_event_id',
      required: false,
      schema: POSITION,
      description: "The same, for clients that can't set headers. The header takes precedence.",
    }),
    ApiQuery({
      name: 'after',
      required: false,
      schema: POSITION,
      description: 'Alias of `last_event_id`.',
    }),
    ApiOkResponse({
      description: `Live events. The \`id\` of each is ${id}. Reasons to end: ${END_REASONS.join(', ')}.`,
      content: { 'text/event-stream': { schema: { $ref: getSchemaPath(model) } } },
    }),
    ApiErrors({ 429: 'You have too many live streams.' }),
  );

/** The query of a stream: the position from which a client resumes it. */
export class ResumeQuery {
  /** The position is read by `ResumePoint` and documented by `ApiLiveStream`; it is declared here, or it would be refused. */
  @Taken()
  last_event_id?: unknown;

  /** Another name of `last_event_id`. */
  @Taken()
  after?: unknown;
}

/**
 * Position from which a client resumes a stream, as the client sent it; null: the stream begins now. The header
 * precedes the query: a browser that reconnects sends the header, and the query of its first request.
 */
export const ResumePoint = createParamDecorator((_: unknown, context: ExecutionContext): string | null => {
  const { headers, query } = requestOf(context);
  const given = headers['last-event-id'] || query.last_event_id || query.after;
  if (given !== undefined && typeof given !== 'string')
    throw InvalidError.of('last_event_id', 'wrong_type', 'last_event_id must be one value');
  if (given !== undefined && given.length > MAXIMUM_POSITION_LENGTH) {
    throw InvalidError.of(
      'last_event_id',
      'too_long',
      `last_event_id must be no longer than ${MAXIMUM_POSITION_LENGTH} characters`,
    );
  }
  return given ?? null;
});
