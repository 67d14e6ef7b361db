import { isRecord, type Message } from './message.js';

const REVISION = 'io.modelcontextprotocol/protocolVersion';

/**
 * The headers of a message's request. The newest revision repeats there what the message says: its revision, its
 * method and the name of the called tool. The revision before leaves that unread.
 */
export function headersOf({ method = '', params = {} }: Message): Readonly<Record<string, string>> {
  const { _meta: meta, name } = params;
  const revision = isRecord(meta) ? meta[REVISION] : undefined;
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-method': inHeader(method),
    ...(typeof revision === 'string' && { 'mcp-protocol-version': inHeader(revision) }),
    ...(typeof name === 'string' && { 'mcp-name': inHeader(name) }),
  };
}

/** A text as the protocol writes it in a header, which can hold visible ASCII alone. */
function inHeader(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text) && !text.startsWith('=?')) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
