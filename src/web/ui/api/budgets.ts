import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { components } from '@agent-control-plane/client';
import { useChosenProjectId } from './chosen-project.js';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request, withQuery } from './request.js';

export type Budget = components['schemas']['BudgetResponse'];
/** A budget with its maker's name. */
export type NamedBudget = components['schemas']['NamedBudgetResponse'];
export type BudgetTerms = components['schemas']['UpdateBudgetRequest'];
export type NewBudget = components['schemas']['CreateBudgetRequest'];

const PATH = '/api/dashboard/budgets';
/** The service judges all budgets as often; milliseconds. */
const REFRESH_MS = 10_000;

/** Budgets, newest first. */
export function useBudgets(): LoadedList<NamedBudget> {
  const project_id = useChosenProjectId();
  const path = withQuery(PATH, { project_id, limit: 100 });
  return useList<NamedBudget>(queryKeys.budgets.list(project_id), path, { refetchInterval: REFRESH_MS });
}

/** A change of a budget pauses or resumes agents. */
function useRefresh() {
  const client = useQueryClient();
  return () =>
    Promise.all(
      [queryKeys.budgets.all, queryKeys.agents.all, queryKeys.deployments.all].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
}

export function useCreateBudget() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ wanted, key }: { wanted: NewBudget; key: string }) =>
      request<Budget>('POST', PATH, wanted, { idempotencyKey: key }),
    onSuccess: refresh,
  });
}

export function useUpdateBudget(id: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (change: BudgetTerms) => request<Budget>('PATCH', `${PATH}/${id}`, change),
    onSuccess: refresh,
  });
}

export function useDeleteBudget(id: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => request<void>('DELETE', `${PATH}/${id}`),
    onSuccess: refresh,
  });
}
