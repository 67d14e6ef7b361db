import type { Page } from '../database/page.js';
import { InvalidError } from '../errors/domain-error.js';
import type { LivePage, LiveSource } from './live-poller.js';

const ROWS_IN_A_PAGE = 200;

/** Rows that are numbered without gaps in the order of their commits. */
export interface Sequence<Row> {
  /** The highest number; 0 without rows. */
  last(): Promise<number>;
  /**
   * Rows after `after`, up to `upTo` unless that is null; lowest first. A page may have fewer than `limit` rows even if
   * more follow.
   */
  list(after: number, upTo: number | null, limit: number): Promise<Pick<Page<Row>, 'items' | 'hasMore'>>;
  numberOf(row: Row): number;
  assertThere(): Promise<unknown>;
}

/** A source whose positions are plain numbers. */
export function sequenceSource<Row>(sequence: Sequence<Row>): LiveSource<Row> {
  return {
    latest: async () => String(await sequence.last()),
    read: (from, until) => readSequence(sequence, Number(from), until === null ? null : Number(until)),
    assertThere: () => sequence.assertThere(),
  };
}

async function readSequence<Row>(
  sequence: Sequence<Row>,
  from: number,
  until: number | null,
): Promise<LivePage<Row>> {
  if (until !== null && from >= until) return { items: [], end: String(from), hasMore: false };
  const { items: rows, hasMore } = await sequence.list(from, until, ROWS_IN_A_PAGE);
  const items = rows.map((row) => ({ row, position: String(sequence.numberOf(row)) }));
  const last = items.at(-1)?.position ?? String(from);
  // Rows missing below `until` were deleted by retention, so no reader waits for them.
  return { items, end: hasMore || until === null ? last : String(until), hasMore };
}

/**
 * @param last the highest existing number
 * @param name of the header or parameter with the position
 * @throws InvalidError if it is no position of the sequence, or one that does not exist yet: after the database was
 * restored to an earlier state, a reader that waits for it would miss all events before it
 */
export function assertKnownPosition(text: string, last: number, name = 'Last-Event-ID'): void {
  if (!/^\d{1,16}$/.test(text)) {
    throw InvalidError.of(name, 'invalid_value', `${name} must be the id of an event of this stream`);
  }
  if (Number(text) > last)
    throw InvalidError.of(name, 'invalid_value', `${name} is no longer known: start the stream without it`);
}
