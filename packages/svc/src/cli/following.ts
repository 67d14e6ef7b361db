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

/** A live stream, and what came before it. */
export interface Followed<Path extends keyof LiveStreams> {
  readonly stream: Path;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: FollowOptions['query'];
  /**
   * The rows to begin with, oldest first.
   *
   * @param position of the stream, taken before; everything after it comes with the stream
   */
  readonly recent: (position: string) => Promise<readonly LiveStreams[Path][]>;
  /** Returns true if a row belongs before another one, where the newest rows may be newer than the position. */
  readonly isBefore?: (row: LiveStreams[Path], other: LiveStreams[Path]) => boolean;
  readonly show: (row: LiveStreams[Path]) => void;
}

/**
 * Shows the newest rows and then each new one, until the signal or the end of what is followed. The place where the
 * stream begins is fixed before the newest rows are read, so nothing falls in between; what comes with both is shown once,
 * and what came in between and is older than the oldest of the newest rows is as little asked for as any other old one.
 *
 * @throws StreamEndedError when what is followed has been removed; ServiceError when the service refuses
 */
export async function followFromRecent<Path extends keyof LiveStreams>(
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
  // the paths differ in parameters that the caller has been asked for
  const get = service.GET as (path: string, init: object) => Promise<{ data: ReadableStream<Uint8Array> }>;
  const { path = {}, query = {}, signal } = options;
  const { data } = await get(stream, { params: { path, query }, parseAs: 'stream', signal });
  for await (const { id } of readServerSentEvents(data)) {
    if (id !== undefined) return id;
  }
  throw new UnreachableError('the stream', new Error('it ended before it began'));
}

/** Says when the connection is lost, and when it is back. */
function tellOf({ terminal }: Context): (lost?: Error) => void {
  return (lost) =>
    terminal.note(
      terminal.noteColors.yellow(
        lost ? `Connection lost, trying again: ${printableLine(lost.message)}` : 'Connected again',
      ),
    );
}
