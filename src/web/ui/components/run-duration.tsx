import type { Run } from '@agent-control-plane/client';
import { useClock } from './clock.js';
import { durationText } from './duration.js';

export interface RunDurationProps {
  readonly run: Pick<Run, 'status' | 'started_at' | 'ended_at'>;
}

/** How long the attempt has taken, or takes until now; a dash while none has begun. */
export function RunDuration({ run }: RunDurationProps) {
  const { status, started_at: started, ended_at: ended } = run;
  return useClock((now) =>
    started === null || status === 'queued'
      ? '–'
      : durationText((ended === null ? now : Date.parse(ended)) - Date.parse(started)),
  );
}
