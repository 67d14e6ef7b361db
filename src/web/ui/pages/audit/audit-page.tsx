import { Group, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useAuditEntries } from '../../api/audit.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { AgentSelect } from '../../components/agent-select.js';
import { AuditList } from '../../components/audit-list.js';
import { PageHeader } from '../../components/page-header.js';
import { TimePicker } from '../../components/time-picker.js';
import { useTimeRange } from '../../components/time-range.js';

const OUTCOMES = [
  { value: '', label: 'All' },
  { value: 'success', label: 'Done' },
  { value: 'refused', label: 'Refused' },
];

/** Pause after the last key press before the list is read again; milliseconds. */
const TYPING_PAUSE_MS = 400;

/** The audit log: an operator sees all entries, another user those about themselves. */
export function AuditPage() {
  const [search, set] = useAddressFilter();
  const [time, timeQuery, setTime] = useTimeRange();
  const outcome = OUTCOMES.find(({ value }) => value === search.get('outcome'))?.value ?? '';
  const actor = search.get('actor') ?? '';
  const agent = search.get('agent') ?? '';
  const [typed, setTyped] = useState(actor);
  const setActor = useDebouncedCallback((text: string) => set('actor', text.trim()), TYPING_PAUSE_MS);
  const list = useAuditEntries({ outcome, actor, agent_id: agent, ...timeQuery });
  return (
    <>
      <PageHeader title="Audit">
        <span>Who did what, when and from where.</span>
      </PageHeader>
      <Group mb="md" align="flex-end">
        <SegmentedControl
          size="xs"
          aria-label="Which outcomes"
          data={OUTCOMES}
          value={outcome}
          onChange={(value) => set('outcome', value)}
        />
        <TimePicker time={time} onChange={setTime} />
        <AgentSelect
          size="xs"
          aria-label="About an agent"
          placeholder="Any agent"
          clearable
          value={agent === '' ? null : agent}
          onChange={(id) => set('agent', id ?? '')}
        />
        <TextInput
          size="xs"
          aria-label="Actor"
          placeholder="user:… or key:…"
          maxLength={100}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setActor(event.currentTarget.value);
          }}
        />
      </Group>
      <AuditList list={list} />
    </>
  );
}
