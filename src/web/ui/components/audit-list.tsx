import { Anchor } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { AuditEntry } from '@agent-control-plane/client';
import type { useAuditEntries } from '../api/audit.js';
import { useUser } from '../app/require-session.js';
import { describeActor } from './actor.js';
import { type Column, DataTable } from './data-table.js';
import { EmptyState } from './empty-state.js';
import { ErrorNotice } from './error-notice.js';
import { LoadMore } from './load-more.js';
import { Pending } from './pending.js';
import { useProjectColumn } from './project-name.js';
import { shortId } from './short-id.js';
import { StatusBadge } from './status-badge.js';
import { TimeAgo } from './time-ago.js';
import { TwoLines } from './two-lines.js';

const ACTION: Column<AuditEntry> = {
  key: 'action',
  header: 'Action',
  isName: true,
  cell: (entry) => entry.action,
};
const OUTCOME: Column<AuditEntry> = {
  key: 'outcome',
  header: 'Outcome',
  cell: ({ outcome }) =>
    outcome === 'success' ? (
      <StatusBadge status="succeeded" label="done" />
    ) : (
      <StatusBadge status="failed" label="refused" />
    ),
};
const TIME: Column<AuditEntry> = { key: 'at', header: 'Time', cell: (entry) => <TimeAgo at={entry.at} /> };
const ACTOR: Column<AuditEntry> = {
  key: 'actor',
  header: 'Actor',
  isLong: true,
  width: '14rem',
  cell: (entry) => <Actor entry={entry} />,
};
const target = (isOfAgent: boolean): Column<AuditEntry> => ({
  key: 'target',
  header: 'Target',
  isLong: true,
  width: '11rem',
  cell: (entry) =>
    (entry.target_id ?? entry.target_name) === null ? null : <Target entry={entry} isOfAgent={isOfAgent} />,
});
const FROM: Column<AuditEntry> = { key: 'address', header: 'From', cell: (entry) => entry.address };
const details = (isOfAgent: boolean): Column<AuditEntry> => ({
  key: 'details',
  header: 'Details',
  isLong: true,
  width: '16rem',
  cell: (entry) => {
    const text = detailsOf(entry, isOfAgent);
    return text && <TwoLines text={text}>{text}</TwoLines>;
  },
});

interface AuditListProps {
  readonly list: ReturnType<typeof useAuditEntries>;
  /** True: all entries are about one agent and what belongs to it, so that no column repeats its name. */
  readonly isOfAgent?: boolean;
}

/** Entries of the audit log, newest first. */
export function AuditList({ list, isOfAgent = false }: AuditListProps) {
  const project = useProjectColumn<AuditEntry>();
  const place = isOfAgent ? [] : project;
  if (list.error) {
    return <ErrorNotice error={list.error} title="Couldn’t load the audit log" onRetry={list.refetch} />;
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
        columns={[ACTION, OUTCOME, TIME, ACTOR, target(isOfAgent), ...place, FROM, details(isOfAgent)]}
        rows={list.rows}
        rowKey={(entry) => entry.id}
      />
      <LoadMore list={list} />
    </>
  );
}

/** An actor leads to all that it did; an agent to its page. */
function Actor({ entry }: { readonly entry: AuditEntry }) {
  const { actor, actor_name: name } = entry;
  const { id: ownId } = useUser();
  const [kind, id] = actor.split(':', 2);
  if (id === undefined) return actor;
  const isAgent = kind === 'agent';
  const text = isAgent ? `agent ${name ?? shortId(id)}` : describeActor(actor, ownId, entry);
  return (
    <TwoLines text={`${text} (${actor})`}>
      <Anchor
        component={Link}
        to={isAgent ? `/agents/${id}` : `/audit?actor=${encodeURIComponent(actor)}`}
        inherit
        underline="always"
      >
        {text}
      </Anchor>
    </TwoLines>
  );
}

/** Pages of the targets that have one. */
const PAGES: Readonly<Record<string, (id: string) => string>> = {
  agent: (id) => `/agents/${id}`,
  deployment: (id) => `/deployments/${id}`,
  run: (id) => `/runs/${id}`,
  schedule: (id) => `/schedules/${id}`,
  approval: (id) => `/approvals/${id}`,
  project: (id) => `/projects/${id}`,
  webhook: (id) => `/webhooks/${id}`,
  api_key: () => '/api-keys',
  budget: () => '/usage?tab=budgets',
};

/** Targets with a name of their own; the others have that of their agent. */
const NAMED_THEMSELVES: Readonly<Record<string, string>> = { agent: 'agent', api_key: 'key', user: 'user' };

/**
 * The words for a target, such as `agent sorter`, `run of sorter` or `key ci`: an id alone says nothing to a reader.
 * Among the entries of one agent it is the id that tells one run from another.
 */
function targetText(
  { target_type: type, target_id: id, target_name: name }: AuditEntry,
  isOfAgent: boolean,
): string {
  if (id === null) return name ?? type;
  const kind = NAMED_THEMSELVES[type];
  if (name === null || (isOfAgent && kind === undefined)) return `${type} …${shortId(id)}`;
  if (type === 'user') return name;
  return kind === undefined ? `${type} of ${name}` : `${kind} ${name}`;
}

function Target({ entry, isOfAgent }: { readonly entry: AuditEntry; readonly isOfAgent: boolean }) {
  const { target_id: id, target_type: type } = entry;
  const isSelf = useUser().id === id && type === 'user';
  const text = isSelf ? 'you' : targetText(entry, isOfAgent);
  const page = PAGES[type];
  return (
    <TwoLines text={`${text} (${type}:${id})`}>
      {page === undefined || id === null ? (
        text
      ) : (
        <Anchor component={Link} to={page(id)} inherit underline="always">
          {text}
        </Anchor>
      )}
    </TwoLines>
  );
}

/** The facts of an entry. The agent that the target's name or the page says is left out. */
function detailsOf(
  { details, target_type: type, target_name: name }: AuditEntry,
  isOfAgent: boolean,
): string | null {
  const isSaid = isOfAgent || (name !== null && NAMED_THEMSELVES[type] === undefined);
  const hidden = isSaid ? 'agent_id' : undefined;
  const facts = Object.entries(details).filter(([key, value]) => value !== null && key !== hidden);
  return facts.length === 0 ? null : facts.map(([name, value]) => `${name}: ${textOf(value)}`).join(', ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
