import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { visibleHeartbeats } from './visible-heartbeats.js';

const passed = async (chunks: readonly Buffer[]): Promise<string> =>
  (await buffer(Readable.from(chunks).pipe(visibleHeartbeats()))).toString('utf8');

describe('visibleHeartbeats', () => {
  const stream = Buffer.from(
    'retry: 1000\nid: 7\n\n: heartbeat\nid: 8\n\nid: 9\ndata: {"message":": heartbeat – läuft"}\n\n: heartbeat\nid: 9\n\n',
  );
  const visible =
    'retry: 1000\nid: 7\n\nevent: heartbeat\ndata:\nid: 8\n\n' +
    'id: 9\ndata: {"message":": heartbeat – läuft"}\n\nevent: heartbeat\ndata:\nid: 9\n\n';

  it('turns only heartbeats into events, for any chunks of the stream', async () => {
    for (let cut = 0; cut <= stream.length; cut++) {
      expect(await passed([stream.subarray(0, cut), stream.subarray(cut)])).toBe(visible);
    }
  });

  it('forwards an incomplete line when the stream ends', async () => {
    expect(await passed([Buffer.from('id: 1\nda'), Buffer.from('ta: {')])).toBe('id: 1\ndata: {');
  });
});
