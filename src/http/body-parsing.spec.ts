import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { NextFunction, Request, Response } from 'express';
import { BYTES_OF_A_TURN } from '../budget/request-limits.js';
import { readBodies } from './body-parsing.js';

const MIB = 1024 * 1024;

/** Sends all bodies at once. @returns the turn of the event loop in which the body of each was parsed */
async function turnsOf(bodies: readonly Buffer[], headers: Record<string, string> = {}): Promise<number[]> {
  const read = readBodies({ MAX_BODY_BYTES: MIB, MAX_TRACE_BYTES: MIB });
  const parsedIn: number[] = [];
  let now = 0;
  for (const [index, body] of bodies.entries()) {
    const request = Object.assign(Readable.from([body]), {
      path: '/leads',
      headers: { 'content-type': 'application/json', 'content-length': String(body.length), ...headers },
    });
    const response = Object.assign(new EventEmitter(), { closed: false });
    const next: NextFunction = () => (parsedIn[index] = now);
    void read(request as unknown as Request, response as unknown as Response, next);
  }
  while (Object.keys(parsedIn).length < bodies.length) {
    await turn();
    now++;
  }
  return parsedIn;
}

const documentOf = (bytes: number) => Buffer.from(JSON.stringify({ text: 'x'.repeat(bytes) }));

describe('Bodies that arrive in the same turn of the event loop', () => {
  it('are parsed in turns of their own when they are large', async () => {
    const turns = await turnsOf(Array.from({ length: 5 }, () => documentOf(BYTES_OF_A_TURN)));
    expect(new Set(turns).size).toBe(5);
  });

  it('are parsed in turns of their own when they are large after decompression', async () => {
    const bodies = Array.from({ length: 5 }, () => gzipSync(documentOf(BYTES_OF_A_TURN)));
    const turns = await turnsOf(bodies, { 'content-encoding': 'gzip' });
    expect(new Set(turns).size).toBe(5);
  });

  it('are parsed in turns of their own when they are small and have thousands of values', async () => {
    const reports = Buffer.from(JSON.stringify({ deployments: Array.from({ length: 1_000 }, () => ({})) }));
    const turns = await turnsOf(Array.from({ length: 5 }, () => reports));
    expect(new Set(turns).size).toBe(5);
  });

  it('are parsed together when they are small', async () => {
    const turns = await turnsOf(Array.from({ length: 5 }, () => documentOf(100)));
    expect(new Set(turns).size).toBe(1);
  });
});
