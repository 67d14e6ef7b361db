import { Anchor, Button, Group, Select } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Webhook, WebhookDelivery } from '@agent-control-plane/client';
import { type DeliveryFilter, useDeliveries } from '../../api/webhooks.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { Pending } from '../../components/pending.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { TimePicker } from '../../components/time-picker.js';
import { useTimeRange } from '../../components/time-range.js';
import { KINDS } from '../webhooks/event-patterns.js';
import { DeliveryDetails } from './delivery-details.js';
import classes from './webhook.module.css';

const OUTCOMES = [
  { value: 'true', label: 'Succeeded' },
  { value: 'false', label: 'Not delivered' },
];

const KINDS_OF_DELIVERY = [...KINDS, 'webhook.test'];

/** Deliveries of a webhook and their results. */
export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const [search, set] = useAddressFilter();
  const [, setSearch] = useSearchParams();
  const event = KINDS_OF_DELIVERY.find((it) => it === search.get('event'));
  const success = (['true', 'false'] as const).find((it) => it === search.get('success'));
  const [time, timeQuery, setTime] = useTimeRange();
  const filter: DeliveryFilter = { ...(event && { event }), ...(success && { success }), ...timeQuery };
  const list = useDeliveries(webhook.id, filter);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <section>
      <h2 className={classes.heading}>Deliveries</h2>
      <Group mb="sm" gap="sm" role="search" aria-label="Filters of the deliveries">
        <Select
          size="xs"
          w={{ base: '100%', xs: 160 }}
          aria-label="Outcome"
          placeholder="Any outcome"
          data={OUTCOMES}
          value={filter.success ?? null}
          onChange={(outcome) => set('success', outcome)}
          clearable
        />
        <Select
          size="xs"
          w={{ base: '100%', xs: 230 }}
          aria-label="Event"
          placeholder="Any event"
          data={KINDS_OF_DELIVERY}
          value={filter.event ?? null}
          onChange={(kind) => set('event', kind)}
          searchable
          clearable
        />
        <TimePicker time={time} onChange={setTime} />
      </Group>
      <List
        webhook={webhook}
        list={list}
        isFiltered={isFiltered}
        onClear={() => setSearch({}, { replace: true })}
      />
    </section>
  );
}

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  { key: 'status', header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'answer',
    header: 'Response',
    isLong: true,
    cell: ({ status_code, error_message }) => status_code ?? error_message,
  },
  { key: 'attempts', header: 'Attempts', align: 'right', cell: ({ attempts }) => attempts },
  {
    key: 'next',
    header: 'Next attempt',
    cell: ({ next_attempt_at }) => next_attempt_at && <TimeAgo at={next_attempt_at} />,
  },
  { key: 'created', header: 'Created', cell: ({ created_at }) => <TimeAgo at={created_at} /> },
];

interface ListProps {
  readonly webhook: Webhook;
  readonly list: ReturnType<typeof useDeliveries>;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

function List({ webhook, list, isFiltered, onClear }: ListProps) {
  const [openedId, setOpenedId] = useState<string | null>(null);
  const columns: readonly Column<WebhookDelivery>[] = [
    {
      key: 'event',
      header: 'Event',
      isName: true,
      cell: ({ id, event }) => (
        <Anchor
          component="button"
          type="button"
          className={classes.event}
          aria-haspopup="dialog"
          onClick={() => setOpenedId(id)}
        >
          {event}
        </Anchor>
      ),
    },
    ...COLUMNS,
  ];
  if (list.error) {
    return <ErrorNotice error={list.error} title="Couldn’t load the deliveries" onRetry={list.refetch} />;
  }
  if (list.isPending) return <Pending rows={4} />;
  if (list.rows.length === 0) return <Nothing isFiltered={isFiltered} onClear={onClear} />;
  return (
    <>
      <DataTable label="Deliveries" columns={columns} rows={list.rows} rowKey={({ id }) => id} />
      <LoadMore list={list} label="Show older deliveries" />
      <DeliveryDetails
        webhook={webhook}
        delivery={list.rows.find(({ id }) => id === openedId) ?? null}
        onClose={() => setOpenedId(null)}
      />
    </>
  );
}

function Nothing({ isFiltered, onClear }: Pick<ListProps, 'isFiltered' | 'onClear'>) {
  if (!isFiltered) {
    return (
      <EmptyState icon={IconSend} title="Nothing has been sent yet">
        Send a test, or wait for something to happen.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconSend}
      title="No delivery matches"
      action={
        <Button variant="default" onClick={onClear}>
          Show all deliveries
        </Button>
      }
    />
  );
}
