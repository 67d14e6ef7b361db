import { InvalidError } from '../errors/domain-error.js';

/**
 * The position of a reader who follows an agent's logs.
 *
 * Rows of concurrent transactions become visible in any order, and agents' clocks are unreliable, so no column can
 * express "everything after this row". PostgreSQL's snapshots are exact: a snapshot says of each transaction whether it
 * had been committed. New rows are those that one snapshot sees and an earlier one did not. See
 * https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT
 *
 * Each line has its position as its id, so the text is short: it counts from the snapshot's first number, in base 36.
 */
export interface LogPosition {
  /** The snapshot whose rows have all been read. */
  readonly seen: string;
  /**
   * Set while the additional rows of a later snapshot are read partly: that snapshot, and the last row read, with its
   * transaction.
   */
  readonly toward?: {
    readonly snapshot: string;
    readonly transaction: number;
    readonly id: string;
  };
}

/** A number in base 36. With this length JavaScript represents it exactly, and it is enough for a thousand years. */
const NUMBER = /^[1-9a-z][0-9a-z]{0,9}$/;
/** A snapshot: `xmin.xmax.xip...`, with all but the first number relative to the first. */
const PACKED = /^[1-9a-z][0-9a-z]{0,9}(?:\.(?:0|[1-9a-z][0-9a-z]{0,9}))+$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function formatLogPosition({ seen, toward }: LogPosition): string {
  if (!toward) return pack(seen);
  return [pack(seen), pack(toward.snapshot), toward.transaction.toString(36), toward.id].join('/');
}

/** @throws InvalidError if the text is no position */
export function parseLogPosition(text: string): LogPosition {
  const [seen = '', ...rest] = text.split('/');
  if (rest.length === 0) return { seen: unpack(seen) };
  const [snapshot = '', transaction = '', id = ''] = rest;
  if (rest.length !== 3 || !NUMBER.test(transaction) || !UUID.test(id)) throw unknownPosition();
  return {
    seen: unpack(seen),
    toward: { snapshot: unpack(snapshot), transaction: Number.parseInt(transaction, 36), id },
  };
}

/** The snapshot whose rows will all have been read when the reader has finished the begun one. */
export function goalOf({ seen, toward }: LogPosition): string {
  return toward?.snapshot ?? seen;
}

/** @param snapshot PostgreSQL's text, `xmin:xmax:xip,...` */
function pack(snapshot: string): string {
  const [first = 0, ...others] = (snapshot.match(/\d+/g) ?? []).map(Number);
  return [first, ...others.map((number) => number - first)].map((number) => number.toString(36)).join('.');
}

/**
 * Checks the snapshot. PostgreSQL would refuse invalid ones too, but only after the stream has begun, when no error can
 * be sent any more.
 */
function unpack(text: string): string {
  const [first = 0, length = 0, ...running] = text.split('.').map((part) => Number.parseInt(part, 36));
  const ascends = running.every(
    (number, index) => number < length && (index === 0 || number > running[index - 1]!),
  );
  if (!PACKED.test(text) || !ascends) throw unknownPosition();
  return `${first}:${first + length}:${running.map((number) => first + number).join(',')}`;
}

function unknownPosition(): InvalidError {
  return InvalidError.of(
    'Last-Event-ID',
    'invalid_value',
    'Last-Event-ID must be the id of an event of this stream',
  );
}
