import { Injectable } from '@nestjs/common';

/**
 * Assumed rate of served requests, in requests a second, if none were served recently: during the start, or without a
 * database.
 */
const LEAST_RATE = 50;
/** Maximum length of the line: a longer one would keep agents away for longer than most outages take. */
const LONGEST_MS = 30_000;
/** Jitter for callers at the head of the line, because `Retry-After` has whole seconds. */
const SPREAD_SECONDS = 3;
const WINDOW_MS = 1_000;

/**
 * Assigns a `Retry-After` to each caller of a 503, in a virtual line: one after the other, at the rate at which
 * requests are served. With a fixed pause a fleet of 10,000 would return every few seconds, and refusing it takes as
 * much time as serving it.
 */
@Injectable()
export class RetryLine {
  /** The time of the last caller in the line; milliseconds of `performance.now()`. */
  private end = 0;
  private windowEnd = 0;
  private served = 0;
  /** Requests a second in the last complete window. */
  private rate = 0;

  /** Counts a served request, from which the rate of the following windows is estimated. */
  noteServed(): void {
    this.turnWindow(performance.now());
    this.served++;
  }

  /** @returns whole seconds for `Retry-After`, 1 to 33 */
  nextSeconds(): number {
    const now = performance.now();
    this.turnWindow(now);
    const turn = Math.max(this.end, now) + 1_000 / Math.max(this.rate, LEAST_RATE);
    this.end = Math.min(turn, now + LONGEST_MS);
    const isFull = turn > this.end;
    // Callers beyond the end of a full line are spread over its second half, so that they don't return at the same
    // moment.
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
