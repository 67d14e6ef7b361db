import type { ErrorBody, FieldError } from '@agent-control-plane/client';
import { reportAway, reportBack } from './connection.js';
import type { SecondFactorChallenge } from './second-factor-challenge.js';
import { pathHere } from '../components/page-meta.js';

/** The service refused, or could not be reached (`status` 0). Its message is a text for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    /** Messages: one for each failed rule of a 422, else a single one. */
    readonly problems: readonly string[],
    readonly requestId?: string,
    /** Seconds of `Retry-After`, if the service sent it. */
    readonly retryAfter?: number,
    /** The broken rules of a 422, each with its field. */
    readonly errors: readonly FieldError[] = [],
    /** The service's word for what went wrong; a proxy's page has none. */
    readonly code?: string,
    /** The steps of a sign-in besides the password, with `second_factor_required`. */
    readonly secondFactor?: SecondFactorChallenge,
  ) {
    super(problems.join('; '));
  }

  /** The session is over. A gateway's page with the same status says nothing about it. */
  get isUnauthenticated(): boolean {
    return this.status === 401 && this.code !== undefined;
  }

  /** The service has no such resource, or its id is malformed. */
  get isMissing(): boolean {
    return (this.status === 404 || this.status === 422) && this.code !== undefined;
  }

  /** The service is down, starting, or can't be reached; in maintenance it is there. An ingress without a backend answers 404 or 405. */
  get isAway(): boolean {
    if (this.status === 404 || this.status === 405) return this.code === undefined;
    if (this.code === 'maintenance') return false;
    return this.status === 0 || (this.status >= 502 && this.status <= 504);
  }
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Path of the next page; null after the last one. */
  readonly next: string | null;
  /** The total; only with `include_total=true`. */
  readonly total?: number;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Makes a creating request safe to repeat; see {@link useSubmissionKey}. */
  readonly idempotencyKey?: string;
  /** The config version that the change is based on; with another one it is refused (412). */
  readonly ifConfigVersion?: number;
  /** The reply says nothing about whether the service is available. */
  readonly isProbe?: boolean;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Requests under way by idempotency key, which a second press of a button shares. The service refuses a key that is in use. */
const underWay = new Map<string, Promise<unknown>>();

/**
 * Calls one of the same-origin handlers.
 *
 * @param path with its query, `/api/...`
 * @returns the reply; if a request with the same idempotency key is under way, the reply to that one
 * @throws ApiError; an `AbortError` if the signal ended it
 */
export function request<Reply>(
  method: Method,
  path: string,
  body?: unknown,
  options: RequestOptions = {},
): Promise<Reply> {
  const { idempotencyKey: key } = options;
  if (key === undefined) return ask<Reply>(method, path, body, options);
  const first = underWay.get(key) ?? ask<Reply>(method, path, body, options);
  underWay.set(key, first);
  return (first as Promise<Reply>).finally(() => underWay.delete(key));
}

async function ask<Reply>(
  method: Method,
  path: string,
  body: unknown,
  options: RequestOptions,
): Promise<Reply> {
  const response = await send(method, path, body, options);
  return (response.status === 204 ? undefined : await response.json()) as Reply;
}

/** One page of a list. @throws ApiError */
export async function requestPage<Row>(path: string, options: RequestOptions = {}): Promise<Page<Row>> {
  const { reply, next, total } = await requestLinked<Row[]>(path, options);
  return { rows: reply, next, ...(total === null ? {} : { total: Number(total) }) };
}

/** Every row of a list, read page by page. @throws ApiError */
export async function requestAll<Row>(first: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let path: string | null = first; path !== null;) {
    const page: Page<Row> = await requestPage<Row>(path);
    rows.push(...page.rows);
    path = page.next;
  }
  return rows;
}

/** A reply that is a part of more, and the path of the next part; null after the last one. @throws ApiError */
export async function requestLinked<Reply>(path: string, options: RequestOptions = {}) {
  const response = await send('GET', path, undefined, options);
  return {
    reply: (await response.json()) as Reply,
    next: nextPath(path, response.headers.get('Link')),
    total: response.headers.get('X-Total-Count'),
  };
}

/** Asks the person to confirm that it is them. Rejects if they do not, and the request then fails with that. */
let stepUp = (): Promise<void> => Promise.resolve();

/** Sets the question with which requests continue that the service refuses without a fresh proof of who asks. */
export function askForStepUpBy(question: () => Promise<void>): void {
  stepUp = question;
}

async function send(...request: Parameters<typeof sendOnce>): Promise<Response> {
  try {
    return await sendOnce(...request);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'step_up_required')) throw error;
    await stepUp();
    return sendOnce(...request);
  }
}

async function sendOnce(
  method: Method,
  path: string,
  body: unknown,
  options: RequestOptions,
): Promise<Response> {
  const headers = new Headers({ Accept: 'application/json' });
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  if (options.idempotencyKey) headers.set('Idempotency-Key', options.idempotencyKey);
  if (options.ifConfigVersion !== undefined) headers.set('If-Match', `"${options.ifConfigVersion}"`);
  let response: Response;
  try {
    response = await fetch(pathHere(path), {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: options.signal ?? null,
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    if (!options.isProbe) reportAway();
    throw new ApiError(0, ['The server can’t be reached. Is it running?']);
  }
  if (response.ok) {
    if (!options.isProbe) reportBack();
    return response;
  }
  const failure = await failureOf(response);
  if (failure.isAway && !options.isProbe) reportAway();
  throw failure;
}

async function failureOf(response: Response): Promise<ApiError> {
  const body = ((await response.json().catch(() => null)) ?? {}) as Partial<ErrorBody> & {
    readonly second_factor?: SecondFactorChallenge;
  };
  const { message = body.detail ?? `The server answered ${response.status} ${response.statusText}` } = body;
  const retryAfter = Number(response.headers.get('Retry-After') ?? NaN);
  return new ApiError(
    response.status,
    typeof message === 'string' ? [message] : message,
    body.request_id ?? response.headers.get('X-Request-Id') ?? undefined,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
    body.errors,
    body.statusCode === response.status ? body.code : undefined,
    body.second_factor,
  );
}

/** Path of the next page. Only the query of the link is used, because it may name the service's path or the handler's. */
export function nextPath(path: string, link: string | null): string | null {
  const target = /<([^<>]*)>\s*;[^,]*rel="?next"?/.exec(link ?? '')?.[1];
  if (target === undefined) return null;
  const [here] = path.split('?');
  return `${here}${new URL(target, 'http://localhost').search}`;
}

/** `path?a=1&b=2`, without parameters that are undefined or empty. */
export function withQuery(path: string, query: Record<string, string | number | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search === '' ? path : `${path}?${search}`;
}
