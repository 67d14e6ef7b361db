import { createHash } from 'node:crypto';
import { InvalidError } from '../errors/domain-error.js';
import { formatLogPosition, parseLogPosition } from './log-position.js';

/**
 * The position of a reader who follows a run: after an event of its history, after a state of its progress, and after
 * its log entries up to there. The parts are independent, because entries are stored without the run's lock.
 */
export interface RunStreamPosition {
  /** Number of the last event; 0: none. */
  readonly sequence: number;
  /** See {@link markOf}. */
  readonly progress: string;
  /** See `LogPosition`. */
  readonly log: string;
  /** True if the run is over, and nothing follows. No client has such a position. */
  readonly isOver: boolean;
}

const NO_PROGRESS = '0';
const MARK_LENGTH = 16;
const OVER = '_over';
const POSITION = /^(\d{1,9})_(0|[0-9a-f]{16})_([^_]+)$/;

/** Before everything. @param agentId the run's */
export function beginningOf(agentId: string): RunStreamPosition {
  return { sequence: 0, progress: NO_PROGRESS, log: formatLogPosition([agentId], [0]), isOver: false };
}

/** A mark by which one state of the progress is distinguished from another one. */
export function markOf(progress: object | null): string {
  if (progress === null) return NO_PROGRESS;
  return createHash('sha256').update(JSON.stringify(progress)).digest('hex').slice(0, MARK_LENGTH);
}

export function formatRunStreamPosition({ sequence, progress, log, isOver }: RunStreamPosition): string {
  return `${sequence}_${progress}_${log}${isOver ? OVER : ''}`;
}

/** Reads a position that this service has formatted. */
export function readRunStreamPosition(text: string): RunStreamPosition {
  const isOver = text.endsWith(OVER);
  return { ...parseRunStreamPosition(isOver ? text.slice(0, -OVER.length) : text), isOver };
}

/** Reads a client's position. @throws InvalidError if the text is invalid */
export function parseRunStreamPosition(text: string): RunStreamPosition {
  const [, sequence, progress, log] = POSITION.exec(text) ?? [];
  if (sequence === undefined || progress === undefined || log === undefined)
    throw InvalidError.of(
      'Last-Event-ID',
      'invalid_value',
      'Last-Event-ID must be the id of an event of this stream',
    );
  parseLogPosition(log);
  return { sequence: Number(sequence), progress, log, isOver: false };
}
