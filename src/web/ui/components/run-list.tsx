import { Button, Text } from '@mantine/core';
import { IconListCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import type { Run } from '@agent-control-plane/client';
import { useRuns } from '../api/runs.js';
import { ApiError } from '../api/request.js';
import { Cut } from './cut.js';
import { type Column, DataTable } from './data-table.js';
import { EmptyState } from './empty-state.js';
import { ErrorNotice } from './error-notice.js';
import { LoadMore } from './load-more.js';
import { Pending } from './pending.js';
import { useProjectColumn } from './project-name.js';
import { RunDuration } from './run-duration.js';
import { RunFilters, useRunFilter } from './run-filters.js';
import { remarkOf, sourceWord, statusWord } from './run-words.js';
import { shortId } from './short-id.js';
import { StatusBadge } from './status-badge.js';
import { TimeAgo } from './time-ago.js';

const AGENT: Column<Run> = {
  key: 'agent',
  header: 'Agent',
  width: '9rem',
  isLong: true,
  cell: ({ agent_name: name }) => <Cut text={name} />,
};

const COLUMNS: readonly Column<Run>[] = [
  { key: 'name', header: 'Run', isName: true, cell: (run) => <Name run={run} /> },
  {
    key: 'status',
    header: 'Status',
    width: '9rem',
    cell: ({ status }) => <StatusBadge status={status} label={statusWord(status)} />,
  },
  {
    key: 'remark',
    header: 'Note',
    width: '12rem',
    isLong: true,
    cell: (run) => {
      const text = remarkOf(run);
      return text && <Cut text={text} whole={run.error ?? text} hasTimes />;
    },
  },
  {
    key: 'source',
    header: 'Source',
    width: '10rem',
    isDetail: true,
    cell: ({ source }) => sourceWord(source),
  },
  {
    key: 'duration',
    header: 'Took',
    align: 'right',
    width: '6.5rem',
    cell: (run) => run.started_at && <RunDuration run={run} />,
  },
  { key: 'queued', header: 'Requested', width: '7rem', cell: ({ queued_at }) => <TimeAgo at={queued_at} /> },
];

/** The name of a run. The id of one without a name tells it from others. */
function Name({ run }: { readonly run: Run }) {
  if (run.name !== null) return <Cut text={run.name} />;
  return (
    <>
      Run{' '}
      <Text span size="xs" c="dimmed" ff="monospace" fw={400} title={run.id}>
        {shortId(run.id)}
      </Text>
    </>
  );
}

export interface RunListProps {
  /** The agent whose runs are listed; absent: all agents. */
  readonly agentId?: string;
  /** Advice for an empty list of runs. */
  readonly firstStep: ReactNode;
}

/** Runs, newest first, with their filters. */
export function RunList({ agentId, firstStep }: RunListProps) {
  const filter = useRunFilter();
  const list = useRuns(filter, agentId);
  const isOfAgent = agentId !== undefined;
  const isFiltered = Object.keys(filter).length > 0;
  const isNone = !isFiltered && !list.isPending && !list.error && list.rows.length === 0;
  return (
    <>
      {!isNone && <RunFilters filter={filter} isOfAgent={isOfAgent} />}
      <List list={list} isFiltered={isFiltered} isOfAgent={isOfAgent} firstStep={firstStep} />
    </>
  );
}

interface ListProps {
  readonly list: ReturnType<typeof useRuns>;
  readonly isFiltered: boolean;
  readonly isOfAgent: boolean;
  readonly firstStep: ReactNode;
}

function List({ list, isFiltered, isOfAgent, firstStep }: ListProps) {
  const project = useProjectColumn<Run>();
  // an invalid filter in a mistyped address matches nothing
  const isMeaningless = isFiltered && list.error instanceof ApiError && list.error.status === 422;
  if (list.error && !isMeaningless) {
    return <ErrorNotice error={list.error} title="Couldn’t load the runs" onRetry={list.refetch} />;
  }
  if (list.isPending && !isMeaningless) return <Pending rows={8} />;
  if (list.rows.length > 0) {
    const [name, ...others] = COLUMNS;
    return (
      <>
        <DataTable
          label="Runs"
          isOneLine
          columns={isOfAgent ? COLUMNS : [name!, AGENT, ...project, ...others]}
          rows={list.rows}
          rowKey={({ id }) => id}
          rowLink={({ id }) => `/runs/${id}`}
          onEndReached={list.hasMore && !list.isLoadingMore ? list.loadMore : undefined}
        />
        <LoadMore list={list} />
      </>
    );
  }
  if (isFiltered) return <NoMatch isOfAgent={isOfAgent} />;
  return (
    <EmptyState icon={IconListCheck} title="No runs yet" action={firstStep}>
      A run is one piece of work for an agent: a message to answer, a job, a daily report. It waits here until
      the agent takes it, then shows its result.
    </EmptyState>
  );
}

function NoMatch({ isOfAgent }: Pick<ListProps, 'isOfAgent'>) {
  const [, setSearch] = useSearchParams();
  return (
    <EmptyState
      icon={IconListCheck}
      title="No run matches"
      action={
        <Button
          variant="default"
          onClick={() => setSearch(isOfAgent ? { tab: 'runs' } : {}, { replace: true })}
        >
          Show all runs
        </Button>
      }
    />
  );
}
