import type { RunEvent } from '@agent-control-plane/client';

/** Meaning of each step, in the words of docs/runs.md. */
export const MEANINGS: Readonly<Record<RunEvent['event_type'], { title: string; means: string }>> = {
  queued: { title: 'Queued', means: 'Waiting for its agent to take it' },
  started: { title: 'Started', means: 'Its agent is working on it' },
  waiting: { title: 'Waiting', means: 'The agent waits for a person' },
  resumed: { title: 'Resumed', means: 'The agent continues' },
  returned: { title: 'Released', means: 'The agent stopped before it started the run' },
  cancel_requested: { title: 'Cancelling', means: 'The agent is told to cancel it' },
  loop_suspected: { title: 'Loop suspected', means: 'It calls a tool again and again' },
  approval_decided: { title: 'Decided', means: 'A person decided, or the time limit passed' },
  succeeded: { title: 'Succeeded', means: 'Reported by its agent' },
  failed: { title: 'Failed', means: 'Reported by its agent' },
  cancelled: { title: 'Cancelled', means: 'It was cancelled' },
  timed_out: { title: 'Timed out', means: 'It took longer than its time limit' },
  abandoned: { title: 'Abandoned', means: 'The agent no longer works on it' },
};
