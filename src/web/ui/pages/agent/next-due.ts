import type { Schedule } from '@agent-control-plane/client';

type Due = Pick<Schedule, 'id' | 'name' | 'next_run_at'>;

/** The schedule that is due first; null: none is. Pure. */
export function nextDue(schedules: readonly Due[]): Due | null {
  const due = schedules.filter(({ next_run_at: at }) => at !== null);
  return (
    due.toSorted((one, other) => Date.parse(one.next_run_at!) - Date.parse(other.next_run_at!))[0] ?? null
  );
}
