import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Request } from 'express';
import { SMALL_BODY_BYTES } from '../budget/request-limits.js';
import { HalfReadBodies } from './half-read-bodies.js';

const LIMIT = 10 * SMALL_BODY_BYTES;

/** A request whose body never comes to its end. @returns the beginning of the answer, where it is refused */
function send(bodies: HalfReadBodies, bytes: number) {
  const socket = new PassThrough();
  const request = Object.assign(new EventEmitter(), {
    socket,
    headers: { 'content-length': String(bytes + 1) },
  });
  bodies.watch(request as unknown as Request);
  request.emit('data', Buffer.alloc(bytes));
  const answer = (socket.read() as Buffer | null)?.toString().split('\r\n')[0];
  socket.destroy();
  return { answer, close: () => request.emit('close') };
}

const REFUSED = 'HTTP/1.1 503 Service Unavailable';

describe('Bodies that are still arriving', () => {
  it('are refused past the limit when they are large, and past twice the limit when they are small', () => {
    const bodies = new HalfReadBodies(LIMIT);
    const small = Array.from({ length: 10 }, () => send(bodies, SMALL_BODY_BYTES));
    expect(small.map(({ answer }) => answer)).toEqual(small.map(() => undefined));
    const large = send(bodies, SMALL_BODY_BYTES + 1);
    expect(large.answer).toBe(REFUSED);
    large.close();
    const more = Array.from({ length: 10 }, () => send(bodies, SMALL_BODY_BYTES));
    expect(more.map(({ answer }) => answer)).toEqual(more.map(() => undefined));
    expect(send(bodies, 1).answer).toBe(REFUSED);
  });

  it('leave room again when they have come or their connections are closed', () => {
    const bodies = new HalfReadBodies(LIMIT);
    const first = send(bodies, LIMIT);
    expect(first.answer).toBeUndefined();
    expect(send(bodies, SMALL_BODY_BYTES + 1).answer).toBe(REFUSED);
    first.close();
    expect(send(bodies, LIMIT - SMALL_BODY_BYTES - 1).answer).toBeUndefined();
  });
});
