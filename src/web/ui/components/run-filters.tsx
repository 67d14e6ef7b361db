import { Button, Group, Select, type SelectProps } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { RunFilter, RunStatus } from '../api/runs.js';
import { useAddressFilter } from './address-filter.js';
import { AgentSelect } from './agent-select.js';
import { SOURCES, statusWord } from './run-words.js';
import { SearchField } from './search-field.js';
import { TimePicker } from './time-picker.js';
import { useTimeRange } from './time-range.js';

const STATUSES: readonly RunStatus[] = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'abandoned',
];

/** Statuses in which a run is over and has not done its work, as the page's address names them. */
const UNSUCCESSFUL = 'failed,timed_out,abandoned';

/** The filters in the page's address. */
export function useRunFilter(): RunFilter {
  const [search] = useAddressFilter();
  const [, time] = useTimeRange();
  const named = search.get('status')?.split(',') ?? [];
  const status = STATUSES.filter((it) => named.includes(it));
  const source = SOURCES.find(({ value }) => value === search.get('source'))?.value;
  const [q, label, agent_id, conversation_id] = ['q', 'label', 'agent', 'conversation'].map((name) =>
    search.get(name),
  );
  return {
    ...(status.length > 0 && { status }),
    ...(source && { source }),
    ...(q && { q }),
    ...(label?.includes(':') && { label }),
    ...(agent_id && { agent_id }),
    ...(conversation_id && { conversation_id }),
    ...time,
  };
}

export interface RunFiltersProps {
  readonly filter: RunFilter;
  /** True: the list is of one agent, which is not chosen here. */
  readonly isOfAgent: boolean;
}

/** Filters of a list of runs, kept in the page's address. */
export function RunFilters({ filter, isOfAgent }: RunFiltersProps) {
  const [search, set] = useAddressFilter();
  const [time, , setTime] = useTimeRange();
  const label = search.get('label') ?? '';
  return (
    <Group mb="md" gap="sm" role="search" aria-label="Filters">
      <SearchField label="Search by name" value={filter.q ?? ''} onChange={(q) => set('q', q)} />
      <Choice
        aria-label="Status"
        placeholder="Any status"
        data={[
          ...STATUSES.map((value) => ({ value, label: statusWord(value) })),
          { value: UNSUCCESSFUL, label: 'failed, timed out or abandoned' },
        ]}
        value={filter.status?.join(',') ?? null}
        onChange={(status) => set('status', status)}
      />
      {!isOfAgent && (
        <AgentSelect
          aria-label="Agent"
          placeholder="Any agent"
          clearable
          flex={{ base: '1 1 9rem', sm: 'none' }}
          w={{ sm: 170 }}
          value={filter.agent_id ?? null}
          onChange={(agent) => set('agent', agent)}
        />
      )}
      <Choice
        aria-label="Source"
        placeholder="Any source"
        data={SOURCES}
        value={filter.source ?? null}
        onChange={(source) => set('source', source)}
      />
      <SearchField
        label="Label, as key:value"
        width={155}
        value={label}
        isInvalid={label !== '' && filter.label === undefined}
        onChange={(wanted) => set('label', wanted)}
      />
      <TimePicker size="sm" subject="Requested" time={time} onChange={setTime} />
      {filter.conversation_id !== undefined && (
        <Button
          variant="default"
          rightSection={<IconX size={14} aria-hidden />}
          onClick={() => set('conversation', null)}
        >
          Conversation: {filter.conversation_id}
        </Button>
      )}
    </Group>
  );
}

/** A choice of one value or none; on a phone two choices share a line. */
function Choice(props: SelectProps) {
  return <Select {...props} flex={{ base: '1 1 9rem', sm: 'none' }} w={{ sm: 150 }} clearable />;
}
