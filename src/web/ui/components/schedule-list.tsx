import { Group, Select } from '@mantine/core';
import { IconCalendarClock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Schedule } from '@agent-control-plane/client';
import type { LoadedList } from '../api/lists.js';
import { type ScheduleFilter, useSchedules } from '../api/schedules.js';
import { useAddressFilter } from './address-filter.js';
import { AgentSelect } from './agent-select.js';
import { type Column, DataTable } from './data-table.js';
import { EmptyState } from './empty-state.js';
import { ErrorNotice } from './error-notice.js';
import { LoadMore } from './load-more.js';
import { Pending } from './pending.js';
import { useProjectColumn } from './project-name.js';
import { statusWord } from './run-words.js';
import classes from './schedule-list.module.css';
import { clockText } from './schedule-words.js';
import { shortId } from './short-id.js';
import { StatusBadge } from './status-badge.js';
import { TimeAgo } from './time-ago.js';
import { TwoLines } from './two-lines.js';

const AGENT: Column<Schedule> = {
  key: 'agent',
  header: 'Agent',
  width: '12rem',
  isLong: true,
  cell: ({ agent_name: name }) => <TwoLines text={name} />,
};

const COLUMNS: readonly Column<Schedule>[] = [
  {
    key: 'name',
    header: 'Schedule',
    isName: true,
    cell: ({ name, id }) => name ?? `Schedule …${shortId(id)}`,
  },
  { key: 'due', header: 'Due', isLong: true, width: '16rem', cell: clockText },
  {
    key: 'next',
    header: 'Next',
    width: '9rem',
    cell: ({ next_run_at: at, is_active }) =>
      is_active ? <TimeAgo at={at} /> : <StatusBadge status="paused" />,
  },
  {
    key: 'last',
    header: 'Last run',
    width: '13rem',
    cell: ({ last_run: run }) =>
      run && (
        <Link to={`/runs/${run.id}`} className={classes.run}>
          <StatusBadge status={run.status} label={statusWord(run.status)} /> <TimeAgo at={run.queued_at} />
        </Link>
      ),
  },
];

const STATES = [
  { value: 'true', label: 'active' },
  { value: 'false', label: 'paused' },
];

export interface ScheduleListProps {
  /** The agent whose schedules are listed; absent: all agents. */
  readonly agentId?: string;
  /** Advice for an empty list of schedules. */
  readonly firstStep: ReactNode;
  /** Shown next to the filters, when there are schedules. */
  readonly action?: ReactNode;
}

/** Schedules, newest first, with their filters. */
export function ScheduleList({ agentId, firstStep, action }: ScheduleListProps) {
  const [search, set] = useAddressFilter();
  const isOfAgent = agentId !== undefined;
  const state = STATES.find(({ value }) => value === search.get('active'))?.value;
  const agent = isOfAgent ? null : search.get('agent');
  const filter: ScheduleFilter = { ...(state && { is_active: state }), ...(agent && { agent_id: agent }) };
  const isFiltered = Object.keys(filter).length > 0;
  const list = useSchedules(filter, agentId);
  const isNone = !isFiltered && !list.isPending && !list.error && list.rows.length === 0;
  return (
    <>
      {!isNone && (
        <Group mb="md" gap="sm" justify="space-between">
          <Group gap="sm" flex="1 1 auto" role="search" aria-label="Filters">
            <Select
              aria-label="State"
              placeholder="Any state"
              clearable
              flex={{ base: '1 1 9rem', sm: 'none' }}
              w={{ sm: 190 }}
              data={STATES}
              value={state ?? null}
              onChange={(value) => set('active', value)}
            />
            {!isOfAgent && (
              <AgentSelect
                aria-label="Agent"
                placeholder="Any agent"
                clearable
                flex={{ base: '1 1 9rem', sm: 'none' }}
                w={{ sm: 170 }}
                value={agent}
                onChange={(value) => set('agent', value)}
              />
            )}
          </Group>
          {action}
        </Group>
      )}
      <List list={list} isFiltered={isFiltered} isOfAgent={isOfAgent} firstStep={firstStep} />
    </>
  );
}

interface ListProps {
  readonly list: LoadedList<Schedule>;
  readonly isFiltered: boolean;
  readonly isOfAgent: boolean;
  readonly firstStep: ReactNode;
}

function List({ list, isFiltered, isOfAgent, firstStep }: ListProps) {
  const project = useProjectColumn<Schedule>();
  if (list.error) {
    return <ErrorNotice error={list.error} title="Couldn’t load the schedules" onRetry={list.refetch} />;
  }
  if (list.isPending) return <Pending rows={6} />;
  if (list.rows.length > 0) {
    const [name, ...others] = COLUMNS;
    return (
      <>
        <DataTable
          label="Schedules"
          columns={isOfAgent ? COLUMNS : [name!, AGENT, ...project, ...others]}
          rows={list.rows}
          rowKey={({ id }) => id}
          rowLink={({ id }) => `/schedules/${id}`}
          onEndReached={list.hasMore && !list.isLoadingMore ? list.loadMore : undefined}
        />
        <LoadMore list={list} />
      </>
    );
  }
  if (isFiltered) {
    return (
      <EmptyState icon={IconCalendarClock} title="No schedule matches">
        Try another filter.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconCalendarClock} title="No schedules yet" action={firstStep}>
      A schedule starts runs of an agent at set times: every morning, every Monday or every 15 minutes.
    </EmptyState>
  );
}
