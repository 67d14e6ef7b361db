import type { RunEvent } from '@agent-control-plane/client';

/** Meaning of each step, in the words of docs/runs.md. */
export const MEANINGS: Readonly<Record<RunEvent['event_type'], { title: string; means: string }>> = {
  queued: { title: 'Queued', means: 'Waits for its agent to take it' },
  started: { title: 'Begun', means: 'Its agent has it' },
  waiting: { title: 'Waits', means: 'The agent waits for a person' },
  resumed: { title: 'Goes on', means: 'The agent goes on' },
  returned: { title: 'Given back', means: 'The agent stopped before it started the run' },
  cancel_requested: { title: 'To be cancelled', means: 'The agent is told to end it' },
  loop_suspected: { title: 'Seems to loop', means: 'It calls a tool again and again' },
  approval_decided: { title: 'Decided', means: 'A person has decided, or the time for it is over' },
  succeeded: { title: 'Succeeded', means: 'Its agent reports the end' },
  failed: { title: 'Failed', means: 'Its agent reports the end' },
  cancelled: { title: 'Cancelled', means: 'It was cancelled' },
  timed_out: { title: 'Timed out', means: 'It took longer than its time limit' },
  abandoned: { title: 'Abandoned', means: 'The agent no longer works on it' },
};
