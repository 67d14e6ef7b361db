import type { Run } from '@agent-control-plane/client';

type Status = Pick<Run, 'status'>;

/** Returns true if a run has not ended (docs/runs.md). */
export const isOpen = ({ status }: Status): boolean =>
  status === 'queued' || status === 'running' || status === 'waiting';

/** Returns true if only the service says that a run has ended: a real end that is reported later takes its place. */
export const isPresumedEnd = ({ status }: Status): boolean =>
  status === 'timed_out' || status === 'abandoned';
