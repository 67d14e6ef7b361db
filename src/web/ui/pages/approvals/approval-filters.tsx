import { Group, Select, type SelectProps } from '@mantine/core';
import type { ApprovalFilter } from '../../api/approvals.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { AgentSelect } from '../../components/agent-select.js';
import { RISK_BADGES, RISKS, STATE_BADGES, STATES } from '../../components/approval-words.js';

/** The filters in the page's address. Without one the list has what waits. */
export function useApprovalFilter(): ApprovalFilter {
  const [search] = useAddressFilter();
  const state = STATES.find((it) => it === search.get('state')) ?? 'pending';
  const risk = RISKS.find((it) => it === search.get('risk'));
  const agent_id = search.get('agent');
  return { state, ...(risk && { risk }), ...(agent_id && { agent_id }) };
}

/** Filters of approvals, kept in the page's address. */
export function ApprovalFilters({ filter }: { readonly filter: ApprovalFilter }) {
  const [, set] = useAddressFilter();
  return (
    <Group mb="md" gap="sm" role="search" aria-label="Filters">
      <Choice
        aria-label="State"
        allowDeselect={false}
        data={STATES.map((value) => ({ value, label: STATE_BADGES[value].label }))}
        value={filter.state ?? null}
        onChange={(state) => set('state', state === 'pending' ? null : state)}
      />
      <Choice
        aria-label="Risk"
        placeholder="Any risk"
        clearable
        data={RISKS.map((value) => ({ value, label: RISK_BADGES[value].label }))}
        value={filter.risk ?? null}
        onChange={(risk) => set('risk', risk)}
      />
      <AgentSelect
        aria-label="Agent"
        placeholder="Any agent"
        clearable
        flex={{ base: '1 1 9rem', sm: 'none' }}
        w={{ sm: 200 }}
        value={filter.agent_id ?? null}
        onChange={(agent) => set('agent', agent)}
      />
    </Group>
  );
}

/** A choice of one value; on a phone two choices share a line. */
function Choice(props: SelectProps) {
  return <Select {...props} flex={{ base: '1 1 9rem', sm: 'none' }} w={{ sm: 190 }} />;
}
