import type { Run } from '@agent-control-plane/client';
import { isOpen } from '../../api/run-status.js';

/**
 * The reason why a run can't be cancelled or asked for again now; null: it can. The service decides; this only saves a
 * request that it would refuse.
 */
export function refusalOf(
  action: 'cancel' | 'retry',
  run: Pick<Run, 'status' | 'cancel_requested_at'>,
): string | null {
  if (action === 'retry') return isOpen(run) ? 'It has not ended. You can start it again after that.' : null;
  if (!isOpen(run)) return 'It has ended, so there is nothing to cancel.';
  if (run.cancel_requested_at !== null) return 'Its runtime has been told to cancel it.';
  return null;
}
