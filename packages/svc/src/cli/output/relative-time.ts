const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** `3m ago`, `in 2d`, `now`: the distance of a time from `now`, in its largest whole unit. */
export function relativeTime(timestamp: string | null, now: Date): string {
  if (timestamp === null) return '';
  const seconds = (Date.parse(timestamp) - now.getTime()) / 1_000;
  if (Number.isNaN(seconds)) return timestamp;
  // clocks may differ a little
  if (Math.abs(seconds) < 2) return 'now';
  return seconds < 0 ? `${duration(-seconds)} ago` : `in ${duration(seconds)}`;
}

/** A duration in its largest whole unit: `45s`, `3h`, `12d`. @param seconds at least 0 */
export function duration(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? UNITS[3];
  return `${Math.floor(seconds / size)}${unit}`;
}

/** `812ms`, `4.1s`, `2m 5s`: the length of a step, to be compared with others. */
export function shortTime(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)}ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)}s`;
  return `${Math.floor(seconds / 60)}m ${Math.floor(seconds % 60)}s`;
}
