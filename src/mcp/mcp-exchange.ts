import type { Request as ExpressRequest, Response as ExpressResponse } from 'express';
import type { UserPrincipal } from '../access/principal.js';
import { isRecord } from '../http/json-record.js';
import { lostNumberOf } from '../http/lost-numbers.js';
import { requestIdOf } from '../http/request-id.js';
import { clientOf, sessionOf } from './mcp-client.js';
import type { McpCall, McpReply } from './mcp.service.js';
import { narrowingOf } from './narrowing.js';

/** Codes of JSON-RPC. */
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;
/** Headers of the caller that the calls of the API carry on: they say who calls, and in which request. */
const CARRIED_ON = ['authorization', 'x-api-key', 'user-agent', 'host', 'traceparent', 'tracestate'];
/** Headers of the SDK's replies that are the protocol's; the others are set for every reply already. */
const OF_PROTOCOL = /^(content-type|mcp-.*)$/;

/** @throws InvalidError for a header that narrows the tools in an unknown way */
export function callOf(user: UserPrincipal, request: ExpressRequest, response: ExpressResponse): McpCall {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const { headers } = request;
  const carried = CARRIED_ON.filter((name) => headers[name] !== undefined);
  const { name, version } = clientOf(request.body, headers);
  return {
    user,
    narrowing: narrowingOf(headers),
    request: {
      address: request.ip ?? null,
      signal: gone.signal,
      headers: {
        ...Object.fromEntries(carried.map((each) => [each, String(headers[each])])),
        'x-request-id': requestIdOf(response),
      },
      way: { via: 'mcp', client: name, clientVersion: version },
    },
  };
}

/** The request as the SDK takes it. Its body is handed over parsed. */
export function toWebRequest({ headers, body }: ExpressRequest, { request }: McpCall): Request {
  const given = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: Object.fromEntries(given) as Record<string, string>,
    ...(body === undefined && { body: '' }),
    signal: request.signal,
  });
}

/**
 * The reply to a message that the SDK would take: several at once would be many calls in one request, and of some numbers a part is
 * lost when they are read.
 */
export function refusalOfBody(body: unknown): McpReply | undefined {
  if (Array.isArray(body)) return refusal(null, INVALID_REQUEST, 'Send one message per request');
  const lost = isRecord(body) ? lostNumberOf(body) : undefined;
  if (!lost) return undefined;
  const { id } = body as { readonly id?: unknown };
  return refusal(
    id ?? null,
    INVALID_PARAMS,
    `${lost.path} is a number that JSON can't represent exactly: send it as a string`,
  );
}

function refusal(id: unknown, code: number, message: string): McpReply {
  return {
    status: 400,
    headers: new Headers({ 'content-type': 'application/json' }),
    text: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }),
  };
}

export function send(response: ExpressResponse, { status, headers, text }: McpReply): void {
  const { body } = response.req as { readonly body?: unknown };
  if (status < 300 && isRecord(body) && body.method === 'initialize')
    response.set(sessionOf(clientOf(body, {})));
  for (const [name, value] of headers) if (OF_PROTOCOL.test(name)) response.setHeader(name, value);
  response.status(status).end(text);
}
