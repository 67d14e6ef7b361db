import type { Schedule } from '@agent-control-plane/client';
import type { CommandArgument } from './command-declaration.js';
import type { Context } from './context.js';
import { findId, type ResourceKind } from './find-resource.js';
import { filled } from './option-values.js';

export const scheduleArgument: CommandArgument = {
  name: 'schedule',
  description: 'its name, its id, or the beginning of its id',
  completes: 'schedule',
  parse: filled,
};

export const scheduleKind: ResourceKind<Schedule> = {
  noun: 'schedule',
  isOfProject: true,
  list: 'svc schedules list',
  async read(context, _search, page, signal) {
    const query = { ...page, project_id: await context.projectId() };
    return context.service().GET('/schedules', { params: { query }, signal });
  },
  nameOf: ({ name }) => name ?? '',
  describe: ({ agent_name, name, is_active: isActive }) =>
    [agent_name, name, isActive ? 'active' : 'paused'].filter(Boolean).join(', '),
};

/** @throws CommandFailedError if no schedule or more than one matches */
export function findScheduleId(context: Context, text: string): Promise<string> {
  return findId(context, scheduleKind, text);
}
