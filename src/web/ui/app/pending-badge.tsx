import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { notifies, notify } from '../api/approval-notifications.js';
import type { Approval } from '../api/approvals.js';
import { useChosenProjectId } from '../api/chosen-project.js';
import { queryKeys } from '../api/query-keys.js';
import { requestPage, withQuery } from '../api/request.js';
import classes from './pending-badge.module.css';

/** Questions are no events of the feed; milliseconds. */
const REFRESH_MS = 5_000;

/** The number of questions that wait, next to the entry of the navigation. It keeps the lists of them up to date, and notifies. */
export function PendingBadge() {
  const client = useQueryClient();
  const project_id = useChosenProjectId();
  const { data: count } = useQuery({
    queryKey: [...queryKeys.approvals.counts, project_id],
    queryFn: async ({ signal }) => {
      const path = withQuery('/api/dashboard/approvals', {
        ...{ project_id, state: 'pending', limit: 1, include_total: 'true' },
      });
      return (await requestPage<Approval>(path, { signal })).total ?? 0;
    },
    refetchInterval: REFRESH_MS,
    // a notification is for those who look at another page
    refetchIntervalInBackground: notifies(),
  });
  const last = useRef<{ readonly project_id: string | undefined; readonly count: number }>(undefined);
  useEffect(() => {
    if (count === undefined) return;
    const before = last.current;
    last.current = { project_id, count };
    if (before === undefined || before.project_id !== project_id || before.count === count) return;
    if (count > before.count) notify(count);
    void client.invalidateQueries({ queryKey: queryKeys.approvals.lists });
  }, [client, project_id, count]);
  if (!count) return null;
  return (
    <span className={classes.count}>
      {count.toLocaleString('en')}
      <span className="visually-hidden"> waiting</span>
    </span>
  );
}
