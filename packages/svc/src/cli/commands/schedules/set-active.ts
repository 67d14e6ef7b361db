import { unwrap } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { findScheduleId } from '../../find-schedule.js';
import { printSchedule } from './columns.js';

/** Pauses a schedule, or lets it continue. */
export async function setActive(context: Context, schedule: string, isActive: boolean): Promise<void> {
  const path = { schedule_id: await findScheduleId(context, schedule) };
  const body = { is_active: isActive };
  printSchedule(
    context,
    await unwrap(context.service().PATCH('/schedules/{schedule_id}', { params: { path }, body })),
  );
}
