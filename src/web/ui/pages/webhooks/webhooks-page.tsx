import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Webhook } from '@agent-control-plane/client';
import { useChosenProjectId } from '../../api/chosen-project.js';
import { useWebhooks } from '../../api/webhooks.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { LoadMore } from '../../components/load-more.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { useProjectColumn } from '../../components/project-name.js';
import { useRefusals } from '../../components/required-role.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { CreateWebhookDialog } from './create-webhook-dialog.js';
import { PatternList } from './pattern-list.js';
import { WebhookHealth } from './webhook-health.js';
import { webhookState } from './webhook-state.js';
import classes from './webhooks.module.css';

export function WebhooksPage() {
  const [isCreating, creating] = useDisclosure(false);
  const list = useWebhooks();
  const refusal = useRefusals()(useChosenProjectId(), 'webhooks');
  const create = (
    <GuardedButton leftSection={<IconPlus size={16} aria-hidden />} refusal={refusal} onClick={creating.open}>
      Create webhook
    </GuardedButton>
  );
  return (
    <>
      <PageHeader title="Webhooks" actions={list.rows.length > 0 && create}>
        <span>Your endpoints that receive events of agents and deployments.</span>
      </PageHeader>
      <List list={list} create={create} />
      <CreateWebhookDialog isOpen={isCreating} onClose={creating.close} />
    </>
  );
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    key: 'url',
    header: 'Address',
    isName: true,
    cell: ({ url, description }) => (
      <>
        <span className={classes.url}>{url}</span>
        {description && <span className={classes.description}>{description}</span>}
      </>
    ),
  },
  { key: 'state', header: 'State', cell: (webhook) => <StatusBadge {...webhookState(webhook)} /> },
  { key: 'health', header: 'Health', cell: (webhook) => <WebhookHealth webhook={webhook} /> },
  { key: 'events', header: 'Events', cell: ({ events }) => <PatternList patterns={events} most={3} /> },
  {
    key: 'created',
    header: 'Created',
    isDetail: true,
    cell: ({ created_at }) => <TimeAgo at={created_at} />,
  },
];

interface ListProps {
  readonly list: ReturnType<typeof useWebhooks>;
  readonly create: ReactNode;
}

function List({ list, create }: ListProps) {
  const project = useProjectColumn<Webhook>();
  if (list.error) {
    return <ErrorNotice error={list.error} title="Couldn’t load the webhooks" onRetry={list.refetch} />;
  }
  if (list.isPending) return <Pending rows={4} />;
  if (list.rows.length === 0) {
    return (
      <EmptyState icon={IconWebhook} title="No webhooks yet" action={create}>
        Notify a chat channel, an on-call system or a program of yours when a deployment is ready or fails.
      </EmptyState>
    );
  }
  return (
    <>
      <DataTable
        label="Webhooks"
        columns={[...COLUMNS.slice(0, 1), ...project, ...COLUMNS.slice(1)]}
        rows={list.rows}
        rowKey={(webhook) => webhook.id}
        rowLink={(webhook) => `/webhooks/${webhook.id}`}
      />
      <LoadMore list={list} />
    </>
  );
}
