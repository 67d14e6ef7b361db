import { MICROS_OF_A_DOLLAR } from '../runs/usage.response.js';
import type { UsagePoint } from './otlp/token-metrics.js';
import type { SeriesState } from './usage-series.repository.js';

/** A series that was silent for longer is forgotten. */
export const SERIES_DAYS = 7;
const SERIES_MS = SERIES_DAYS * 86_400_000;

/** Larger amounts are an emitter's fault, and a few of them would overflow the sums. */
const MAXIMUM_AMOUNT = 1e12;

/** A whole number: tokens, calls or millionths of a dollar; null: no plausible one. */
export function amountOf({ bucket, value }: UsagePoint): number | null {
  const amount = Math.round(bucket === 'costUsd' ? value * MICROS_OF_A_DOLLAR : value);
  return amount <= MAXIMUM_AMOUNT ? amount : null;
}

/**
 * The amount that a point adds to its series. A point that is no newer than the last one adds nothing: it was sent
 * again, or is late. A total that is seen for the first time counts as a whole, unless it began so long ago that it
 * may have been counted and forgotten.
 *
 * @returns null: nothing changes
 */
export function incrementOf(
  state: SeriesState,
  point: UsagePoint,
  amount: number,
  now: number,
): { readonly state: SeriesState; readonly increment: number } | null {
  const time = point.timestamp.getTime();
  if (state.lastPointAt !== null && time <= state.lastPointAt) return null;
  const next = { lastPointAt: time, amount: point.isDelta ? 0 : amount };
  if (point.isDelta) return { state: next, increment: amount };
  if (state.lastPointAt !== null) {
    // A smaller total has begun again, although its emitter reports the same beginning.
    return { state: next, increment: amount < state.amount ? amount : amount - state.amount };
  }
  const isRecent = point.startTime !== null && point.startTime.getTime() >= now - SERIES_MS;
  return { state: next, increment: isRecent ? amount : 0 };
}
