import { Anchor } from '@mantine/core';
import { IconAddressBook } from '@tabler/icons-react';
import { useState } from 'react';
import type { Lead } from '@agent-control-plane/client';
import { useLeads } from '../../api/leads.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { TimeAgo } from '../../components/time-ago.js';
import { LeadDetails } from './lead-details.js';
import classes from './leads.module.css';

/** Messages of the contact form; operators only. */
export function LeadsPage() {
  const list = useLeads();
  return (
    <>
      <PageHeader title="Leads">
        <span>Messages that people have left for you.</span>
      </PageHeader>
      <List list={list} />
    </>
  );
}

function List({ list }: { readonly list: ReturnType<typeof useLeads> }) {
  if (list.error) {
    return <ErrorNotice error={list.error} title="Couldn’t load the leads" onRetry={list.refetch} />;
  }
  if (list.isPending) return <Pending rows={6} />;
  if (list.rows.length === 0) {
    return (
      <EmptyState icon={IconAddressBook} title="No leads yet">
        What a contact form sends to <code>POST /leads</code> is listed here.
      </EmptyState>
    );
  }
  return (
    <>
      <LeadsTable leads={list.rows} />
      <LoadMore list={list} />
    </>
  );
}

function LeadsTable({ leads }: { readonly leads: readonly Lead[] }) {
  const [opened, setOpened] = useState<Lead | null>(null);
  const columns: readonly Column<Lead>[] = [
    {
      key: 'name',
      header: 'Sender',
      isName: true,
      width: '15rem',
      cell: (lead) => (
        <Anchor
          component="button"
          type="button"
          inherit
          className={classes.name}
          aria-haspopup="dialog"
          onClick={() => setOpened(lead)}
        >
          {lead.name ?? lead.email}
        </Anchor>
      ),
    },
    { key: 'company', header: 'Company', isLong: true, cell: (lead) => lead.company },
    {
      key: 'message',
      header: 'Message',
      isLong: true,
      cell: (lead) => lead.message && <span className={classes.excerpt}>{lead.message}</span>,
    },
    { key: 'source', header: 'From', cell: (lead) => lead.source },
    { key: 'created', header: 'Received', cell: (lead) => <TimeAgo at={lead.created_at} /> },
  ];
  return (
    <>
      <DataTable label="Leads" columns={columns} rows={leads} rowKey={(lead) => lead.id} />
      <LeadDetails lead={opened} onClose={() => setOpened(null)} />
    </>
  );
}
