/** One block of a stream; absent fields are undefined. */
export interface ServerSentEvent {
  /** The position to resume from. */
  readonly id?: string;
  /** `message` if the stream names none. */
  readonly event: string;
  /** Undefined in a block that only sets the position to resume from. */
  readonly data?: string;
  /** Milliseconds to wait before connecting again. */
  readonly retryMs?: number;
}

/**
 * Reads `text/event-stream` (WHATWG HTML, 9.2.6) block by block. The usual parsers drop an `id` without data, with
 * which the service sends the position of an idle stream.
 */
export async function* readServerSentEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of body) {
    // a line may end with CR, LF or both, and CRLF may be split: a CR at the very end waits for the next chunk
    const text = pending + decoder.decode(chunk, { stream: true });
    const held = text.endsWith('\r') ? '\r' : '';
    const normalized = (held ? text.slice(0, -1) : text).replaceAll(/\r\n?/g, '\n');
    const blocks = normalized.split('\n\n');
    pending = blocks.pop()! + held;
    for (const block of blocks) {
      const event = eventOf(block);
      if (event) yield event;
    }
  }
}

function eventOf(block: string): ServerSentEvent | undefined {
  const data: string[] = [];
  let event: { id?: string; event: string; retryMs?: number } = { event: 'message' };
  let isEmpty = true;
  for (const line of block.split('\n')) {
    const [name, value] = fieldOf(line);
    if (name === 'data') data.push(value);
    else if (name === 'id') event = { ...event, id: value };
    else if (name === 'event') event = { ...event, event: value };
    else if (name === 'retry' && /^\d+$/.test(value)) event = { ...event, retryMs: Number(value) };
    else continue;
    isEmpty = false;
  }
  if (isEmpty) return undefined;
  return data.length > 0 ? { ...event, data: data.join('\n') } : event;
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}
