import { ApiProperty } from '@nestjs/swagger';
import { LOG_LEVELS, type LogLevel } from '../log-level.js';
import { MAXIMUM_MESSAGE_BYTES, TRUNCATION_MARK } from '../log-submission.js';
import { MAXIMUM_ENTRIES } from '../submission.js';
import { ApiFreeObject, ApiOwnAgent, EntryOrigin } from './submission-schemas.js';

export class LogEntry extends EntryOrigin {
  @ApiProperty({
    enum: LOG_LEVELS,
    enumName: 'LogLevel',
    description: 'Case-insensitive; `warn` and `fatal` are accepted, too.',
    example: 'warning',
  })
  level: LogLevel;

  @ApiProperty({
    description: `What is longer than ${MAXIMUM_MESSAGE_BYTES} bytes in UTF-8 is cut, and then ends with \`${TRUNCATION_MARK}\`.`,
    example: 'The mailbox answers slowly',
  })
  message: string;

  @ApiFreeObject('Additional data of your own.', { took_ms: 2350 })
  metadata?: Record<string, unknown> | null;
}

export class LogBatch {
  @ApiOwnAgent()
  agent_id?: string | null;

  @ApiProperty({
    type: [LogEntry],
    maxItems: MAXIMUM_ENTRIES,
    description: 'Stored together, or not at all.',
  })
  logs: LogEntry[];
}
