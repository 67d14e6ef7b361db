const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Units, largest first, each with the next smaller one. */
const UNITS = [
  [DAY, 'd', HOUR, 'h'],
  [HOUR, 'h', MINUTE, 'min'],
  [MINUTE, 'min', SECOND, 's'],
] as const;

/**
 * A duration in its two largest units: `0.4 s`, `12 s`, `3 min 20 s`, `2 h`.
 *
 * @param milliseconds negative ones count as 0: clocks differ
 */
export function durationText(milliseconds: number): string {
  const given = Math.max(0, milliseconds);
  // less than ten seconds, as they are shown
  if (given < 9_950) return `${Number((given / SECOND).toFixed(1))} s`;
  const length = Math.round(given / SECOND) * SECOND;
  const [unit, name, part, partName] = UNITS.find(([size]) => length >= size) ?? [SECOND, 's', SECOND, ''];
  const rest = Math.floor((length % unit) / part);
  const whole = `${Math.floor(length / unit)} ${name}`;
  return rest === 0 || unit === SECOND ? whole : `${whole} ${rest} ${partName}`;
}
