import type { Request, Response } from 'express';
import { CONNECTION_LIMITS } from '../budget/connection-limits.js';
import {
  MAXIMUM_BODIES_MEMORY,
  MEMORY_OF_A_BYTE,
  MEMORY_OF_A_VALUE,
  SMALL_BODY_BYTES,
} from '../budget/request-limits.js';
import { UnavailableError } from '../errors/domain-error.js';
import { refuseOnSocket } from '../http-server/refuse-on-socket.js';
import { retryAfterSeconds } from './retry-after.js';

const MESSAGE = 'The service holds too many large request bodies at the moment: try again later';

/** The body of one request. */
export interface BodyInHand {
  /**
   * Counts the body as it is held from now on.
   *
   * @param bytes after decompression
   * @param values keys and elements within it
   * @throws UnavailableError if there is too little room
   */
  hold(bytes: number, values: number): void;
}

/**
 * Bounds the memory of all bodies, from their first byte to the end of their requests. Each may be as large as
 * `MAX_BODY_BYTES`, so without a common limit a few hundred slow connections, or requests that wait for the database, would
 * fill the memory. The memory of a body is estimated: while it arrives from the bytes that were sent, then from the bytes and
 * values that were in them.
 *
 * Small bodies are refused at twice the limit alone, so that heartbeats get through while a person fills the memory with large
 * ones.
 */
export class BodiesInHand {
  private memory = 0;

  constructor(private readonly maximum = MAXIMUM_BODIES_MEMORY) {}

  /**
   * Counts a request's body while it is read; answers 503 and closes the connection where there is too little room.
   *
   * @throws UnavailableError if there is too little room for the `Content-Length`, so that the client need not send the body
   */
  take(request: Request, response: Response): BodyInHand {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > 0 && !this.hasRoom(announced * MEMORY_OF_A_BYTE, announced <= SMALL_BODY_BYTES, 0))
      throw new UnavailableError(MESSAGE, retryAfterSeconds());
    let received = 0;
    let held = 0;
    let isOver = false;
    /** @returns false, and counts nothing more, if there is too little room */
    const count = (bytes: number, values: number): boolean => {
      if (isOver) return true;
      const memory = bytes * MEMORY_OF_A_BYTE + values * MEMORY_OF_A_VALUE;
      if (memory > held && !this.hasRoom(memory - held, bytes <= SMALL_BODY_BYTES, held)) return false;
      this.memory += memory - held;
      held = memory;
      return true;
    };
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (count(received, 0)) return;
      request.removeAllListeners('data');
      const refusal = { status: 503, message: MESSAGE, retryAfterSeconds: retryAfterSeconds() };
      refuseOnSocket(request.socket, refusal, CONNECTION_LIMITS.lingerMs);
    });
    response.once('close', () => {
      this.memory -= held;
      isOver = true;
    });
    return {
      hold(bytes, values) {
        if (!count(bytes, values)) throw new UnavailableError(MESSAGE, retryAfterSeconds());
      },
    };
  }

  /** One body always has room if there is no other, whatever its size. */
  private hasRoom(more: number, isSmall: boolean, held: number): boolean {
    return this.memory + more <= (isSmall ? 2 : 1) * this.maximum || this.memory === held;
  }
}
