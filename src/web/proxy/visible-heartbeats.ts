import { Transform } from 'node:stream';

/** As the service writes it: a comment, which an `EventSource` keeps to itself. */
const HEARTBEAT = /^: heartbeat$/gm;

/**
 * Turns the heartbeats of a stream of the service into events named `heartbeat`, without data of their own, so that a
 * page can tell a stream that is idle from one that is dead. Everything else passes as it is; a line that was begun waits
 * for its end.
 */
export function visibleHeartbeats(): Transform {
  // every byte is a character of its own, so that none is cut in two
  const encoding = 'latin1';
  let begun = '';
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = begun + chunk.toString(encoding);
      const end = text.lastIndexOf('\n') + 1;
      begun = text.slice(end);
      const lines = text.slice(0, end).replaceAll(HEARTBEAT, 'event: heartbeat\ndata:');
      done(null, Buffer.from(lines, encoding));
    },
    flush(done) {
      done(null, Buffer.from(begun, encoding));
    },
  });
}
