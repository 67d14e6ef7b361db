import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, ApiQuery, getSchemaPath } from '@nestjs/swagger';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { MAXIMUM_POSITION_LENGTH } from './resume-point.js';
import { END_REASONS } from './server-sent-events.js';

const POSITION = { type: 'string', maxLength: MAXIMUM_POSITION_LENGTH } as const;
const RESUMING =
  'the `id` of the last event that was received. What was missed since comes first. Absent: the stream begins now.';

/**
 * Documents a stream of server-sent events.
 *
 * @param model class of each event's `data`, as JSON
 * @param id meaning of an event's `id`
 */
export const ApiLiveStream = (model: Type, id: string) =>
  applyDecorators(
    ApiExtraModels(model),
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      schema: POSITION,
      description: `To resume: ${RESUMING}`,
    }),
    ApiQuery({
      name: 'last_event_id',
      required: false,
      schema: POSITION,
      description: 'The same for clients that can not set headers. The header wins.',
    }),
    ApiQuery({
      name: 'after',
      required: false,
      schema: POSITION,
      description: 'Another name of `last_event_id`.',
    }),
    ApiOkResponse({
      description: `Live events. The \`id\` of each is ${id}. Reasons to end: ${END_REASONS.join(', ')}.`,
      content: { 'text/event-stream': { schema: { $ref: getSchemaPath(model) } } },
    }),
    ApiErrors({ 429: 'You have too many live streams.' }),
  );
