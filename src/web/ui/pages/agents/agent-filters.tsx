import { Button, Group, Select } from '@mantine/core';
import type { AgentFilter, Connected, HealthState } from '../../api/agents.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { SearchField } from '../../components/search-field.js';
import { GroupSelect } from './group-select.js';
import { groupingIn, isByLabel } from './grouping.js';
import { ViewMenu } from './view-menu.js';

const HEALTH_STATES: readonly HealthState[] = [
  'failing',
  'degraded',
  'offline',
  'paused',
  'progressing',
  'healthy',
  'idle',
];
const CONNECTIONS: readonly { value: Connected; label: string }[] = [
  { value: 'never_connected', label: 'never connected' },
  { value: 'online', label: 'online' },
  { value: 'offline', label: 'offline' },
];
const USUAL_SORT = 'health';
const SORTS = [
  { value: USUAL_SORT, label: 'Worst first' },
  { value: '-created', label: 'Newest first' },
  { value: 'created', label: 'Oldest first' },
  { value: 'name', label: 'Name, A to Z' },
  { value: '-name', label: 'Name, Z to A' },
  { value: '-last_heartbeat', label: 'Latest heartbeat' },
  { value: 'last_heartbeat', label: 'Oldest heartbeat' },
];

/** The filters in the page's address. */
export function useAgentFilter(): AgentFilter {
  const [search] = useAddressFilter();
  const health = HEALTH_STATES.find((it) => it === search.get('health'));
  const connection = CONNECTIONS.find(({ value }) => value === search.get('connection'))?.value;
  const sort = SORTS.find(({ value }) => value === search.get('sort'))?.value ?? USUAL_SORT;
  const [q, type, label] = ['q', 'type', 'label'].map((name) => search.get(name));
  return {
    ...(health && { health }),
    ...(connection && { connection }),
    sort,
    ...(q && { q }),
    ...(type && { type }),
    ...(label?.includes(':') && { label }),
    ...(search.get('outdated') === 'true' && { outdated: 'true' }),
  };
}

export function AgentFilters({ filter }: { readonly filter: AgentFilter }) {
  const [search, set] = useAddressFilter();
  const label = search.get('label') ?? '';
  const by = groupingIn(search);
  return (
    <Group gap="sm" mb="md" role="search" aria-label="Filters">
      <SearchField
        label="Search agents"
        hint="By name, description, type or host"
        value={filter.q ?? ''}
        onChange={(q) => set('q', q)}
      />
      <Select
        flex="1 1 110px"
        aria-label="Health"
        placeholder="Health"
        clearable
        data={[...HEALTH_STATES]}
        value={filter.health ?? null}
        onChange={(value) => set('health', value)}
      />
      <Select
        flex="1 1 140px"
        aria-label="Connection"
        placeholder="Connection"
        clearable
        data={[...CONNECTIONS]}
        value={filter.connection ?? null}
        onChange={(value) => set('connection', value)}
      />
      <SearchField label="Type" width={90} value={filter.type ?? ''} onChange={(type) => set('type', type)} />
      {!isByLabel(by) && (
        <SearchField
          label="Label, as key:value"
          width={155}
          value={label}
          isInvalid={label !== '' && filter.label === undefined}
          onChange={(wanted) => set('label', wanted)}
        />
      )}
      {by === null && (
        <Select
          flex="1 1 140px"
          aria-label="Order"
          data={SORTS}
          value={filter.sort ?? USUAL_SORT}
          allowDeselect={false}
          onChange={(value) => set('sort', value === USUAL_SORT ? null : value)}
        />
      )}
      {filter.outdated && (
        <Button
          variant="light"
          aria-label="outdated runtime: remove this filter"
          onClick={() => set('outdated', null)}
        >
          outdated runtime <span aria-hidden>&nbsp;×</span>
        </Button>
      )}
      <GroupSelect />
      <ViewMenu />
    </Group>
  );
}
