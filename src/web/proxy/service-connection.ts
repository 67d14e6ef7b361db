import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { ErrorBody } from '@agent-control-plane/client';
import { Agent, request } from 'undici';
import { WebError } from '../web-error.js';

const CONNECT_TIMEOUT_MS = 5_000;
/** Timeout of a reply; longer than the test of a webhook may take (WEBHOOK_TIMEOUT_SECONDS, 60 at most). */
const ANSWER_TIMEOUT_MS = 65_000;
const LARGEST_OWN_REPLY_BYTES = 1024 * 1024;
/** Message of the 502 for a reply that isn't the service's: SERVICE_URL names another server, or a proxy answered. */
export const NOT_THE_SERVICE = 'SERVICE_URL answered, but not as the agent control plane: check SERVICE_URL';

export interface ServiceCall {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  readonly token?: string;
  /** The browser's address, and the request id for both logs. */
  readonly client: { readonly address: string; readonly requestId: string };
  readonly signal?: AbortSignal;
  /** A stream has no timeout between events. */
  readonly isStream?: boolean;
}

export interface ServiceReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** Connections to the service, kept alive and reused. */
export class ServiceConnection {
  private readonly agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS } });

  /** @param baseUrl without a slash at its end */
  constructor(private readonly baseUrl: string) {}

  /**
   * Calls the service. Resolves when the reply begins, whatever its status is.
   *
   * @throws WebError 502 if no reply comes; the signal's reason if the caller has left
   */
  async call({ client, token, isStream = false, ...call }: ServiceCall): Promise<ServiceReply> {
    try {
      const { statusCode, headers, body } = await request(`${this.baseUrl}${call.path}`, {
        dispatcher: this.agent,
        method: call.method,
        headers: {
          ...call.headers,
          'x-forwarded-for': client.address,
          'x-request-id': client.requestId,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: call.body,
        signal: call.signal,
        headersTimeout: ANSWER_TIMEOUT_MS,
        bodyTimeout: isStream ? 0 : ANSWER_TIMEOUT_MS,
      });
      return { status: statusCode, headers, body };
    } catch (error) {
      if (call.signal?.aborted) throw call.signal.reason;
      throw new WebError(502, "The service can't be reached", {}, error);
    }
  }

  /** Aborts all calls under way. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/** Reads a small reply. @throws WebError 502 if it is incomplete or too large */
export async function readReply({ body }: ServiceReply): Promise<string> {
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > LARGEST_OWN_REPLY_BYTES) throw new Error('the reply is too large');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    throw new WebError(502, "The service's reply was interrupted", {}, error);
  }
}

/** Reads a JSON reply. @throws WebError 502 if it is not JSON */
export async function readJson<Body>(reply: ServiceReply): Promise<Body> {
  const text = await readReply(reply);
  try {
    return JSON.parse(text) as Body;
  } catch (error) {
    throw new WebError(502, NOT_THE_SERVICE, {}, error);
  }
}

/**
 * Reads a refusal of the service. Its body has the status and a request id, which no proxy's page has: an ingress without a backend
 * answers 404, a gateway 401, and neither ends a session.
 *
 * @returns the message
 * @throws WebError 502 if a proxy has answered
 */
export async function readRefusal(reply: ServiceReply): Promise<string> {
  const { statusCode, request_id, detail } = (await readJson<Partial<ErrorBody> | null>(reply)) ?? {};
  if (statusCode === reply.status && typeof request_id === 'string' && typeof detail === 'string')
    return detail;
  throw new WebError(502, NOT_THE_SERVICE);
}

/** Discards a reply, so that its connection can be reused. */
export function discard({ body }: ServiceReply): void {
  body.on('error', () => undefined);
  body.resume();
}
