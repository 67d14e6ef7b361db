import { Text } from '@mantine/core';
import type { ScheduleDetail } from '@agent-control-plane/client';
import { momentText, viewersZone } from '../../components/schedule-words.js';
import { TimeAgo } from '../../components/time-ago.js';
import classes from './due-times.module.css';

/** The next due times as the service computes them, in the viewer's zone, and in that of the schedule if it differs. */
export function DueTimes({ schedule }: { readonly schedule: ScheduleDetail }) {
  const zone = viewersZone();
  if (!schedule.is_active) {
    return (
      <Text size="sm" c="dimmed">
        None while it is paused.
      </Text>
    );
  }
  return (
    <>
      <ol className={classes.times} aria-label="Next times">
        {schedule.next_runs.map((at) => (
          <DueTime key={at} at={at} zone={zone} itsZone={schedule.cron === null ? zone : schedule.timezone} />
        ))}
      </ol>
      <Text size="xs" c="dimmed" mt={6}>
        Times are in {zone}.
      </Text>
    </>
  );
}

interface DueTimeProps {
  readonly at: string;
  readonly zone: string;
  /** The zone by whose clock it is due. */
  readonly itsZone: string;
}

function DueTime({ at, zone, itsZone }: DueTimeProps) {
  const moment = new Date(at);
  const [here, there] = [momentText(moment, zone), momentText(moment, itsZone)];
  return (
    <li>
      <span className={classes.here}>{here}</span>{' '}
      <span className={classes.away}>
        <TimeAgo at={at} />
      </span>
      {there !== here && (
        <span className={classes.there}>
          {there} in {itsZone}
        </span>
      )}
    </li>
  );
}
