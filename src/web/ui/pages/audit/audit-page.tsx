import { Code, Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconListSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { AuditEntry } from '@agent-control-plane/client';
import { useAuditEntries } from '../../api/audit.js';
import { useUser } from '../../app/require-session.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { useProjectColumn } from '../../components/project-name.js';
import { shortId } from '../../components/short-id.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { TimePicker } from '../../components/time-picker.js';
import { useTimeRange } from '../../components/time-range.js';

const OUTCOMES = [
  { value: '', label: 'All' },
  { value: 'success', label: 'Done' },
  { value: 'refused', label: 'Refused' },
];

/** Pause after the last key press before the list is read again; milliseconds. */
const TYPING_PAUSE_MS = 400;

const COLUMNS: readonly Column<AuditEntry>[] = [
  { key: 'action', header: 'Action', isName: true, cell: (entry) => entry.action },
  {
    key: 'outcome',
    header: 'Outcome',
    cell: ({ outcome }) =>
      outcome === 'success' ? (
        <StatusBadge status="succeeded" label="done" />
      ) : (
        <StatusBadge status="failed" label="refused" />
      ),
  },
  { key: 'at', header: 'Time', cell: (entry) => <TimeAgo at={entry.at} /> },
  { key: 'actor', header: 'Actor', isLong: true, cell: ({ actor }) => <ShortName name={actor} /> },
  {
    key: 'target',
    header: 'Target',
    isLong: true,
    cell: ({ target_id: id, target_type: type }) => id && <ShortName name={`${type}:${id}`} />,
  },
  { key: 'address', header: 'From', cell: (entry) => entry.address },
  {
    key: 'details',
    header: 'Details',
    isLong: true,
    width: '16rem',
    cell: (entry) => {
      const details = detailsOf(entry);
      return details && <Details text={details} />;
    },
  },
];

/** The audit log: an operator sees all entries, another user those about themselves. */
export function AuditPage() {
  const [search, set] = useAddressFilter();
  const [time, timeQuery, setTime] = useTimeRange();
  const outcome = OUTCOMES.find(({ value }) => value === search.get('outcome'))?.value ?? '';
  const actor = search.get('actor') ?? '';
  const [typed, setTyped] = useState(actor);
  const setActor = useDebouncedCallback((text: string) => set('actor', text.trim()), TYPING_PAUSE_MS);
  const list = useAuditEntries({ outcome, actor, ...timeQuery });
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
        <TextInput
          size="xs"
          aria-label="Actor"
          placeholder="user:… or api_key:…"
          maxLength={100}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setActor(event.currentTarget.value);
          }}
        />
      </Group>
      <List list={list} />
    </>
  );
}

function List({ list }: { readonly list: ReturnType<typeof useAuditEntries> }) {
  const project = useProjectColumn<AuditEntry>();
  if (list.error) {
    return <ErrorNotice error={list.error} title="The audit log can’t be shown" onRetry={list.refetch} />;
  }
  if (list.isPending) return <Pending rows={8} />;
  if (list.rows.length === 0) {
    return <EmptyState icon={IconListSearch} title="No entries match" />;
  }
  return (
    <>
      <DataTable
        takesFocus
        label="Audit log"
        columns={[...COLUMNS.slice(0, 5), ...project, ...COLUMNS.slice(5)]}
        rows={list.rows}
        rowKey={(entry) => entry.id}
      />
      <LoadMore list={list} />
    </>
  );
}

/** Name of an actor or a target with the end of its id, or `you`; the title has the whole id. */
function ShortName({ name }: { readonly name: string }) {
  const [kind, id] = name.split(':');
  const isSelf = useUser().id === id && kind === 'user';
  if (isSelf) return <span title={name}>you</span>;
  return <Code title={name}>{id === undefined ? kind : `${kind}:…${shortId(id)}`}</Code>;
}

function Details({ text }: { readonly text: string }) {
  return (
    <Text size="sm" lineClamp={2} title={text}>
      {text}
    </Text>
  );
}

function detailsOf({ details }: AuditEntry): string | null {
  const facts = Object.entries(details).filter(([, value]) => value !== null);
  return facts.length === 0 ? null : facts.map(([name, value]) => `${name}: ${textOf(value)}`).join(', ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
