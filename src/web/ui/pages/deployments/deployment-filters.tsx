import { Button, Group, Select, type SelectProps } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { DeploymentFilter, DeploymentStatus } from '../../api/deployments.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { SearchField } from '../../components/search-field.js';
import { TimePicker } from '../../components/time-picker.js';
import { beginningOf, spanIn, useTimeRange } from '../../components/time-range.js';

const STATUSES: readonly DeploymentStatus[] = [
  'deploying',
  'running',
  'ready',
  'stopped',
  'failed',
  'killed',
];
const ACTIVITIES = [
  { value: 'true', label: 'Active' },
  { value: 'false', label: 'Not active' },
] as const;
const WAITING = 'waiting';
const TROUBLES = [
  { value: '1h', label: 'Failed within an hour' },
  { value: '24h', label: 'Failed within a day' },
  { value: '7d', label: 'Failed within a week' },
  { value: WAITING, label: 'A command waits' },
] as const;

/**
 * The filters in the page's address. The range of a failure begins when the filter is chosen, as in {@link
 * useTimeRange}.
 */
export function useDeploymentFilter(): DeploymentFilter {
  const [search] = useAddressFilter();
  const [, time] = useTimeRange();
  const status = STATUSES.find((it) => it === search.get('status'));
  const active = ACTIVITIES.find(({ value }) => value === search.get('active'))?.value;
  const failed = spanIn(search, 'failed');
  const failedSince = useMemo(() => failed && beginningOf(failed, Date.now()), [failed]);
  const [q, agent_id] = ['q', 'agent'].map((name) => search.get(name));
  return {
    ...(status && { status }),
    ...(active && { active }),
    ...(failedSince !== null && { failed_since: failedSince }),
    ...(search.get(WAITING) === 'true' && { waiting: 'true' }),
    ...(q && { q }),
    ...(agent_id && { agent_id }),
    ...time,
  };
}

export interface DeploymentFiltersProps {
  readonly filter: DeploymentFilter;
  /** Name of the agent whose deployments are listed, if a row contains it. */
  readonly agentName: string | undefined;
}

/** Filters of the list, kept in the page's address. */
export function DeploymentFilters({ filter, agentName }: DeploymentFiltersProps) {
  const [search, set] = useAddressFilter();
  const [, setSearch] = useSearchParams();
  const [time, , setTime] = useTimeRange();
  const trouble = filter.waiting === undefined ? search.get('failed') : WAITING;
  const chooseTrouble = (value: string | null) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now);
        for (const name of [WAITING, 'failed']) next.delete(name);
        if (value === WAITING) next.set(WAITING, 'true');
        else if (value) next.set('failed', value);
        return next;
      },
      { replace: true },
    );
  return (
    <Group mb="md" gap="sm" role="search" aria-label="Filters">
      <SearchField label="Search by agent" value={filter.q ?? ''} onChange={(q) => set('q', q)} />
      <Choice
        aria-label="Status"
        placeholder="Any status"
        width={140}
        data={STATUSES}
        value={filter.status ?? null}
        onChange={(status) => set('status', status)}
      />
      <Choice
        aria-label="Active"
        placeholder="Active or not"
        width={140}
        data={ACTIVITIES}
        value={filter.active ?? null}
        onChange={(active) => set('active', active)}
      />
      <Choice
        aria-label="Problem"
        placeholder="Problems or not"
        width={210}
        least="11.5rem"
        data={TROUBLES}
        value={trouble}
        onChange={chooseTrouble}
      />
      <TimePicker size="sm" subject="Created" time={time} onChange={setTime} />
      {filter.agent_id !== undefined && (
        <Button
          variant="default"
          rightSection={<IconX size={14} aria-hidden />}
          onClick={() => set('agent', null)}
        >
          Agent: {agentName ?? 'unknown'}
        </Button>
      )}
    </Group>
  );
}

interface ChoiceProps extends SelectProps {
  /** Width in pixels on a wide screen. */
  readonly width: number;
  /** Minimum width on a phone. */
  readonly least?: string;
}

/** A choice of one value or none; on a phone two choices share a line. */
function Choice({ width, least = '8rem', ...rest }: ChoiceProps) {
  return <Select {...rest} flex={{ base: `1 1 ${least}`, sm: 'none' }} w={{ sm: width }} clearable />;
}
