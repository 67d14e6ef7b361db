import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Run, Schedule, ScheduleDetail } from '@agent-control-plane/client';
import { useChosenProjectId } from './chosen-project.js';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request, withQuery } from './request.js';

export interface ScheduleFilter {
  readonly agent_id?: string;
  /** `true` or `false`. */
  readonly is_active?: string;
}

/** The values of a schedule's form. */
export interface ScheduleTerms {
  readonly name: string | null;
  /** Either this or `every_seconds`. */
  readonly cron?: string;
  readonly every_seconds?: number;
  readonly timezone: string;
  readonly input: unknown;
  readonly overlap: Schedule['overlap'];
  readonly catch_up: Schedule['catch_up'];
  readonly priority: number;
  readonly timeout_seconds: number | null;
  readonly retry: Schedule['retry'];
}

/** Refresh interval: there is no event for a due time that has passed; milliseconds. */
const REFRESH_MS = 10_000;

const schedulePath = (id: string) => `/api/dashboard/schedules/${id}`;

/** Schedules, newest first. Those of one agent are of its project, whichever is chosen. */
export function useSchedules(filter: ScheduleFilter, agentId?: string): LoadedList<Schedule> {
  const project_id = useChosenProjectId();
  const narrowed = agentId === undefined ? { ...filter, project_id } : { ...filter, agent_id: agentId };
  return useList<Schedule>(
    queryKeys.schedules.list(narrowed),
    withQuery('/api/dashboard/schedules', { ...narrowed, limit: 50 }),
    { refetchInterval: REFRESH_MS },
  );
}

/** One schedule, with its next due times. */
export const useSchedule = (id: string) =>
  useQuery({
    queryKey: queryKeys.schedules.one(id),
    queryFn: ({ signal }) => request<ScheduleDetail>('GET', schedulePath(id), undefined, { signal }),
    refetchInterval: REFRESH_MS,
  });

function useRefreshedSchedules() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: queryKeys.schedules.all });
}

export function useCreateSchedule() {
  const refresh = useRefreshedSchedules();
  return useMutation({
    mutationFn: ({ agentId, terms, key }: { agentId: string; terms: ScheduleTerms; key: string }) =>
      request<Schedule>('POST', `/api/dashboard/agents/${agentId}/schedules`, terms, { idempotencyKey: key }),
    onSuccess: refresh,
  });
}

/** Changes a schedule, pauses it or lets it continue. */
export function useUpdateSchedule(id: string) {
  const refresh = useRefreshedSchedules();
  return useMutation({
    mutationFn: (change: ScheduleTerms | { readonly is_active: boolean }) =>
      request<Schedule>('PATCH', schedulePath(id), change),
    onSuccess: refresh,
  });
}

export function useDeleteSchedule(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request<void>('DELETE', schedulePath(id)),
    // its own page would read it again, and find nothing
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.schedules.lists }),
  });
}

/** Asks for a run of the schedule now. */
export function useTriggerSchedule(id: string) {
  const refresh = useRefreshedSchedules();
  return useMutation({
    mutationFn: (key: string) =>
      request<Run>('POST', `${schedulePath(id)}/trigger`, undefined, { idempotencyKey: key }),
    onSuccess: refresh,
  });
}
