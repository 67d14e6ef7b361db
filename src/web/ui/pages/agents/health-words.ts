import type { HealthState } from '../../api/agents.js';

const HOUR_MS = 3_600_000;
/** Largest number of changes that are named. */
const MOST_NAMED = 6;

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/**
 * The health of the last hours in words, by its changes: `Last 24 hours: healthy, offline from 09:00, healthy from 13:00`.
 *
 * @param hours oldest first; the last one is the hour of `now`
 * @param now milliseconds since 1970
 */
export function healthWords(hours: readonly HealthState[], now: number): string {
  if (hours.length === 0) return 'Not known';
  const current = now - (now % HOUR_MS);
  const changes = hours.flatMap((health, index) =>
    index > 0 && hours[index - 1] === health
      ? []
      : [{ health, at: current - (hours.length - 1 - index) * HOUR_MS, isFirst: index === 0 }],
  );
  const named = changes.slice(-MOST_NAMED);
  const words = named.map(({ health, at, isFirst }) =>
    isFirst ? health : `${health} from ${clock.format(at)}`,
  );
  const span = hours.length === 1 ? 'This hour' : `Last ${hours.length} hours`;
  return `${span}: ${named.length < changes.length ? '… ' : ''}${words.join(', ')}`;
}
