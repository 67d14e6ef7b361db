import { createServiceClient } from '@agent-control-plane/client';
import type { Context } from './context.js';
import { followFromRecent } from './following.js';

interface Row {
  readonly id: string;
}

const rows = (...ids: number[]) => ids.map((id) => ({ id: `${id}` }));
const sse = (text: string) => new Response(text, { headers: { 'content-type': 'text/event-stream' } });
const end = 'event: end\ndata: {"reason":"removed"}\n\n';

/** The output for these newest rows, and for the rows that the stream brings. */
async function shown(recent: readonly Row[], streamed: readonly Row[]): Promise<number[]> {
  const service = createServiceClient({
    baseUrl: 'http://service.test',
    retries: 0,
    fetch: async (request) =>
      request.headers.has('last-event-id')
        ? sse(streamed.map((row) => `id: at-${row.id}\ndata: ${JSON.stringify(row)}\n\n`).join('') + end)
        : sse('id: position\n\n'),
  });
  const context = { service: () => service, signal: new AbortController().signal } as unknown as Context;
  const ids: number[] = [];
  const following = followFromRecent(context, {
    stream: '/agents/{agent_id}/logs/stream',
    path: { agent_id: 'x' },
    recent: async () => recent as never,
    isBefore: (row, other) => Number(row.id) < Number(other.id),
    show: (row) => ids.push(Number(row.id)),
  });
  await expect(following).rejects.toThrow();
  return ids;
}

describe('The newest rows and what follows', () => {
  it.each([
    ['nothing came in between', rows(8, 9), rows(10, 11), [8, 9, 10, 11]],
    ['what came in between is among the newest', rows(8, 9), rows(9, 10), [8, 9, 10]],
    ['more came in between than was asked for', rows(8, 9), rows(6, 7, 8, 9, 10), [8, 9, 10]],
    ['a late one is old by its time alone', rows(8, 9), rows(8, 9, 7, 10), [8, 9, 7, 10]],
    ['none was asked for', rows(), rows(6, 7), [6, 7]],
  ])('%s', async (_, recent, streamed, expected) => {
    expect(await shown(recent, streamed)).toEqual(expected);
  });
});
