import { setTimeout as delay } from 'node:timers/promises';
import type { Credentials } from './credentials.js';
import { secondsOf, UnreachableError } from './service-errors.js';

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;
const WORTH_REPEATING = new Set([429, 502, 503, 504]);

export interface ServiceFetchOptions {
  readonly baseUrl: string;
  readonly credentials: Credentials | undefined;
  /** Attempts after the first one, for requests that may be repeated. */
  readonly retries: number;
  /** Milliseconds without an answer; 0 waits for as long as it takes. */
  readonly timeoutMs: number;
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * `fetch` as a client of the service wants it: with the caller's credential, which is renewed once when it is refused,
 * and with repetitions where they can do no harm.
 *
 * @returns resolves with whatever the service answered, refusals included
 * @throws UnreachableError when nothing came; the signal's reason when the caller gave up
 */
export function serviceFetch(options: ServiceFetchOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const sentBy = await options.credentials?.current();
    const response = await repeated(authorized(request, sentBy), options);
    if (response.status !== 401 || sentBy === undefined) return response;
    const renewed = await options.credentials?.renew?.(sentBy);
    if (renewed === undefined || renewed === sentBy) return response;
    await response.body?.cancel();
    return repeated(authorized(request, renewed), options);
  };
}

function authorized(request: Request, credential: string | undefined): Request {
  const copy = request.clone();
  if (credential !== undefined) copy.headers.set('authorization', `Bearer ${credential}`);
  return copy;
}

/** What reads changes nothing, and an `Idempotency-Key` makes the service recognise the second attempt. */
function mayRepeat(request: Request): boolean {
  return request.method === 'GET' || request.headers.has('idempotency-key');
}

async function repeated(request: Request, options: ServiceFetchOptions): Promise<Response> {
  const attempts = mayRepeat(request) ? options.retries + 1 : 1;
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt >= attempts;
    let wait = backoffMs(attempt);
    try {
      const response = await once(request.clone(), options);
      if (isLast || !WORTH_REPEATING.has(response.status)) return response;
      const wanted = secondsOf(response.headers.get('retry-after'));
      if (wanted !== undefined && wanted * 1_000 > LONGEST_DELAY_MS) return response;
      wait = Math.max(wait, (wanted ?? 0) * 1_000);
      await response.body?.cancel();
    } catch (error) {
      if (isLast || !(error instanceof UnreachableError)) throw error;
    }
    await delay(wait, undefined, { signal: request.signal });
  }
}

async function once(request: Request, options: ServiceFetchOptions): Promise<Response> {
  // until the reply begins: a stream may then go on for days
  const patience = new AbortController();
  const late = new DOMException('no answer in time', 'TimeoutError');
  const timer = options.timeoutMs > 0 ? setTimeout(() => patience.abort(late), options.timeoutMs) : undefined;
  try {
    return await options.fetch(
      new Request(request, { signal: AbortSignal.any([request.signal, patience.signal]) }),
    );
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    throw new UnreachableError(options.baseUrl, error);
  } finally {
    clearTimeout(timer);
  }
}

/** Doubles with each attempt; jitter keeps clients that failed together from coming back together. */
function backoffMs(attempt: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}
