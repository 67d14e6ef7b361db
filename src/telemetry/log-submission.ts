import { LOG_LEVELS, type LogLevel, logLevelOf } from './log-level.js';
import { readSubmission, type Submission, type SubmittedEntry } from './submission.js';

/** Longest message, in bytes of UTF-8. */
export const MAXIMUM_MESSAGE_BYTES = 64 * 1024;
/** Ends a message that was cut. */
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

/** A message is never refused for its length: the event matters more than its last words. */
export function cutMessage(message: string): string {
  return cutToBytes(message, MAXIMUM_MESSAGE_BYTES);
}

/** @param maximum bytes in UTF-8, the mark included */
function cutToBytes(text: string, maximum: number): string {
  if (Buffer.byteLength(text) <= maximum) return text;
  const bytes = Buffer.from(text);
  let end = maximum - Buffer.byteLength(TRUNCATION_MARK);
  // A byte of the form 10xxxxxx continues a character: cut before the character.
  while ((bytes[end]! & 0b1100_0000) === 0b1000_0000) end--;
  return bytes.toString('utf8', 0, end) + TRUNCATION_MARK;
}
