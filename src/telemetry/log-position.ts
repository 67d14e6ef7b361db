import { InvalidError } from '../errors/domain-error.js';

/**
 * The position of a reader who follows the logs of one or several agents: the number of the last line of each that
 * was read, by {@link markOf}; 0: none. Lines of an agent are numbered in the order of their commits (see
 * `logs.repository.ts`), so new lines have greater numbers. Numbers of two agents have nothing to do with each other.
 *
 * Each line has its position as its id, so the text is short: the numbers are in base 36.
 */
export type LogPosition = ReadonlyMap<string, number>;

const PART = '[0-9a-f]{12}-(?:0|[1-9a-z][0-9a-z]{0,9})';
const POSITION = new RegExp(String.raw`^${PART}(?:\.${PART})*$`);
const BASE = 36;
const MARK_LENGTH = 12;

/** The end of an agent's id, which is random: it distinguishes the agents of a position. */
export function markOf(agentId: string): string {
  return agentId.slice(-MARK_LENGTH);
}

/** @param numbers of the agents, in the same order */
export function formatLogPosition(agentIds: readonly string[], numbers: readonly number[]): string {
  return agentIds.map((agentId, index) => `${markOf(agentId)}-${numbers[index]!.toString(BASE)}`).join('.');
}

/** @throws InvalidError if the text is no position */
export function parseLogPosition(text: string): LogPosition {
  if (!POSITION.test(text)) throw unknownPosition();
  return new Map(
    text.split('.').map((part): [string, number] => {
      const [mark = '', number = ''] = part.split('-');
      return [mark, Number.parseInt(number, BASE)];
    }),
  );
}

export function unknownPosition(): InvalidError {
  return InvalidError.of(
    'Last-Event-ID',
    'invalid_value',
    'Last-Event-ID must be the id of an event of this stream',
  );
}
