import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

/** A measurement is used for so long unless a better one comes; milliseconds. */
const WORTH_MS = 60_000;
const RANDOM_BYTES = 16;

interface Measurement {
  /** By how much the database's clock is ahead of this process's; milliseconds. */
  readonly aheadMs: number;
  /** How long the database took to answer: the measurement is wrong by half of that at most. */
  readonly tookMs: number;
  readonly at: number;
}

/**
 * Makes the ids of rows: UUIDs of version 7 with the time of the database, as far as it is known. Lists are in the order of their
 * ids, and the clocks of instances differ. Each id is greater than those before it of this process.
 */
export class IdClock {
  private best: Measurement = { aheadMs: 0, tookMs: Infinity, at: -Infinity };
  private msecs = -Infinity;
  private sequence = 0;

  constructor(
    private readonly now = () => Date.now(),
    private readonly elapsed = () => performance.now(),
  ) {}

  /**
   * Notes a time of the database. The one that came soonest counts.
   *
   * @param databaseMs milliseconds since 1970
   * @param askedAt `elapsed()` before the question
   */
  note(databaseMs: number, askedAt: number): void {
    const at = this.elapsed();
    const tookMs = at - askedAt;
    if (tookMs > this.best.tookMs && at - this.best.at < WORTH_MS) return;
    this.best = { aheadMs: databaseMs - (this.now() - tookMs / 2), tookMs, at };
  }

  next(): string {
    const random = randomBytes(RANDOM_BYTES);
    const msecs = Math.floor(this.now() + this.best.aheadMs);
    if (msecs > this.msecs) {
      this.msecs = msecs;
      // The counter starts below half of its 32 bits, so that it can rise.
      this.sequence = random.readUInt32BE(0) >>> 1;
    }
    return uuidv7({ random, msecs: this.msecs, seq: this.sequence++ });
  }
}

/** The clock of all ids of the process. The connection that listens for notifications keeps it right. */
export const ID_CLOCK = new IdClock();

export const newId = (): string => ID_CLOCK.next();
