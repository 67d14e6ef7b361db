import { Transform } from 'node:stream';

/** A heartbeat of the service: a comment, which an `EventSource` hides. */
const HEARTBEAT = /^: heartbeat$/gm;

/**
 * Turns the heartbeats of a stream into events named `heartbeat` with empty data, so that a page can distinguish an
 * idle stream from a dead one. Everything else is forwarded unchanged; an incomplete line waits until it is complete.
 */
export function visibleHeartbeats(): Transform {
  // in latin1 every byte is one character, so that no character is cut
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
