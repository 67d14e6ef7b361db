import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Approval, components } from '@agent-control-plane/client';
import { useChosenProjectId } from './chosen-project.js';
import { type ListOptions, type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { ApiError, request, withQuery } from './request.js';

export type { Approval };
export type ApprovalState = Approval['state'];
export type Risk = Approval['risk'];
/** A decision, without the hash of the arguments. */
export interface Verdict extends Omit<
  components['schemas']['DecideApprovalRequest'],
  'args_sha256' | 'edited_args'
> {
  /** Any JSON. */
  readonly edited_args?: unknown;
}

export interface ApprovalFilter {
  readonly state?: ApprovalState;
  readonly risk?: Risk;
  readonly agent_id?: string;
  readonly run_id?: string;
}

const PATH = '/api/dashboard/approvals';
/** Interval of reads: the feed of events, which wakes other lists, has no questions; milliseconds. */
const REFRESH_MS = 5_000;
/** Cards are tall: a person decides a few, and then asks for more. */
const PAGE = 20;

/** Approvals: what waits first, then the oldest. Those of one agent or run are of its project, whichever is chosen. */
export function useApprovals(filter: ApprovalFilter, options: ListOptions = {}): LoadedList<Approval> {
  const project_id = useChosenProjectId();
  const isOfOne = filter.agent_id !== undefined || filter.run_id !== undefined;
  const wanted = isOfOne ? filter : { ...filter, project_id };
  return useList<Approval>(queryKeys.approvals.list(wanted), withQuery(PATH, { ...wanted, limit: PAGE }), {
    refetchInterval: REFRESH_MS,
    ...options,
  });
}

const approvalQuery = (id: string) => ({
  queryKey: queryKeys.approvals.one(id),
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    request<Approval>('GET', `${PATH}/${id}`, undefined, { signal }),
});

/** One approval, read again while it waits. @param isWanted false: only what was read of it already */
export const useApproval = (id: string, isWanted = true) =>
  useQuery({
    ...approvalQuery(id),
    enabled: isWanted,
    refetchInterval: ({ state: { data } }) => (data?.state === 'pending' ? REFRESH_MS : false),
  });

/**
 * Decides with the arguments that are shown: with others the service refuses. After a refusal the approval is read again.
 *
 * @param onLate called when another person has decided before
 */
export function useDecide(
  { id, args_sha256 }: Pick<Approval, 'id' | 'args_sha256'>,
  onLate: (decided: Approval) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (verdict: Verdict) =>
      request<Approval>('POST', `${PATH}/${id}/decide`, { ...verdict, args_sha256 }),
    onSuccess: (approval) => {
      client.setQueryData(queryKeys.approvals.one(id), approval);
      return refreshed(client);
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 404)) return;
      const now = await client.fetchQuery({ ...approvalQuery(id), staleTime: 0 }).catch(() => undefined);
      if (now !== undefined && now.state !== 'pending') onLate(now);
      await refreshed(client);
    },
  });
}

/** Runs wait for approvals, and pages of agents and runs list them. */
async function refreshed(client: QueryClient): Promise<void> {
  const touched = [queryKeys.approvals.lists, queryKeys.approvals.counts, queryKeys.overview];
  await Promise.all(touched.map((queryKey) => client.invalidateQueries({ queryKey })));
}
