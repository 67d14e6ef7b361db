import { Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { AgentFilter, Connected, HealthState } from '../../api/agents.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { SearchField } from '../../components/search-field.js';

const HEALTH_STATES: readonly HealthState[] = [
  'failing',
  'degraded',
  'offline',
  'progressing',
  'healthy',
  'idle',
];
const CONNECTIONS: readonly { value: Connected; label: string }[] = [
  { value: 'never_connected', label: 'never connected' },
  { value: 'online', label: 'online' },
  { value: 'offline', label: 'offline' },
];
const SORTS = [
  { value: '-created', label: 'Newest first' },
  { value: 'created', label: 'Oldest first' },
  { value: 'name', label: 'Name, A to Z' },
  { value: '-name', label: 'Name, Z to A' },
  { value: '-last_heartbeat', label: 'Heard of last' },
  { value: 'last_heartbeat', label: 'Silent for longest' },
];
/** Time after the last key before the service is asked; milliseconds. */
const PAUSE_MS = 400;

/** The filters that the page's address has. */
export function useAgentFilter(): AgentFilter {
  const [search] = useAddressFilter();
  const health = HEALTH_STATES.find((it) => it === search.get('health'));
  const connection = CONNECTIONS.find(({ value }) => value === search.get('connection'))?.value;
  const sort = SORTS.find(({ value }) => value === search.get('sort'))?.value;
  const [q, type, label] = ['q', 'type', 'label'].map((name) => search.get(name));
  return {
    ...(health && { health }),
    ...(connection && { connection }),
    ...(sort && { sort }),
    ...(q && { q }),
    ...(type && { type }),
    ...(label?.includes(':') && { label }),
  };
}

export function AgentFilters({ filter }: { readonly filter: AgentFilter }) {
  const [, set] = useAddressFilter();
  const setSoon = useDebouncedCallback(set, PAUSE_MS);
  return (
    <Group gap="sm" mb="md" role="search" aria-label="Filters">
      <SearchField
        label="Search name, description, host"
        value={filter.q ?? ''}
        onChange={(q) => set('q', q)}
      />
      <Select
        w={140}
        aria-label="Health"
        placeholder="Any health"
        clearable
        data={[...HEALTH_STATES]}
        value={filter.health ?? null}
        onChange={(value) => set('health', value)}
      />
      <Select
        w={170}
        aria-label="Connection"
        placeholder="Any connection"
        clearable
        data={[...CONNECTIONS]}
        value={filter.connection ?? null}
        onChange={(value) => set('connection', value)}
      />
      <TextInput
        key={`type ${filter.type ?? ''}`}
        w={120}
        aria-label="Type"
        placeholder="Any type"
        defaultValue={filter.type ?? ''}
        onChange={(event) => setSoon('type', event.currentTarget.value.trim())}
      />
      <TextInput
        key={`label ${filter.label ?? ''}`}
        w={150}
        aria-label="Label"
        placeholder="Label, as key:value"
        defaultValue={filter.label ?? ''}
        onChange={(event) => setSoon('label', event.currentTarget.value.trim())}
      />
      <Select
        w={170}
        aria-label="Order"
        data={SORTS}
        value={filter.sort ?? '-created'}
        allowDeselect={false}
        onChange={(value) => set('sort', value === '-created' ? null : value)}
      />
    </Group>
  );
}
