import { LOG_LEVELS, type LogLevel, logLevelOf } from './log-level.js';
import { readSubmission, type Submission, type SubmittedEntry } from './submission.js';

/** Maximum size of a message, in bytes of UTF-8. */
export const MAXIMUM_MESSAGE_BYTES = 64 * 1024;
/** Mark at the end of a truncated message. */
export const TRUNCATION_MARK = '…[truncated]';

const LEVEL_RULE = `must be one of ${LOG_LEVELS.join(', ')}`;

export interface SubmittedLog extends SubmittedEntry {
  readonly level: LogLevel;
  readonly message: string;
  /** JSON text. */
  readonly metadata: string | null;
}

/** @throws InvalidError */
export function readLogSubmission(body: unknown, receivedAt: Date): Submission<SubmittedLog> {
  return readSubmission(
    body,
    'logs',
    (reader) => ({
      path: reader.path,
      timestamp: reader.timestamp('timestamp'),
      deploymentId: reader.uuid('deployment_id'),
      runId: reader.uuid('run_id'),
      level: reader.required('level', asLevel, LEVEL_RULE),
      message: reader.required('message', asMessage, 'must be a string'),
      metadata: reader.object('metadata'),
    }),
    receivedAt,
  );
}

function asLevel(value: unknown): LogLevel | undefined {
  return typeof value === 'string' ? logLevelOf(value) : undefined;
}

function asMessage(value: unknown): string | undefined {
  return typeof value === 'string' ? cutMessage(value) : undefined;
}

/**
 * Truncates a message. Its length is never a reason for a refusal, because the event is more important than the end of
 * the text.
 */
export function cutMessage(message: string): string {
  return cutToBytes(message, MAXIMUM_MESSAGE_BYTES);
}

/** @param maximum bytes in UTF-8, the mark included */
function cutToBytes(text: string, maximum: number): string {
  if (Buffer.byteLength(text) <= maximum) return text;
  const bytes = Buffer.from(text);
  let end = maximum - Buffer.byteLength(TRUNCATION_MARK);
  // A byte of the form 10xxxxxx continues a character: the text is cut before that character.
  while ((bytes[end]! & 0b1100_0000) === 0b1000_0000) end--;
  return bytes.toString('utf8', 0, end) + TRUNCATION_MARK;
}
