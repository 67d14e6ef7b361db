import { Injectable } from '@nestjs/common';

/** Requests a second that are expected to be served where none were of late: while starting, or without a database. */
const LEAST_RATE = 50;
/** A longer line would tell agents to be away for longer than most outages take. */
const LONGEST_MS = 30_000;
/** Callers at the head of the line come within so many seconds, drawn at random, since `Retry-After` has whole seconds. */
const SPREAD_SECONDS = 3;
const WINDOW_MS = 1_000;

/**
 * Tells everybody who is turned away with a 503 when to come again: one after the other, as fast as requests are served.
 * With a fixed pause a fleet of 10,000 comes again each few seconds, and refusing it takes the time that serving it needs.
 */
@Injectable()
export class RetryLine {
  /** When the last caller in line comes; milliseconds of `performance.now()`. */
  private end = 0;
  private windowEnd = 0;
  private served = 0;
  /** Requests a second, of the last window that was complete. */
  private rate = 0;

  /** A request was served, so that many can be in each window to come. */
  noteServed(now = performance.now()): void {
    this.turnWindow(now);
    this.served++;
  }

  /** @returns whole seconds for `Retry-After`, 1 to 33 */
  nextSeconds(now = performance.now()): number {
    this.turnWindow(now);
    const turn = Math.max(this.end, now) + 1_000 / Math.max(this.rate, LEAST_RATE);
    this.end = Math.min(turn, now + LONGEST_MS);
    const isFull = turn > this.end;
    // Beyond the end of a full line callers are spread over its second half, not told all the same.
    const waitMs = isFull ? LONGEST_MS * (0.5 + Math.random() / 2) : this.end - now;
    return Math.ceil(waitMs / 1_000) + Math.floor(Math.random() * SPREAD_SECONDS);
  }

  private turnWindow(now: number): void {
    if (now < this.windowEnd) return;
    const isNext = now < this.windowEnd + WINDOW_MS;
    this.rate = isNext ? this.served * (1_000 / WINDOW_MS) : 0;
    this.served = 0;
    this.windowEnd = now + WINDOW_MS;
  }
}
