import { ServiceError, UnreachableError } from '@agent-control-plane/client';
import type { Context } from '../context.js';
import { CommandFailedError } from '../failures.js';
import { headersOf } from './message-headers.js';
import { isRecord } from './message.js';
import { messagesOf } from './service-reply.js';

const PATIENCE_MS = 60_000;

/**
 * The data that a tool of `POST /mcp` answers. The service bounds it, so the longest texts and lists in it may be cut.
 *
 * @throws CommandFailedError for a refusal of the tool; ServiceError for one of the route
 */
export async function callTool(
  context: Context,
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
  const { url } = context.address;
  const request = new Request(`${url}/mcp`, {
    method: 'POST',
    headers: headersOf(message),
    body: JSON.stringify(message),
    signal: context.signal,
  });
  const response = await context.authorizedFetch(PATIENCE_MS)(request);
  if (!response.ok) throw await ServiceError.from(response);
  for await (const { message: reply } of messagesOf(response, url)) {
    const { result } = reply;
    if (!result) continue;
    if (result.isError) throw new CommandFailedError(refusalIn(result.content));
    if (isRecord(result.structuredContent)) return result.structuredContent.data;
  }
  throw new UnreachableError(url, new Error('the answer broke off'));
}

function refusalIn(content: unknown): string {
  const [part] = Array.isArray(content) ? (content as unknown[]) : [];
  const text = isRecord(part) && typeof part.text === 'string' ? part.text : 'The service gives no reason';
  return `${text.replace(/\.$/, '')}: "svc status" shows who you are, and "svc ls" which agents there are`;
}
