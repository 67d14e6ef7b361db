import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { SecondFactor } from '@agent-control-plane/client';
import { type Factors, useFactors } from '../../api/factors.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';
import { TimeAgo } from '../../components/time-ago.js';
import { AddFactor } from './add-factor.js';
import { NewCodesDialog } from './new-codes-dialog.js';
import { RemoveFactorDialog } from './remove-factor-dialog.js';

const COLUMNS: readonly Column<SecondFactor>[] = [
  { key: 'name', header: 'Name', isName: true, isLong: true, cell: (factor) => factor.name },
  {
    key: 'kind',
    header: 'Kind',
    cell: (factor) => (factor.kind === 'totp' ? 'authenticator app' : 'passkey'),
  },
  {
    key: 'used',
    header: 'Last used',
    cell: ({ last_used_at: at }) => (at === null ? 'never used' : <TimeAgo at={at} />),
  },
  { key: 'created', header: 'Added', isDetail: true, cell: (factor) => <TimeAgo at={factor.created_at} /> },
];

/** The user's factors besides the password. */
export function FactorsSection() {
  const { data, error, refetch } = useFactors();
  return (
    <Stack component="section" aria-labelledby="second-factor" gap="sm">
      <Title order={2} size="h4" id="second-factor">
        Second factor
      </Title>
      {data ? (
        <Loaded factors={data} />
      ) : error ? (
        <ErrorNotice error={error} title="Couldn’t load your second factors" onRetry={() => void refetch()} />
      ) : (
        <Pending rows={2} />
      )}
    </Stack>
  );
}

function Loaded({ factors }: { readonly factors: Factors }) {
  const [removed, setRemoved] = useState<SecondFactor | null>(null);
  const columns: readonly Column<SecondFactor>[] = [
    ...COLUMNS,
    {
      key: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (factor) => (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={`Remove ${factor.name}`}
          onClick={() => setRemoved(factor)}
        >
          Remove
        </Button>
      ),
    },
  ];
  const hasFactor = factors.factors.length > 0;
  return (
    <>
      <Text size="sm" maw="42rem">
        {hasFactor
          ? 'You sign in with your password and one of these. Sensitive changes, such as a new key, also ask for one.'
          : 'Your password alone signs you in. With an authenticator app or a passkey, a stolen password is not enough.'}
      </Text>
      {hasFactor && (
        <DataTable
          label="Second factors"
          columns={columns}
          rows={factors.factors}
          rowKey={(factor) => factor.id}
        />
      )}
      <AddFactor factors={factors} />
      {hasFactor && <CodesLeft count={factors.recovery_codes_left} />}
      {removed && (
        <RemoveFactorDialog
          factor={removed}
          isLast={factors.factors.length === 1}
          onClose={() => setRemoved(null)}
        />
      )}
    </>
  );
}

function CodesLeft({ count }: { readonly count: number }) {
  const [isMaking, setMaking] = useState(false);
  return (
    <Group gap="sm">
      <Text size="sm">
        {count === 0
          ? 'No recovery codes left: if you lose your factors, only an operator can let you in.'
          : `${count} of your recovery codes ${count === 1 ? 'is' : 'are'} left.`}
      </Text>
      <Button variant="default" size="xs" onClick={() => setMaking(true)}>
        Create new recovery codes
      </Button>
      {isMaking && <NewCodesDialog onClose={() => setMaking(false)} />}
    </Group>
  );
}
