import { backoffMs } from './backoff.js';
import { type Credentials, isCredential } from './credentials.js';
import { pause } from './pause.js';
import { MalformedCredentialError, secondsOf, UnreachableError } from './service-errors.js';

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;
const WORTH_REPEATING = new Set([429, 502, 503, 504]);

export interface ServiceFetchOptions {
  readonly baseUrl: string;
  readonly credentials: Credentials | undefined;
  /** Number of attempts after the first one, for repeatable requests. */
  readonly retries: number;
  /** Milliseconds without a complete answer, or the beginning of a stream; 0 for no limit. */
  readonly timeoutMs: number;
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * `fetch` for a client of the service: with the caller's credential, which is renewed once after a refusal, and with
 * repetitions of repeatable requests.
 *
 * @returns resolves with any answer of the service, refusals included
 * @throws UnreachableError if no answer arrived; MalformedCredentialError; the signal's reason if the caller gave up
 */
export function serviceFetch(options: ServiceFetchOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const sentBy = await options.credentials?.current();
    const response = await repeated(authorized(request, sentBy), request, options);
    if (response.status !== 401 || sentBy === undefined) return response;
    const renewed = await options.credentials?.renew?.(sentBy);
    if (renewed === undefined || renewed === sentBy) return response;
    await response.body?.cancel();
    return repeated(authorized(request, renewed), request, options);
  };
}

function authorized(request: Request, credential: string | undefined): Request {
  const copy = request.clone();
  if (credential !== undefined && !isCredential(credential)) throw new MalformedCredentialError();
  if (credential !== undefined) copy.headers.set('authorization', `Bearer ${credential}`);
  return copy;
}

/** Reads change nothing, and an `Idempotency-Key` lets the service recognise the second attempt. */
function mayRepeat(request: Request): boolean {
  return request.method === 'GET' || request.headers.has('idempotency-key');
}

/** @param original the caller's request, whose signal counts */
async function repeated(
  request: Request,
  original: Request,
  options: ServiceFetchOptions,
): Promise<Response> {
  const attempts = mayRepeat(request) ? options.retries + 1 : 1;
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt >= attempts;
    let wantedMs = 0;
    try {
      const response = await once(request.clone(), original, options);
      if (isLast || !WORTH_REPEATING.has(response.status)) return response;
      wantedMs = (secondsOf(response.headers.get('retry-after')) ?? 0) * 1_000;
      // the caller gets the reply, and decides about so long a wait
      if (wantedMs > LONGEST_DELAY_MS) return response;
      await response.body?.cancel();
    } catch (error) {
      if (isLast || !(error instanceof UnreachableError)) throw error;
    }
    await pause(backoffMs(attempt, FIRST_DELAY_MS, LONGEST_DELAY_MS, wantedMs), original.signal);
    original.signal.throwIfAborted();
  }
}

/**
 * The objects from which each reply came. In Node an abort reaches `fetch` through a `Request` only while that
 * `Request` is referenced, and through a clone of it not at all after a garbage collection: a long poll, a time limit
 * and a stream could then no longer be ended.
 */
const sources = new WeakMap<Response, readonly unknown[]>();

async function once(request: Request, original: Request, options: ServiceFetchOptions): Promise<Response> {
  const patience = new AbortController();
  const late = new DOMException('no answer in time', 'TimeoutError');
  const timer = options.timeoutMs > 0 ? setTimeout(() => patience.abort(late), options.timeoutMs) : undefined;
  const signal = AbortSignal.any([original.signal, patience.signal]);
  // the service never redirects, and a redirected POST would become a GET
  const attempt = new Request(request, { signal, redirect: 'error' });
  const held = [original, attempt, signal];
  try {
    const response = await whole(await options.fetch(attempt));
    sources.set(response, [...held]);
    return response;
  } catch (error) {
    original.signal.throwIfAborted();
    throw new UnreachableError(options.baseUrl, error);
  } finally {
    clearTimeout(timer);
    // used until here, so referenced until here
    held.length = 0;
  }
}

/**
 * The reply with its body read, so that one that breaks off is repeated like any other failure. A stream, which may
 * last for days, is not read.
 */
async function whole(response: Response): Promise<Response> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (isStream || response.body === null) return response;
  return new Response(await response.arrayBuffer(), response);
}
