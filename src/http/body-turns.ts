import { BYTES_OF_A_TURN } from '../budget/request-limits.js';

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

/**
 * Lets large bodies begin one after the other, with a turn of the event loop between. The last bytes of two hundred may arrive in one
 * turn: parsed and validated in that turn, they would hold up all other requests for seconds.
 */
export class BodyTurns {
  private readonly waiting: Waiting[] = [];

  /** Resolves when a body of so many bytes may be parsed. */
  next(bytes: number): Promise<void> {
    return new Promise((begin) => {
      this.waiting.push({ bytes, begin });
      if (this.waiting.length === 1) setImmediate(this.take);
    });
  }

  /** Begins one body, and those after it that fit into the same turn. */
  private readonly take = (): void => {
    let bytes = 0;
    do {
      const body = this.waiting.shift()!;
      bytes += body.bytes;
      body.begin();
    } while (this.waiting.length > 0 && bytes + this.waiting[0]!.bytes <= BYTES_OF_A_TURN);
    if (this.waiting.length > 0) setImmediate(this.take);
  };
}
