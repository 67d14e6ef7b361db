import type { Maintenance } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { printRecord } from '../../output/record.js';

/** The maintenance, in the form that every command prints. */
export function printMaintenance(context: Context, maintenance: Maintenance): void {
  const { is_on: isOn, reason, until, set_at: setAt, set_by: setBy } = maintenance;
  printRecord(context, maintenance, [
    ['Maintenance', isOn ? 'on: nothing can be changed' : 'off'],
    ['Reason', reason],
    ['Until', isOn ? (until ?? '"svc maintenance end"') : null],
    ['Set', setAt],
    ['By', setBy],
  ]);
}
