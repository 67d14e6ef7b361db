import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from '../http/json-record.js';

/** The program that calls, as it calls itself. Nothing proves it. */
export interface McpClient {
  readonly name: string | null;
  readonly version: string | null;
}

const UNKNOWN: McpClient = { name: null, version: null };
const LONGEST = 100;
/** The place of the program's name in a request of the newest revision. */
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const SESSION = 'mcp-session-id';

/**
 * Reads which program calls. The newest revision says it in each request. The one before says it in `initialize` alone, whose reply
 * gives it as the session's id: it comes back with each call, and no session has to be kept for it.
 */
export function clientOf(body: unknown, headers: IncomingHttpHeaders): McpClient {
  const { params } = isRecord(body) ? body : {};
  const { _meta: meta, clientInfo } = isRecord(params) ? params : {};
  if (isRecord(clientInfo)) return named(clientInfo);
  if (isRecord(meta) && isRecord(meta[CLIENT_INFO])) return named(meta[CLIENT_INFO]);
  const session = headers[SESSION];
  return typeof session === 'string' ? ofSession(session) : UNKNOWN;
}

/** The headers of a reply to `initialize`. */
export function sessionOf({ name, version }: McpClient): Readonly<Record<string, string>> {
  return { [SESSION]: Buffer.from(JSON.stringify([name, version])).toString('base64url') };
}

function ofSession(session: string): McpClient {
  try {
    const [name, version] = JSON.parse(Buffer.from(session, 'base64url').toString()) as unknown[];
    return named({ name, version });
  } catch {
    return UNKNOWN;
  }
}

function named({ name, version }: Readonly<Record<string, unknown>>): McpClient {
  return { name: textOf(name), version: textOf(version) };
}

function textOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  return value
    .slice(0, LONGEST)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\uFFFD');
}
