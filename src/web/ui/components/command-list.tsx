import { IconHourglass } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { CommandRecord } from '@agent-control-plane/client';
import { queryKeys } from '../api/query-keys.js';
import { requestPage, withQuery } from '../api/request.js';
import classes from './command-list.module.css';
import { type Column, DataTable } from './data-table.js';
import { ErrorNotice } from './error-notice.js';
import { Pending } from './pending.js';
import { StatusBadge } from './status-badge.js';
import { TextWithTimes } from './text-with-times.js';
import { TimeAgo } from './time-ago.js';

/** Refresh interval of commands, whose leases are not events of the feed; milliseconds. */
const REFRESH_MS = 5_000;

export const useCommands = (deploymentId: string, limit = 20) =>
  useQuery({
    queryKey: [...queryKeys.deployments.commands(deploymentId), limit],
    queryFn: async ({ signal }) => {
      const path = withQuery(`/api/dashboard/deployments/${deploymentId}/commands`, { limit });
      return (await requestPage<CommandRecord>(path, { signal })).rows;
    },
    refetchInterval: REFRESH_MS,
  });

const COLUMNS: readonly Column<CommandRecord>[] = [
  { key: 'action', header: 'Command', cell: ({ action }) => action, isName: true },
  { key: 'state', header: 'State', cell: ({ state }) => <StatusBadge status={state} /> },
  {
    key: 'why',
    header: 'Reason',
    isLong: true,
    cell: ({ state, waiting_reason, error }) =>
      waiting_reason === null ? (
        (error ?? (state === 'superseded' ? 'replaced by a later command' : null))
      ) : (
        <TextWithTimes text={waiting_reason} />
      ),
  },
  { key: 'attempts', header: 'Delivered', align: 'right', cell: ({ attempts }) => `${attempts}×` },
  { key: 'generation', header: 'Generation', align: 'right', cell: ({ generation }) => generation },
  { key: 'created', header: 'Queued', cell: ({ created_at }) => <TimeAgo at={created_at} /> },
];

export interface CommandListProps {
  readonly deploymentId: string;
  /** Name of the table, for screen readers. */
  readonly label?: string;
}

/** A deployment's commands, their results, and why one waits. */
export function CommandList({ deploymentId, label = 'Commands' }: CommandListProps) {
  const commands = useCommands(deploymentId);
  if (commands.isPending) return <Pending rows={2} />;
  if (commands.error && !commands.data)
    return <ErrorNotice error={commands.error} onRetry={() => void commands.refetch()} />;
  return <DataTable label={label} columns={COLUMNS} rows={commands.data} rowKey={({ id }) => id} />;
}

/** One line about the command that a deployment waits for; nothing if there is none. */
export function WaitingNotice({ deploymentId }: { readonly deploymentId: string }) {
  const { data = [] } = useCommands(deploymentId);
  const waiting = data.findLast(({ waiting_reason }) => waiting_reason !== null);
  if (!waiting) return null;
  return (
    <p className={classes.waiting}>
      <IconHourglass size={16} aria-hidden />
      <span>
        <strong>{waiting.action}</strong> is queued: <TextWithTimes text={waiting.waiting_reason ?? ''} />.
      </span>
    </p>
  );
}
