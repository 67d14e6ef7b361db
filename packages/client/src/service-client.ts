import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { Credentials } from './credentials.js';
import type { paths } from './generated/schema.js';
import { isProtobuf, ServiceError, UnreachableError } from './service-errors.js';
import { serviceFetch } from './service-fetch.js';
import { wellFormedJson } from './well-formed-json.js';

/** Every operation of the service, typed by path: `service.GET('/agents/{agent_id}', { params })`. */
export type ServiceClient = Client<paths, 'application/json'>;

export interface ServiceClientOptions {
  /** Address of the service, without a slash at the end. */
  readonly baseUrl: string;
  /** A key or a token, or its source. */
  readonly credentials?: string | Credentials;
  /** Number of attempts after the first one for repeatable requests: reads, and creating requests. Default 2. */
  readonly retries?: number;
  /** Milliseconds without a complete answer after which an attempt counts as failed; 0 for no limit. Default 30,000. */
  readonly timeoutMs?: number;
  /** Name of this program for the service. */
  readonly userAgent?: string;
  readonly fetch?: (request: Request) => Promise<Response>;
}

type HeadersOf<Operation> = Operation extends { parameters: { header?: infer Headers } }
  ? NonNullable<Headers>
  : never;

/** The paths whose POST accepts an `Idempotency-Key`, by the document. */
type KeyedPath = {
  [Path in keyof paths]: [HeadersOf<paths[Path]['post']>] extends [never]
    ? never
    : 'Idempotency-Key' extends keyof HeadersOf<paths[Path]['post']>
      ? Path
      : never;
}[keyof paths];

/** A repeated request to any other path may have its effect twice. The type guarantees that the list is complete. */
const TAKES_KEY: Readonly<Record<KeyedPath, true>> = {
  '/auth/register': true,
  '/agents': true,
  '/agents/register': true,
  '/agents/logs': true,
  '/agents/metrics': true,
  '/agents/usage': true,
  '/otlp/v1/logs': true,
  '/otlp/v1/metrics': true,
  '/agents/{agent_id}/deploy': true,
  '/agents/{agent_id}/stop': true,
  '/agents/{agent_id}/pause': true,
  '/agents/{agent_id}/resume': true,
  '/pauses': true,
  '/deployments': true,
  '/deployments/{deployment_id}/scale': true,
  '/deployments/{deployment_id}/stop': true,
  '/deployments/{deployment_id}/restart': true,
  '/deployments/{deployment_id}/rolling-restart': true,
  '/api-keys': true,
  '/api-keys/{key_id}/rotate': true,
  '/webhooks/': true,
  '/webhooks/{webhook_id}/rotate-secret': true,
  '/leads': true,
  '/users': true,
  '/projects': true,
  '/projects/{project_id}/members': true,
  '/agents/runs/claim': true,
  '/agents/runs': true,
  '/agents/{agent_id}/runs': true,
  '/runs/{run_id}/cancel': true,
  '/runs/{run_id}/retry': true,
  '/agents/{agent_id}/schedules': true,
  '/budgets': true,
  '/schedules/{schedule_id}/trigger': true,
  '/auth/factors/totp': true,
  '/auth/factors/passkeys': true,
};

/**
 * A client of the service, typed from its OpenAPI document.
 *
 * Its calls reject with a `ServiceError` if the service refuses, and with an `UnreachableError` if no answer arrives,
 * so callers only need `unwrap` to get the data.
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { retries = 2, timeoutMs = 30_000, userAgent } = options;
  const baseUrl = options.baseUrl.replace(/(?<!\/)\/+$/, '');
  const credentials = credentialsOf(options.credentials);
  const client = createClient<paths, 'application/json'>({
    baseUrl,
    headers: userAgent === undefined ? {} : { 'user-agent': userAgent },
    bodySerializer: wellFormedJson,
    fetch: serviceFetch({
      baseUrl,
      credentials,
      retries,
      timeoutMs,
      fetch: options.fetch ?? ((request) => fetch(request)),
    }),
  });
  client.use(repeatable, refusing);
  return client;
}

/** The data of a reply; the request rejects if there is none. */
export async function unwrap<Data>(reply: Promise<{ data?: Data }>): Promise<Exclude<Data, undefined>> {
  return (await reply).data as Exclude<Data, undefined>;
}

function credentialsOf(given: string | Credentials | undefined): Credentials | undefined {
  return typeof given === 'string' ? { current: () => given } : given;
}

const repeatable: Middleware = {
  onRequest({ request, schemaPath }) {
    if (request.method !== 'POST' || !Object.hasOwn(TAKES_KEY, schemaPath)) return undefined;
    if (!request.headers.has('idempotency-key')) request.headers.set('idempotency-key', crypto.randomUUID());
    return request;
  },
};

const refusing: Middleware = {
  async onResponse({ response, options }) {
    if (!response.ok) throw await ServiceError.from(response);
    const type = response.headers.get('content-type') ?? '';
    // a proxy's own page, or another program at this address
    const isOfService = /^(application\/json|text\/event-stream)\b/.test(type) || isProtobuf(response);
    if (response.status !== 204 && !isOfService)
      throw new UnreachableError(options.baseUrl, new Error('something else answers there'));
    return undefined;
  },
};
