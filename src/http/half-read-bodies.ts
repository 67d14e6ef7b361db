import type { Request } from 'express';
import { CONNECTION_LIMITS } from '../budget/connection-limits.js';
import { refuseOnSocket } from '../http-server/refuse-on-socket.js';
import { MAXIMUM_HALF_READ_BYTES, SMALL_BODY_BYTES } from '../budget/request-limits.js';
import { retryAfterSeconds } from './retry-after.js';

/**
 * Counts the bytes of bodies that are still arriving, as they were sent: compressed ones are decompressed when they are complete.
 * Each may be as large as `MAX_BODY_BYTES` and take as long as a request may, so without a common limit a few hundred slow
 * connections would fill the memory.
 *
 * Small bodies are refused at twice the limit alone, so that heartbeats get through while a person fills the memory with large
 * ones.
 */
export class HalfReadBodies {
  private bytes = 0;

  constructor(private readonly maximumBytes = MAXIMUM_HALF_READ_BYTES) {}

  /** Counts a request's body while it is read; answers 503 and closes the connection past its limit. */
  watch(request: Request): void {
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      this.bytes += chunk.length;
      const maximumBytes = received > SMALL_BODY_BYTES ? this.maximumBytes : 2 * this.maximumBytes;
      if (this.bytes <= maximumBytes) return;
      request.removeAllListeners('data');
      const refusal = {
        status: 503,
        message: 'The service is reading too many request bodies at the moment: try again later',
      };
      refuseOnSocket(
        request.socket,
        { ...refusal, retryAfterSeconds: retryAfterSeconds() },
        CONNECTION_LIMITS.lingerMs,
      );
    });
    request.once('close', () => (this.bytes -= received));
  }
}
