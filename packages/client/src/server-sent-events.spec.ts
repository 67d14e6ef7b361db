import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.js';

async function read(...chunks: (string | Uint8Array)[]): Promise<ServerSentEvent[]> {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
  }
  const events: ServerSentEvent[] = [];
  for await (const event of readServerSentEvents(body())) events.push(event);
  return events;
}

const two = [
  { id: '1', event: 'message', data: 'first' },
  { id: '2', event: 'message', data: 'second' },
];

it.each([
  ['LF', 'id: 1\ndata: first\n\nid: 2\ndata: second\n\n'],
  ['CRLF', 'id: 1\r\ndata: first\r\n\r\nid: 2\r\ndata: second\r\n\r\n'],
  ['CR', 'id: 1\rdata: first\r\rid: 2\rdata: second\r\r: '],
  ['no space after the colon', 'id:1\ndata:first\n\nid:2\ndata:second\n\n'],
  ['empty blocks in between', '\n\n\nid: 1\ndata: first\n\n\n\nid: 2\ndata: second\n\n'],
  ['a byte order mark', '\uFEFFid: 1\ndata: first\n\nid: 2\ndata: second\n\n'],
])('The parser reads blocks with %s, wherever the chunks end', async (_, text) => {
  expect(await read(text)).toEqual(two);
  expect(await read(...text)).toEqual(two);
  const bytes = new TextEncoder().encode(text);
  for (let cut = 1; cut < bytes.length; cut += 1)
    expect(await read(bytes.slice(0, cut), bytes.slice(cut))).toEqual(two);
});

it('The parser joins characters that are split between chunks', async () => {
  const bytes = new TextEncoder().encode('data: grüße 世界\n\n');
  expect(await read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual([
    { event: 'message', data: 'grüße 世界' },
  ]);
});

it.each<[string, string, ServerSentEvent[]]>([
  ['lines of data belong together', 'data: a\ndata:\ndata: b\n\n', [{ event: 'message', data: 'a\n\nb' }]],
  ['a name', 'event: end\ndata: {}\n\n', [{ event: 'end', data: '{}' }]],
  ['an id without data', 'id: 7\n\n', [{ id: '7', event: 'message' }]],
  ['an empty id', 'id\n\n', [{ id: '', event: 'message' }]],
  ['a pause', 'retry: 1500\n\n', [{ event: 'message', retryMs: 1_500 }]],
  ['no number', 'retry: soon\n\n', []],
  ['a heartbeat', ': heartbeat\nid: 8\n\n', [{ id: '8', event: 'message' }]],
  ['a comment', ': nothing\n\n', []],
  ['an unknown field', 'colour: red\n\n', []],
  ['what has not ended yet', 'data: half', []],
])('%s', async (_, text, events) => {
  expect(await read(text)).toEqual(events);
});
