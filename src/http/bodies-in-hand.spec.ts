import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Request, Response } from 'express';
import { MEMORY_OF_A_BYTE, MEMORY_OF_A_VALUE, SMALL_BODY_BYTES } from '../budget/request-limits.js';
import { UnavailableError } from '../errors/domain-error.js';
import { BodiesInHand } from './bodies-in-hand.js';

const LIMIT_BYTES = 10 * SMALL_BODY_BYTES;
const LARGE = SMALL_BODY_BYTES + 1;

const bodiesInHand = () => new BodiesInHand(LIMIT_BYTES * MEMORY_OF_A_BYTE);

/** A request that has sent so many bytes of its body. */
function send(bodies: BodiesInHand, bytes: number, headers = {}) {
  const socket = new PassThrough();
  const request = Object.assign(new EventEmitter(), { socket, headers });
  const response = new EventEmitter();
  const body = bodies.take(request as unknown as Request, response as unknown as Response);
  request.emit('data', Buffer.alloc(bytes));
  const answer = (socket.read() as Buffer | null)?.toString();
  socket.destroy();
  return { answer, hold: body.hold, end: () => response.emit('close') };
}

const REFUSED = /^HTTP\/1\.1 503 Service Unavailable\r\n[^]*\r\nRetry-After: [1-5]\r\n/;

describe('Bodies that are still arriving', () => {
  it('are refused past the limit when they are large, and past twice the limit when they are small', () => {
    const bodies = bodiesInHand();
    const small = Array.from({ length: 10 }, () => send(bodies, SMALL_BODY_BYTES));
    expect(small.map(({ answer }) => answer)).toEqual(small.map(() => undefined));
    expect(send(bodies, LARGE).answer).toMatch(REFUSED);
    const more = Array.from({ length: 10 }, () => send(bodies, SMALL_BODY_BYTES));
    expect(more.map(({ answer }) => answer)).toEqual(more.map(() => undefined));
    expect(send(bodies, 1).answer).toMatch(REFUSED);
  });

  it('are refused before they are read when their length would be too much', () => {
    const bodies = bodiesInHand();
    send(bodies, LIMIT_BYTES - LARGE);
    const announce = (bytes: number) => () => send(bodies, 0, { 'content-length': String(bytes) });
    expect(announce(LARGE + 1)).toThrow(UnavailableError);
    expect(announce(LARGE)).not.toThrow();
    expect(announce(SMALL_BODY_BYTES)).not.toThrow();
  });

  it('are not counted beyond what was taken of them before they were refused', () => {
    const bodies = bodiesInHand();
    const first = send(bodies, LIMIT_BYTES - LARGE);
    send(bodies, LARGE + 1).end();
    expect(send(bodies, LARGE).answer).toBeUndefined();
    first.end();
    expect(send(bodies, LIMIT_BYTES - LARGE).answer).toBeUndefined();
  });
});

describe('Bodies of requests under way', () => {
  it('leave room when their requests end, not when they have arrived', () => {
    const bodies = bodiesInHand();
    const first = send(bodies, LIMIT_BYTES);
    first.hold(LIMIT_BYTES, 0);
    expect(send(bodies, LARGE).answer).toMatch(REFUSED);
    first.end();
    expect(send(bodies, LIMIT_BYTES).answer).toBeUndefined();
  });

  it('are refused when what was sent of 200 heavy ones fits, but not what it becomes', () => {
    const bodies = bodiesInHand();
    const sentBytes = Math.floor(LIMIT_BYTES / 400);
    const sent = Array.from({ length: 200 }, () => send(bodies, sentBytes));
    const refused = sent.filter(({ hold }) => {
      try {
        hold(LARGE, 0);
        return false;
      } catch (error) {
        expect(error).toBeInstanceOf(UnavailableError);
        expect((error as UnavailableError).retryAfterSeconds).toBeGreaterThan(0);
        return true;
      }
    });
    const room = LIMIT_BYTES - 200 * sentBytes;
    expect(200 - refused.length).toBe(Math.floor(room / (LARGE - sentBytes)));
    for (const { end } of sent) end();
    expect(send(bodies, LIMIT_BYTES).answer).toBeUndefined();
  });

  it('are not counted after the end of their requests', () => {
    const bodies = bodiesInHand();
    const gone = send(bodies, LARGE);
    gone.end();
    gone.hold(LIMIT_BYTES, 0);
    expect(send(bodies, LIMIT_BYTES).answer).toBeUndefined();
    expect(send(bodies, LARGE).answer).toMatch(REFUSED);
  });

  it('are counted by their values, too', () => {
    const bodies = bodiesInHand();
    const values = ((LIMIT_BYTES - LARGE) * MEMORY_OF_A_BYTE) / MEMORY_OF_A_VALUE;
    send(bodies, LARGE);
    send(bodies, 1).hold(0, Math.floor(values));
    expect(send(bodies, LARGE).answer).toMatch(REFUSED);
  });

  it('are taken whatever their size when there is no other one', () => {
    const bodies = bodiesInHand();
    const only = send(bodies, 2 * LIMIT_BYTES);
    expect(only.answer).toBeUndefined();
    expect(() => only.hold(3 * LIMIT_BYTES, LIMIT_BYTES)).not.toThrow();
    expect(send(bodies, 1).answer).toMatch(REFUSED);
  });
});
