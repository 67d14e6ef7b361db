import { backoffMs } from './backoff.js';
import type { components } from './generated/schema.js';
import { pause } from './pause.js';
import { readServerSentEvents } from './server-sent-events.js';
import { type ServiceClient } from './service-client.js';
import { ServiceError, UnreachableError } from './service-errors.js';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/**
 * A connection that is lost within this time counts as one more failure: a proxy may accept each connection and end it
 * at once.
 */
const STEADY_MS = 10_000;
/** Three of the service's default heartbeats: a connection that is silent for longer is dead. */
const SILENCE_MS = 60_000;

/** The streams, with the type of their events. */
export interface LiveStreams {
  '/events/stream': components['schemas']['FeedEventResponse'];
  '/deployments/{deployment_id}/events/stream': components['schemas']['DeploymentEventResponse'];
  '/agents/{agent_id}/logs/stream': components['schemas']['LogRecord'];
  '/runs/{run_id}/stream': components['schemas']['RunStreamItem'];
  '/logs/stream': components['schemas']['LogRecord'];
}

export interface FollowOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The event after which the stream begins; absent: now, of a run its beginning. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  /** Called when the connection is lost (with the error) and when it is open again (without). */
  readonly onConnection?: (lost?: Error) => void;
}

export interface LiveEvent<Data> {
  readonly id: string | undefined;
  readonly data: Data;
}

/** The stream has ended permanently: the resource was removed, or the credential is invalid and can't be renewed. */
export class StreamEndedError extends Error {
  override readonly name = 'StreamEndedError';

  constructor(readonly reason: string) {
    super(
      reason === 'removed'
        ? 'What was followed has been removed'
        : 'The credential no longer holds: log in again',
    );
  }
}

/**
 * Follows a stream until the caller ends it, or nothing can follow: reconnects after each loss, and resumes at its position, so that each
 * event is yielded once.
 *
 * @throws StreamEndedError if it has ended permanently; ServiceError if the service refuses (4xx); the signal ends it
 * without an error
 */
export async function* follow<Path extends keyof LiveStreams>(
  service: ServiceClient,
  path: Path,
  options: FollowOptions = {},
): AsyncGenerator<LiveEvent<LiveStreams[Path]>> {
  const { signal } = options;
  let lastEventId = options.lastEventId;
  let failures = 0;
  let isLost = false;
  let retryMs = FIRST_DELAY_MS;
  let hasExpired = false;
  let hasBeenOpen = false;
  while (!signal?.aborted) {
    let connectedAt = Infinity;
    try {
      const body = await connect(service, path, options, lastEventId);
      connectedAt = performance.now();
      if (isLost) options.onConnection?.();
      isLost = false;
      hasExpired = false;
      hasBeenOpen = true;
      for await (const event of readServerSentEvents(whileItSpeaks(body, signal))) {
        lastEventId = event.id ?? lastEventId;
        retryMs = event.retryMs ?? retryMs;
        if (event.event === 'end') {
          if (reasonOf(event.data) === 'ended') return;
          hasExpired = endsWithCredential(event.data);
        } else if (event.data !== undefined)
          yield { id: lastEventId, data: JSON.parse(event.data) as LiveStreams[Path] };
      }
      lost(new Error('the connection was closed'));
    } catch (error) {
      if (signal?.aborted) return;
      if (hasExpired && isUnauthenticated(error)) throw new StreamEndedError('credential');
      if (!isPassing(error, hasBeenOpen)) throw error;
      if (!isLost) options.onConnection?.(error);
      isLost = true;
      failures = performance.now() - connectedAt >= STEADY_MS ? 1 : failures + 1;
      await pause(pauseMs(failures, retryMs, error), signal);
    }
  }
}

async function connect(
  service: ServiceClient,
  path: keyof LiveStreams,
  { path: parameters = {}, query = {}, signal }: FollowOptions,
  lastEventId: string | undefined,
): Promise<ReadableStream<Uint8Array>> {
  // the paths differ in parameters, which the caller has set
  const get = service.GET as (path: string, init: object) => Promise<{ data: ReadableStream<Uint8Array> }>;
  const reply = await get(path, {
    params: { path: parameters, query },
    headers: lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId },
    parseAs: 'stream',
    signal,
  });
  return reply.data;
}

function lost(cause: unknown): never {
  throw new UnreachableError('the stream', cause);
}

/**
 * Yields the chunks of a stream. Fails when the stream is cut off, and when nothing arrives for too long, heartbeats
 * included.
 */
async function* whileItSpeaks(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const giveUp = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', giveUp);
  // the signal may have been aborted before the headers arrived
  if (signal?.aborted) giveUp();
  try {
    for (;;) {
      const heard = new AbortController();
      const silence = pause(SILENCE_MS, heard.signal).then(() => undefined);
      const chunk = await Promise.race([reader.read().catch(lost), silence]).finally(() => heard.abort());
      if (!chunk) lost(new Error('it fell silent'));
      if (chunk.done) return;
      yield chunk.value;
    }
  } finally {
    signal?.removeEventListener('abort', giveUp);
    giveUp();
  }
}

/**
 * @returns true if the credential is no longer valid: the next connection renews it, or is refused
 * @throws StreamEndedError if reconnecting is useless
 */
function endsWithCredential(data: string | undefined): boolean {
  const reason = reasonOf(data);
  if (reason !== undefined && reason !== 'shutdown' && reason !== 'credential')
    throw new StreamEndedError(reason);
  return reason === 'credential';
}

function reasonOf(data: string | undefined): string | undefined {
  return (JSON.parse(data ?? '{}') as { reason?: string }).reason;
}

/** 401: expired or revoked; 403: the account is deactivated. */
function isUnauthenticated(error: unknown): boolean {
  return error instanceof ServiceError && !error.isOfProxy && (error.status === 401 || error.status === 403);
}

/**
 * Transient failures: no answer, too many requests, and errors of the service itself.
 *
 * @param hasBeenOpen true: the address is right, so a proxy's page of any status is an outage, as while an ingress has no backend
 */
function isPassing(error: unknown, hasBeenOpen: boolean): error is ServiceError | UnreachableError {
  if (!(error instanceof ServiceError)) return error instanceof UnreachableError;
  return error.status === 429 || error.status >= 500 || (hasBeenOpen && error.isOfProxy);
}

function pauseMs(failures: number, retryMs: number, error: Error): number {
  const wantedMs = error instanceof ServiceError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return backoffMs(failures, retryMs, LONGEST_DELAY_MS, wantedMs);
}
