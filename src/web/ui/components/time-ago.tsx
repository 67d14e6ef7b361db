import { useClock } from './clock.js';
import { exactTime, relativeTime } from './relative-time.js';

export interface TimeAgoProps {
  /** ISO 8601; null: `absent` is the text. */
  readonly at: string | null;
  readonly absent?: string;
}

/** A relative time, kept up to date, with the exact time as its title. */
export function TimeAgo({ at, absent = 'never' }: TimeAgoProps) {
  const moment = at === null ? null : new Date(at);
  const text = useClock((now) => (moment === null ? absent : relativeTime(moment.getTime(), now)));
  if (moment === null) return <span>{absent}</span>;
  return (
    <time dateTime={moment.toISOString()} title={exactTime(moment)}>
      {text}
    </time>
  );
}
