import type { RunEvent } from '@agent-control-plane/client';

/** Meaning of each step, in the words of docs/runs.md. */
export const MEANINGS: Readonly<Record<RunEvent['event_type'], { title: string; means: string }>> = {
  queued: { title: 'Queued', means: 'Waits for its agent to take it' },
  started: { title: 'Begun', means: 'Its agent has it' },
  waiting: { title: 'Waits', means: 'Its agent waits for somebody' },
  resumed: { title: 'Goes on', means: 'Its agent waits no more' },
  returned: { title: 'Given back', means: 'Its agent stopped before it began' },
  cancel_requested: { title: 'To be cancelled', means: 'Its agent is told to end it' },
  loop_suspected: { title: 'Seems to loop', means: 'It calls a tool again and again' },
  approval_decided: { title: 'Decided', means: 'Somebody has answered its agent, or nobody in time' },
  succeeded: { title: 'Succeeded', means: 'Its agent reports the end' },
  failed: { title: 'Failed', means: 'Its agent reports the end' },
  cancelled: { title: 'Cancelled', means: 'It was ended before its time' },
  timed_out: { title: 'Timed out', means: 'It took longer than its time limit' },
  abandoned: { title: 'Abandoned', means: 'Nobody has it any more' },
};
