const MINUTE = 60_000;
const STEPS = [1, 2, 5, 15, 30, 60, 120, 240, 480, 1_440, 2_880, 7_200].map((minutes) => minutes * MINUTE);
const MOST_TICKS = 7;

export interface TimeSpan {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** Ticks of a time axis: round local times within a span, in milliseconds since 1970. */
export function timeTicks({ from, until }: TimeSpan): number[] {
  const step = STEPS.find((it) => (until - from) / it <= MOST_TICKS) ?? until - from;
  // ticks count from local midnight, not from UTC
  const offset = new Date(from).getTimezoneOffset() * MINUTE;
  const first = Math.ceil((from - offset) / step) * step + offset;
  return Array.from(
    { length: Math.max(0, Math.floor((until - first) / step) + 1) },
    (_, n) => first + n * step,
  );
}
