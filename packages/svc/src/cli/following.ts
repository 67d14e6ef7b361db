import {
  follow,
  type FollowOptions,
  type LiveStreams,
  type ServiceClient,
  UnreachableError,
} from '@agent-control-plane/client';
import { readServerSentEvents } from '@agent-control-plane/client/internal/server-sent-events';
import type { Context } from './context.js';
import { printableLine } from './output/printable.js';

/** The streams that begin now. A run's begins with the run, so nothing is before it. */
type LaterStream = Exclude<keyof LiveStreams, '/runs/{run_id}/stream'>;

/** A live stream, and the rows before it. */
export interface Followed<Path extends LaterStream> {
  readonly stream: Path;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: FollowOptions['query'];
  /**
   * The rows to begin with, oldest first.
   *
   * @param position of the stream, read before; the stream has everything after it
   */
  readonly recent: (position: string) => Promise<readonly LiveStreams[Path][]>;
  /** Returns true if a row belongs before another one, if the newest rows may be newer than the position. */
  readonly isBefore?: (row: LiveStreams[Path], other: LiveStreams[Path]) => boolean;
  readonly show: (row: LiveStreams[Path]) => void;
}

/**
 * Prints the newest rows and then each new one, until the signal aborts or the resource is removed. The position of the
 * stream is read before the newest rows, so no row is missed; a row in both is printed once, and a row from in between
 * that is older than the oldest of the newest rows is skipped like all older ones.
 *
 * @throws StreamEndedError if the resource has been removed; ServiceError if the service refuses
 */
export async function followFromRecent<Path extends LaterStream>(
  context: Context,
  followed: Followed<Path>,
): Promise<void> {
  const service = context.service();
  const { stream, path, query, recent, isBefore, show } = followed;
  const position = await streamPosition(service, stream, { path, query, signal: context.signal });
  const shown = new Set<string>();
  const rows = await recent(position);
  for (const row of rows) {
    show(row);
    shown.add(row.id);
  }
  const isOld = (row: LiveStreams[Path]) => shown.size > 0 && isBefore?.(row, rows[0]!) === true;
  const options = { path, query, lastEventId: position, signal: context.signal };
  for await (const { data } of follow(service, stream, { ...options, onConnection: tellOf(context) })) {
    if (!shown.delete(data.id) && !isOld(data)) show(data);
  }
}

/** Position of a stream that begins now, from its first message. */
export async function streamPosition(
  service: ServiceClient,
  stream: keyof LiveStreams,
  options: Pick<FollowOptions, 'path' | 'query' | 'signal'>,
): Promise<string> {
  // the paths differ in parameters, which the caller has set
  const get = service.GET as (path: string, init: object) => Promise<{ data: ReadableStream<Uint8Array> }>;
  const { path = {}, query = {}, signal } = options;
  const { data } = await get(stream, { params: { path, query }, parseAs: 'stream', signal });
  for await (const { id } of readServerSentEvents(data)) {
    if (id !== undefined) return id;
  }
  throw new UnreachableError('the stream', new Error('it ended before it began'));
}

/** Prints a note when the connection is lost, and when it is open again. */
function tellOf({ terminal }: Context): (lost?: Error) => void {
  return (lost) =>
    terminal.note(
      terminal.noteColors.yellow(
        lost ? `Connection lost, trying again: ${printableLine(lost.message)}` : 'Connected again',
      ),
    );
}
